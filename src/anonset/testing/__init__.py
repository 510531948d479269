"""Conformance checks for plug-ins, which all that is built in passes too, and tiny datasets that are hard to protect.

`COMMON_CHECKS` are for algorithms, `GUARANTEE_CHECKS`, `MEASURE_CHECKS` and `FORMAT_CHECKS` for the other kinds.

Examples
--------
>>> from anonset.algorithms import make
>>> from anonset.testing import COMMON_CHECKS, MEASURE_CHECKS, fitting, tiny_datasets
>>> algorithm = make("aa", {"k": 2})
>>> data = fitting(tiny_datasets()["some empty sets"], algorithm.needs)
>>> for check in COMMON_CHECKS[:3]:
...     check(algorithm, data)
>>> for check in MEASURE_CHECKS:
...     check("exact-items", data)
"""

from anonset.testing.checks import COMMON_CHECKS
from anonset.testing.formats import FORMAT_CHECKS
from anonset.testing.guarantees import GUARANTEE_CHECKS
from anonset.testing.measures import MEASURE_CHECKS
from anonset.testing.tiny import fitting, tiny_datasets

__all__ = ["COMMON_CHECKS", "FORMAT_CHECKS", "GUARANTEE_CHECKS", "MEASURE_CHECKS", "fitting", "tiny_datasets"]
