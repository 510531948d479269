"""A query counts the records that fall into ranges, have one of some values and hold some items, or none of some."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonset.errors import InputError, ParameterError
from anonset.model.threads import limit

MOST_QUERIES, RAISED_BY = 1_000_000, "ANONSET_MOST_QUERIES"


@dataclass(frozen=True, slots=True)
class Query:
    """Count the records with every numeric value in its range, every categorical one among its values, and all the items.

    Or, instead of items that are present, with none of the items `absent` ([004]'s type II).
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(not low <= high for low, high in self.ranges.values()):
            raise InputError(f"a query's range must have low <= high; got {dict(self.ranges)}")
        if len(set(self.items)) != len(self.items) or len(set(self.absent)) != len(self.absent):
            raise InputError("the items of a query must differ from each other")
        if self.items and self.absent:
            raise InputError("a query asks for items that are present or for items that are absent, not for both")

    def __str__(self) -> str:
        parts = [f"{name} in [{low:g}:{high:g}]" for name, (low, high) in self.ranges.items()]
        parts += [f"{name} in {{{', '.join(values)}}}" for name, values in self.values.items()]
        parts += ["has " + ", ".join(self.items)] if self.items else []
        parts += ["has none of " + ", ".join(self.absent)] if self.absent else []
        return " and ".join(parts) or "all records"


@dataclass(frozen=True, slots=True)
class Workload:
    """Queries, in order."""

    queries: tuple[Query, ...]

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        some = "; ".join(str(query) for query in self.queries[:2])
        return f"<Workload of {len(self):,} queries{', e.g. ' + some if some else ''}>"

    def to_json(self) -> str:
        """The workload as JSON text: {"queries": [{"ranges": {..}, "values": {..}, "items": [..], "absent": [..]}]}."""
        rows = [
            {
                "ranges": {n: list(r) for n, r in q.ranges.items()},
                "values": {n: list(v) for n, v in q.values.items()},
                "items": list(q.items),
                **({"absent": list(q.absent)} if q.absent else {}),
            }
            for q in self.queries
        ]
        return json.dumps({"queries": rows}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None) -> "Workload":
        """The workload a JSON text describes; what is not one is an InputError that says where."""
        try:
            rows = json.loads(text)["queries"]
            return cls(tuple(_query(row) for row in rows))
        except json.JSONDecodeError as error:
            raise InputError(f"expected JSON; {error.msg}", file=file, line=error.lineno, column=error.colno) from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(
                'expected {"queries": [{"ranges": .., "values": .., "items": [..], "absent": [..]}, ..]}', file=file
            ) from None


def _query(row: Mapping[str, Any]) -> Query:
    if set(row) - {"ranges", "values", "items", "absent"}:
        raise ValueError("unknown key")
    ranges = {str(name): (float(low), float(high)) for name, (low, high) in row.get("ranges", {}).items()}
    values = {str(name): tuple(map(str, chosen)) for name, chosen in row.get("values", {}).items()}
    return Query(ranges, values, tuple(map(str, row.get("items", []))), tuple(map(str, row.get("absent", []))))


def check_sizes(*, least: int = 1, **sizes: int) -> None:
    """Raise unless every size is a whole number of at least `least`, and the number of queries one that memory holds."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise ParameterError(f"{name} of a workload must be a whole number of at least {least}; got {size!r}")
    if sizes.get("n", 0) > (most := limit(RAISED_BY, MOST_QUERIES)):
        raise ParameterError(f"n of a workload is {sizes['n']:,}, and {most:,} queries are the most; {RAISED_BY} allows more")


def check_share(**shares: float) -> None:
    """Raise unless every share is a number from 0 to 1."""
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ParameterError(f"{name} of a workload must be a number from 0 to 1; got {share!r}")
