"""Many algorithms and settings on the same data: a plan in, trials out, and the map of risk against utility."""
