"""Checks that every algorithm must pass, shipped so that an algorithm of your own can be held to them too."""

from anonset.testing.checks import COMMON_CHECKS
from anonset.testing.tiny import fitting, tiny_datasets

__all__ = ["COMMON_CHECKS", "fitting", "tiny_datasets"]
