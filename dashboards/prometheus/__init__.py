"""Prometheus' configuration: what is scraped, what is recorded, what is worth an alert."""
