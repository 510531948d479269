"""Items with marks that say how certain they are, read by whole columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Rows
from anonset.verify.reading.written import WrittenDoubts


class Tokens(NamedTuple):
    """Text t has the next lengths[t] tokens; token e is named names[entries[e]]."""

    lengths: Rows
    names: list[str]
    entries: Rows


def extend_doubts(written: WrittenDoubts, tokens: Tokens, errors: Sequence[str] | None, guide: Mapping[str, Any]) -> None:
    """Append whole columns of marked items and of error bounds; what a token means is found out once."""
    if errors is None:
        raise GuaranteeViolated(f"{guide['name']}: a record has no error bound")
    states, n = states_of(tokens.names, guide["marks"]), len(tokens.lengths)
    owners = np.repeat(np.arange(n), tokens.lengths)
    for sets, other in ((written.base, "possible"), (written.uncertain, "certain")):
        kept = np.array([state != other for _, state in states], np.bool_)
        place, here = np.cumsum(kept) - 1, kept[tokens.entries]
        looks = [item for item, state in states if state != other]
        sets.extend(looks, place[tokens.entries[here]], owners[here], n)
    written.extend_errors(map(int, errors))


def states_of(tokens: Iterable[str], marks: Mapping[str, str]) -> list[tuple[str, str]]:
    """The item each token is about, and how certain it is; no item begins or ends with as many signs as the marks have."""
    ends = [(state, marks[state].split("ITEM")) for state in ("possible", "doubted")]
    return [_state(token, ends) for token in tokens]


def _state(token: str, ends: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, str]:
    for state, (before, after) in ends:
        if token.startswith(before) and token.endswith(after) and len(token) >= len(before) + len(after):
            return token[len(before) : len(token) - len(after)], state
    return token, "certain"
