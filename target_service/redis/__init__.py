"""Redis: commands, connections, and pipelines shared by concurrent requests."""
