"""Connections to the target, and single attempts on them."""
