"""Publish tables about persons, with sets of items, under a guarantee that is proven on the written file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anonset.runtime.kernel_cache import use_cache

if TYPE_CHECKING:
    from anonset.algorithms import ALGORITHMS
    from anonset.algorithms.constraints.lint import lint as check_policies
    from anonset.api import (
        Release,
        anonymize,
        anonymize_files,
        anonymize_frame,
        attack,
        build_hierarchy,
        compare,
        explain,
        load,
        load_files,
        profile,
        query,
        read,
        recommend,
        run_project,
        workload,
    )
    from anonset.data.hierarchies import read_hierarchy, write_hierarchy
    from anonset.data.policies import read_policies, write_policies
    from anonset.errors import (
        AnonsetError,
        Cancelled,
        GuaranteeViolated,
        InfeasibleError,
        InputError,
        ParameterError,
    )
    from anonset.measure import MEASURES
    from anonset.model.dataset import Dataset, Transactions
    from anonset.model.guarantees import GUARANTEES
    from anonset.model.hierarchy import Hierarchy
    from anonset.model.schema import Schema
    from anonset.model.verdict import Verdict
    from anonset.recipient.completion import combine
    from anonset.recipient.published import PublishedRelease, open_published

__version__ = "0.1.0"

use_cache()  # before any kernel is loaded

# Each public name and the module it is loaded from when it is first used: `import anonset` itself costs nothing.
_HOMES = {
    "ALGORITHMS": "algorithms",
    "AnonsetError": "errors",
    "Cancelled": "errors",
    "Dataset": "model.dataset",
    "GUARANTEES": "model.guarantees",
    "GuaranteeViolated": "errors",
    "Hierarchy": "model.hierarchy",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "MEASURES": "measure",
    "ParameterError": "errors",
    "Release": "api",
    "Schema": "model.schema",
    "Transactions": "model.dataset",
    "Verdict": "model.verdict",
    "anonymize": "api",
    "anonymize_files": "api",
    "anonymize_frame": "api",
    "attack": "api",
    "build_hierarchy": "api",
    "PublishedRelease": "recipient.published",
    "combine": "recipient.completion",
    "check_policies": "algorithms.constraints.lint:lint",
    "compare": "api",
    "explain": "api",
    "load": "api",
    "load_files": "api",
    "open_published": "recipient.published",
    "profile": "api",
    "query": "api",
    "read": "api",
    "read_hierarchy": "data.hierarchies",
    "read_policies": "data.policies",
    "recommend": "api",
    "run_project": "api",
    "workload": "api",
    "write_hierarchy": "data.hierarchies",
    "write_policies": "data.policies",
}

_WITH_VIEWS = {"model.dataset", "model.hierarchy", "data.hierarchies"}  # their values are drawn and exported by layers above

__all__ = [  # noqa: RUF022 - as they are used, not by letter
    "read",
    "profile",
    "anonymize",
    "anonymize_frame",
    "anonymize_files",
    "run_project",
    "recommend",
    "compare",
    "load",
    "load_files",
    "attack",
    "explain",
    "workload",
    "query",
    "open_published",
    "combine",
    "PublishedRelease",
    "Release",
    "Dataset",
    "Transactions",
    "Hierarchy",
    "Schema",
    "Verdict",
    "read_hierarchy",
    "write_hierarchy",
    "build_hierarchy",
    "read_policies",
    "write_policies",
    "check_policies",
    "ALGORITHMS",
    "MEASURES",
    "GUARANTEES",
    "AnonsetError",
    "InputError",
    "ParameterError",
    "GuaranteeViolated",
    "InfeasibleError",
    "Cancelled",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonset' has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    if module in _WITH_VIEWS:
        import_module("anonset.api")
    return getattr(import_module(f"anonset.{module}"), inner or name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
