"""The files of a run directory: finding it, reading it, writing into it."""
