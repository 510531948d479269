"""The same rules under other readings of what a paper leaves open: another estimator, another variant of an algorithm."""

from collections.abc import Callable, Mapping, Sequence

from anonset_papers.claims import Check, Reading, Row, Rows
from anonset_papers.figures import renamed
from anonset_papers.trials import BY_SUPPORT, FIRST, RANDOM_SETS, RAREST, SUBSETS

Judge = Callable[[list[Row], str], Sequence[Check]]  # the rows of the algorithms compared, and the field of their errors

ERRORS = {"subsets": SUBSETS, "drawn": RANDOM_SETS}
VARIANTS: dict[str, Mapping[str, str]] = {
    RAREST: {"coat": "coat, rarest"},
    FIRST: {"coat": "coat, first"},
    BY_SUPPORT: {"aa": "aa, support"},
}


def only(rows: Rows, names: Sequence[str]) -> list[Row]:
    """The rows of the named algorithms."""
    return [row for row in rows if row["algorithm"] in names]


def other_readings(
    rows: Rows, names: Sequence[str], judge: Judge, *, field: str = "are", errors: Mapping[str, str] = ERRORS
) -> tuple[Reading, ...]:
    """What the rule comes to by other estimates of the same runs, and by variants of the algorithms that were run."""
    found = [
        Reading(text, tuple(judge(only(rows, names), other)))
        for other, text in errors.items()
        if any(other in row for row in rows)
    ]
    run = {row["algorithm"] for row in rows}
    found += [
        Reading(text, tuple(judge(only(renamed(_where(rows, swap), swap), names), field)))
        for text, swap in VARIANTS.items()
        if run.issuperset(swap.values())
    ]
    return tuple(found)


def _where(rows: Rows, swap: Mapping[str, str]) -> list[Row]:
    """The rows of settings that the variant was run under as well."""
    places = {_place(row) for row in rows if row["algorithm"] in swap.values()}
    return [row for row in rows if _place(row) in places]


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("data", "k", "m", "policy", "requirement"))
