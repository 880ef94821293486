"""From a run directory to tables, skew, a verdict and pages: a pure function of its files."""
