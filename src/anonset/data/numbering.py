"""Columns that are numbered, `diag_1` to `diag_9`: together they hold one set, an item a column."""

import re
from collections.abc import Iterable, Sequence

NUMBERED = re.compile(r"(.*?[^\W\d_].*?)[\W_]*\d+")
THINGS = re.compile(
    r"(.*[\W_\d])?(dx|diag(nos[ei]s)?|icd(9|10)?(cm)?|prc?|px|proc(edure)?|atc|drug|med(ication)?|item|product|purchase"
    r"|condition|comorbidity|symptom|tag)s?([\W_]?(code|id|cd))?",
    re.IGNORECASE,
)


def stem(name: str) -> str | None:
    """What a numbered column is called without its number: `diag` for `diag_1`."""
    found = NUMBERED.fullmatch(name)
    return found.group(1) if found else None


def numbered_alike(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The columns of each stem that several of them share, in their order."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        if (called := stem(name)) is not None:
            found[called] = (*found.get(called, ()), name)
    return {called: columns for called, columns in found.items() if len(columns) > 1}


def numbered_things(names: Sequence[str]) -> tuple[str, ...]:
    """The numbered columns that are called after what a person has several of: diagnoses, drugs, products."""
    held = {name for called, columns in numbered_alike(names).items() if THINGS.fullmatch(called) for name in columns}
    return tuple(name for name in names if name in held)
