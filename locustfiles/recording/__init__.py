"""What is counted, and the files that a run leaves."""
