"""Compiled loops over flat arrays: numpy and numba only, each file calls only itself."""
