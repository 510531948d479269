"""Reading datasets, hierarchies and policies; writing hierarchies, policies and releases."""

from anonset.io.attaching import attach
from anonset.io.guessing import Guess, Note
from anonset.io.hierarchies import check_hierarchy, read_hierarchy, write_hierarchy
from anonset.io.policies import Policies, read_policies, read_privacy, read_utility, write_policies
from anonset.io.reading import guess, read, read_and_guess
from anonset.io.schema import Schema

__all__ = [
    "Guess",
    "Note",
    "Policies",
    "Schema",
    "attach",
    "check_hierarchy",
    "guess",
    "read",
    "read_and_guess",
    "read_hierarchy",
    "read_policies",
    "read_privacy",
    "read_utility",
    "write_hierarchy",
    "write_policies",
]
