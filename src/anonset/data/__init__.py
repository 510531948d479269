"""Reading datasets, hierarchies and policies; writing hierarchies, policies and releases."""

from anonset.data.hierarchies import check_hierarchy, read_hierarchy, write_hierarchy
from anonset.data.policies import Policies, read_policies, read_privacy, read_utility, write_policies
from anonset.data.read import attach, guess, read
from anonset.data.roles import Guess
from anonset.model.schema import Schema

__all__ = [
    "Guess",
    "Policies",
    "Schema",
    "attach",
    "check_hierarchy",
    "guess",
    "read",
    "read_hierarchy",
    "read_policies",
    "read_privacy",
    "read_utility",
    "write_hierarchy",
    "write_policies",
]
