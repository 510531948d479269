"""What algorithms are for, and settings that are worth comparing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Purpose = Literal["both", "columns", "items", "rules", "doubt"]


@dataclass(frozen=True, slots=True)
class Suitability:
    """What an algorithm is for, and why it is not for some data; empty where it is."""

    id: str
    title: str
    purpose: Purpose
    reason: str = ""
    recommended: bool = False


@dataclass(frozen=True, slots=True)
class NamedSetting:
    """A setting that is worth comparing with others: its name, the algorithm and its parameters."""

    name: str
    algorithm: str
    parameters: Mapping[str, Any]
