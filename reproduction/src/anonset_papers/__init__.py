"""The papers' experiments, repeated: every claim with our figure and whether it holds; and their comparators as plug-ins."""
