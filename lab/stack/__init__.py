"""The stacks that are loaded: embedded processes, compose, or a foreign service."""
