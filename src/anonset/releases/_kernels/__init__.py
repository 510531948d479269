"""Compiled loops of what is published beside the records."""
