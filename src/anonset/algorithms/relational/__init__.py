"""Algorithms of this family, one file each."""
