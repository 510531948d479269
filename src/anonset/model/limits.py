"""Limits that keep work from filling the memory or never ending; a variable of the environment raises each."""

import os


def limit(variable: str, otherwise: int) -> int:
    """What the variable says where it is a whole number, else what is usual."""
    given = os.environ.get(variable, "")
    return int(given) if given.isdecimal() and len(given) < 30 else otherwise
