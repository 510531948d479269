"""Publish tables about persons, with sets of items, under a guarantee that is proven on the written file."""

__version__ = "0.1.0"
