"""Data larger than memory or than one machine: read in batches, reduced by map-reduce questions, published in parts."""
