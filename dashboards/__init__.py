"""What a user watches: Prometheus' rules, Grafana's dashboards, and the check of both."""
