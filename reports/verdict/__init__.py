"""Whether a run can be trusted, and whether it met its objectives."""
