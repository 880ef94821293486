"""The one data source every panel reads, by the uid it is provisioned under."""

from typing import Final

from grafana_foundation_sdk.models.common import DataSourceRef

PROMETHEUS_UID: Final = "prometheus"
GRAFANA_UID: Final = "-- Grafana --"


def prometheus() -> DataSourceRef:
    """Refer to the provisioned Prometheus."""
    return DataSourceRef(type_val="prometheus", uid=PROMETHEUS_UID)


def grafana() -> DataSourceRef:
    """Refer to Grafana's own store, where the annotations of runs are."""
    return DataSourceRef(type_val="grafana", uid=GRAFANA_UID)
