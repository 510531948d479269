"""Studies: run a plan of many algorithms and settings on the same data, and map the trials by risk and utility."""
