"""Grafana's dashboards as code; `python -m dashboards.grafana` writes their JSON and docs page."""
