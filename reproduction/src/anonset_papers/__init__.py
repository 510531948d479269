"""The experiments of the papers again: every claim with our figure beside it, and whether it holds."""
