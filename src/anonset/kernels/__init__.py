"""Compiled loops over flat arrays that several packages use: numpy and numba only."""
