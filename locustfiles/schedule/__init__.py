"""When requests are due, and sending them then."""
