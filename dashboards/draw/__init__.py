"""The dashboards drawn with Grafana's own components on a Prometheus, and measured as drawn."""
