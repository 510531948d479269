"""Values of the model as plain JSON, and policies back from it."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonset.errors import Advice
from anonset.model.hierarchy import Hierarchy
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions

POLICIES = {policy.__name__: policy for policy in (Itemsets, AllItemsets, WholeTransactions, UtilityPolicy)}


def to_plain(value: Any, text: Callable[[str], str] = str) -> Any:
    """The value with nothing but what JSON has; a dataclass says its name as `type`; `text` renders sentences."""
    if value is None or type(value) in (str, int, bool):  # as most are
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__name__} | {f.name: to_plain(getattr(value, f.name), text) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_plain(part, text) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(part, text) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_plain(value.tolist(), text)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no such number
    if isinstance(value, Advice):
        return text(value)
    return value if isinstance(value, bool | int | float | str) else str(value)


def from_plain(value: Any) -> Any:
    """The value with its policies rebuilt and its lists as tuples."""
    if isinstance(value, dict):
        parts = {name: from_plain(part) for name, part in value.items() if name != "type"}
        return POLICIES[value["type"]](**parts) if value.get("type") in POLICIES else parts
    return tuple(from_plain(part) for part in value) if isinstance(value, list) else value


def tree_to_plain(tree: Hierarchy) -> dict[str, Any]:
    """A hierarchy, node by node."""
    return {"labels": list(tree.labels), "parent": tree.parent.tolist(), "derived": tree.derived}


def tree_from_plain(data: Mapping[str, Any]) -> Hierarchy:
    """The hierarchy that `tree_to_plain` spelled out."""
    return Hierarchy(tuple(data["labels"]), np.array(data["parent"], np.int32), bool(data.get("derived", False)))


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, readable."""
    path.write_text(as_json(value), encoding="utf-8", newline="\n")


def as_json(value: Any) -> str:
    """The one spelling of a value as JSON."""
    return json.dumps(to_plain(value), ensure_ascii=False, indent=1) + "\n"
