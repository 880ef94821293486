"""A run from its inputs to its end: master, workers, and what is checked before."""
