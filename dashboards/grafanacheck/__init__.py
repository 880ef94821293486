"""The check of a Grafana that runs: is everything there, and does every panel's query answer."""
