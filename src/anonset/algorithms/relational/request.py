"""What every relational algorithm is asked for, and what it checks first."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.relational.encoding import Weights
from anonset.algorithms.relational.group_constraint import Constraint, sensitive_values
from anonset.errors import InfeasibleError, InputError, way
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KAnonymity, LDiversity, Part, TCloseness
from anonset.model.parameters import Bounds, K, check_parameters

Suppression = Annotated[float, Bounds(0.0, 1.0), "share of the records that may be left out"]
Diverse = Annotated[int, Bounds(1, 1_000_000), "well-represented sensitive values in every group; 1 asks for nothing"]
DiversityKind = Annotated[Literal["distinct", "entropy", "recursive"], "what well-represented means"]
Ratio = Annotated[float, Bounds(0.0, 1e9), "recursive: the most frequent value is less than c times the rest from the l-th on"]
Closeness = Annotated[float, Bounds(0.0, 1.0), "how far the values of a group may be from those of all; 1 asks for nothing"]
SensitiveColumn = Annotated[str, "the column that l and t are about; may be left open where only one is sensitive"]


@dataclass(frozen=True, slots=True)
class Relational:
    """What every relational algorithm is asked for."""

    k: K
    weights: Weights = ""
    l: Diverse = 1  # noqa: E741 - the papers' letter
    diversity: DiversityKind = "distinct"
    c: Ratio = 1.0
    t: Closeness = 1.0
    sensitive: SensitiveColumn = ""
    name: ClassVar[str]
    guarantee: ClassVar[str] = "k-anonymity, and l-diversity or t-closeness where asked for"
    needs: ClassVar[frozenset[str]] = frozenset({"quasi"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)


def guarantees_of(request: Relational, data: Dataset) -> tuple[Guarantee, ...]:
    """What a release promises. Raise unless the dataset has quasi columns, enough records and the values asked for."""
    if not data.quasi:
        raise InputError(f"this needs quasi columns, and the dataset has none; name them with {way('quasi')}")
    if request.k > len(data):
        raise InfeasibleError(f"k={request.k} exceeds the {len(data)} records of the dataset")
    promised: list[Guarantee] = [KAnonymity(request.k)]
    if request.l > 1:
        promised.append(LDiversity(request.l, _column(request, data), request.diversity, request.c))
    if request.t < 1.0:
        promised.append(TCloseness(request.t, _column(request, data)))
    return tuple(promised)


def constraint_of_records(data: Dataset, guarantees: tuple[Guarantee, ...]) -> Constraint:
    """When groups of records, each for itself, keep the promises."""
    return constraint_of(data, guarantees, np.arange(len(data)), np.ones(len(data), np.int64))


def constraint_of(data: Dataset, guarantees: tuple[Guarantee, ...], row_of: Rows, counts: Rows) -> Constraint:
    """When groups of distinct records keep the promises. Raise where even all records in one group do not."""
    k = next(g.k for g in guarantees if isinstance(g, KAnonymity))
    constraint = Constraint(k, counts, sensitive_values(data, row_of, guarantees))
    if constraint.sensitive is not None and constraint.weak_groups(np.zeros(len(counts), np.int64), 1)[1][0]:
        asked = next(g for g in guarantees if isinstance(g, LDiversity))
        raise InfeasibleError(f"{asked.kind} l-diversity with l={asked.l} does not hold in {asked.column} even in all records")
    return constraint


def most_left_out(suppression: float, data: Dataset) -> int:
    """The number of records that may be left out."""
    return int(suppression * len(data) + 1e-9)


def _column(request: Relational, data: Dataset) -> str:
    names = [column.name for column in data.with_role("sensitive")]
    if request.sensitive:
        if data.column(request.sensitive).role == "quasi":
            raise InputError(f"{request.sensitive!r} is a quasi column: an attacker knows it already")
        return request.sensitive
    if len(names) != 1:
        raise InputError(f"l and t need one sensitive column, and there are {len(names)}; say which with `sensitive`")
    return names[0]
