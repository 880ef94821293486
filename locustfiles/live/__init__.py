"""What is seen while a run goes on."""
