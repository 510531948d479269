"""What the reader of a release does with published/ alone: count with bounds, complete it, export it.

Nothing here reads the private half, and nothing is compiled.
"""
