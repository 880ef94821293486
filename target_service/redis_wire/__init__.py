"""The wire to Redis: packed commands, shared pipelines, scripts."""
