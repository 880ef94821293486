"""The Redis keys that belong to a board."""

VERSIONS = "versions"
MARK = "mark"


def companion(key: str, what: str) -> str:
    """Return the key of what belongs to a board, in the same slot of a cluster."""
    return f"{key}:{what}" if "{" in key else f"{{{key}}}:{what}"
