"""The command line: its variables, and what is wrong with a request."""
