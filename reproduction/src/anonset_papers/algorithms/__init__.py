"""Comparators and ablations of the papers, one file each: plug-ins that nobody needs to publish data."""
