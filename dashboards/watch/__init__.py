"""Prometheus, and Grafana where there is one, beside a run on this machine, without Docker."""
