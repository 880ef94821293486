"""The CSV files of a run, one file of code for each."""
