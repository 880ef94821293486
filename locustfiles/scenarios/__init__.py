"""The scenarios: a TOML file each, and a Python file beside it where data is not enough."""
