"""Conformance checks for algorithms, those of plug-ins too, and tiny datasets that are hard to protect.

Examples
--------
>>> from anonset.algorithms import make
>>> from anonset.testing import COMMON_CHECKS, fitting, tiny_datasets
>>> algorithm = make("aa", {"k": 2})
>>> for check in COMMON_CHECKS[:3]:
...     check(algorithm, fitting(tiny_datasets()["some empty sets"], algorithm.needs))
"""

from anonset.testing.checks import COMMON_CHECKS
from anonset.testing.tiny import fitting, tiny_datasets

__all__ = ["COMMON_CHECKS", "fitting", "tiny_datasets"]
