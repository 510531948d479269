"""Item sets of every kind as sets of tokens, and back: what the text formats share."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets
from anonset.model.labels import GeneralizedItems, Labels, PublishedItems
from anonset.model.sets import rows_of
from anonset.releases.formats.sets import states, uncertain
from anonset.releases.formats.tokens import Guide, groups_of, label_tokens

CERTAIN = "set"
UNCERTAIN = "uncertain set"


class TokenSets(NamedTuple):
    """Record r shows tokens[c] for c in codes[offsets[r] : offsets[r + 1]], of which at most errors[r] are wrong."""

    offsets: Offsets
    codes: Ids
    tokens: list[str]
    errors: Ids | None
    guide: Guide

    def part(self, start: int, stop: int) -> tuple[Offsets, Ids]:
        """The sets of the records from start to stop - 1."""
        offsets = self.offsets[start : stop + 1]
        return offsets - offsets[0], self.codes[offsets[0] : offsets[-1]]


def token_sets(items: PublishedItems, name: str) -> TokenSets:
    """The published item sets, spelled."""
    guide: Guide = {"name": name, "role": "items", "column": name}
    if isinstance(items, GeneralizedItems):
        tokens, meaning = label_tokens(items.labels.texts, items.labels.in_item_order(items.domain), items.domain)
        guide |= {"kind": CERTAIN, "generalized": meaning, "suppressed_items": len(items.suppressed)}
        return TokenSets(items.offsets, items.shown, tokens, None, guide)
    marks = _marks(items.domain)
    return TokenSets(*states(items), _marked(items.domain, marks), items.threshold, guide | {"kind": UNCERTAIN, "marks": marks})


def items_from_tokens(
    sets: tuple[Offsets, Sequence[str], Ids], errors: Ids | None, guide: Guide, domain: tuple[str, ...], suppressed: Ids
) -> PublishedItems:
    """The published items of sets = (offsets, texts, codes), entry p showing texts[codes[p]]."""
    offsets, texts, codes = sets
    if guide["kind"] == CERTAIN:
        groups = groups_of(texts, guide["generalized"], domain, guide["name"])
        offsets, shown = collapse(offsets, codes)
        return GeneralizedItems(offsets, shown, Labels.from_groups(groups, texts), domain, suppressed)
    assert errors is not None
    state = {token: code for code, token in enumerate(_marked(domain, guide["marks"]))}
    unknown = next((text for text in texts if text not in state), None)
    if unknown is not None:
        raise GuaranteeViolated(f"{guide['name']}: the published {unknown!r} stands for no value of the original")
    shown = np.array([state[text] for text in texts], np.int32)[codes]
    order = np.lexsort((shown, rows_of(offsets)))
    return uncertain(offsets, shown[order], errors, domain)


def _marked(domain: Sequence[str], marks: Guide) -> list[str]:
    """The token of item i in state s at place 3 * i + s."""
    spell = [marks["certain"], marks["doubted"], marks["possible"]]
    return [mark.replace("ITEM", name) for name in domain for mark in spell]


def _marks(domain: Sequence[str]) -> Guide:
    """How the three states of an item are spelled: with so many signs that no item begins or ends with as many."""
    n = next(n for n in count(1) if not any(name.startswith("-" * n) or name.endswith("?" * n) for name in domain))
    return {"certain": "ITEM", "doubted": "ITEM" + "?" * n, "possible": "-" * n + "ITEM" + "?" * n}
