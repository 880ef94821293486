"""Grafana's dashboards as code; `python -m dashboards.grafana` writes their JSON and docs page."""

import warnings

# The SDK advises the newest dashboard model when an older one is imported; file provisioning of
# Grafana 12 and 13 takes the first one only. The builders import every model.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import grafana_foundation_sdk.builders.dashboard
    import grafana_foundation_sdk.builders.stat  # noqa: F401  # imported to have it said here
