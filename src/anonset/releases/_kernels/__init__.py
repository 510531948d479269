"""Compiled loops for what is published in addition to the records."""
