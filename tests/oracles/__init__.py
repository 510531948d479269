"""Slow twins of the kernels and algorithms, the obvious way."""
