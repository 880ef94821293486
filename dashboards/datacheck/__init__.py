"""The data check: every panel's query, run as Grafana runs it, must answer with sound numbers."""
