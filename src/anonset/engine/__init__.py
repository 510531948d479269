"""Data larger than memory or than a machine: read in pieces, asked by questions, published in parts."""
