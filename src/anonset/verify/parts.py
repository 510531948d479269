"""Verify a release in parts: each part is counted independently of the code that wrote it, and the counts are added.

A guarantee about groups of equal quasi values holds for the whole where it holds for every part alone: groups of two parts
that look alike only become larger. Counts of sets of items are added over all parts, label by label of about.json.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.guarantees import (
    Constraints,
    Guarantee,
    KAnonymity,
    KKm,
    KLm,
    KmAnonymity,
    NrK,
    NrL,
    PartialItems,
    UtilityConstraints,
)
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import linkable_items, sensitive_names
from anonset.verify.constraints import NOWHERE, itemset_supports, utility_finding
from anonset.verify.findings import WITNESSES, Tally, fails
from anonset.verify.itemset_counts import combinations, occurring
from anonset.verify.k_anonymity import check_k_anonymity, check_k_km
from anonset.verify.k_lm import check_k_lm
from anonset.verify.nr_k import check_nr_k, check_nr_l
from anonset.verify.reading.parts import token_numbers, tokens_of
from anonset.verify.reading.written import Guide
from anonset.verify.sets import LIMIT, distinct, not_checked, require_within

Counts = dict[str, NDArray[Any]]
ALONE: dict[type[Any], Any] = {KAnonymity: check_k_anonymity, KKm: check_k_km, KLm: check_k_lm}
MATCHED = (NrK, NrL)  # by matches of originals and published records, which are in one part
ADDED = (KmAnonymity, PartialItems, Constraints, UtilityConstraints)


def part_counts(release: Release, original: Dataset, guarantees: Sequence[Guarantee], guide: Guide) -> Counts:
    """What a part adds to guarantees about items of the whole; `guide` explains the items."""
    m = max((g.m for g in guarantees if isinstance(g, KmAnonymity)), default=0)
    counts = set_counts(release, original, m, guide) if m else {}
    for number, guarantee in enumerate(guarantees):
        if isinstance(guarantee, Constraints | UtilityConstraints):
            assert isinstance(release.items, GeneralizedItems)
            if isinstance(guarantee, Constraints):
                counts[f"itemsets {number}"] = itemset_supports(release.items, guarantee, LIMIT)
            else:
                counts[f"visible {number}"] = _visible(release.items, original)
    return counts


def _visible(items: GeneralizedItems, original: Dataset) -> NDArray[np.int64]:
    """How many records show a label that stands for an item, by item of the original."""
    assert original.transactions is not None
    shown = np.repeat(np.bincount(items.shown, minlength=len(items.labels)), items.labels.sizes)
    records = np.bincount(items.labels.members, shown, len(items.domain)).astype(np.int64)
    return records[: len(original.transactions.domain)]  # behind them are items that the original does not know


def set_counts(release: Release, original: Dataset, m: int, guide: Guide) -> Counts:
    """For sets of 1 .. m labels that a part shows: their numbers, and how many of its records show them."""
    assert isinstance(release.items, GeneralizedItems)
    assert original.transactions is not None
    items = linkable_items(release, sensitive_names(original))
    tokens = tokens_of(guide, original.transactions.domain)
    number = token_numbers(items.texts, tokens)
    first, weights, _ = distinct(items.sets)
    sets = items.sets.take(first)
    require_within(combinations(sets.lengths, m, LIMIT), LIMIT)
    found: dict[int, list[tuple[Any, Any]]] = {size: [] for size in range(1, m + 1)}
    for level in occurring(sets, m, None, weights):
        rows = np.repeat(np.arange(len(level.prefixes)), np.diff(level.counts.indptr))
        labels = np.column_stack([number[level.prefixes[rows, 1:]], number[level.counts.indices]])
        found[level.size].append((_numbers(np.sort(labels, axis=1), len(tokens)), level.counts.data.astype(np.int64)))
    counts: Counts = {}
    for size, levels in found.items():
        keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in levels)])
        held = np.concatenate([np.zeros(0, np.int64), *(held for _, held in levels)])
        counts |= dict(zip((f"keys {size}", f"counts {size}"), _summed(keys, held), strict=True))
    return counts


def added(first: Counts, second: Counts) -> Counts:
    """The counts of two parts together."""
    both: Counts = {}
    for key in first:
        if key.startswith("keys "):
            held = key.replace("keys", "counts")
            keys, counts = (np.concatenate([first[name], second[name]]) for name in (key, held))
            both[key], both[held] = _summed(keys, counts)
        elif key.startswith(("itemsets ", "visible ")):
            both[key] = first[key] + second[key]
    return both


def whole_finding(guarantee: Guarantee, number: int, counts: Counts, guide: Guide, original: Dataset) -> Finding:
    """The finding about a guarantee from the counts of all parts; `number` is its place among the guarantees."""
    if isinstance(guarantee, KmAnonymity):
        return km_finding(guarantee, counts, guide, original)
    if isinstance(guarantee, Constraints):
        held = counts[f"itemsets {number}"]
        occurs = np.flatnonzero(held)
        tally = Tally(guarantee.id, guarantee.k)
        tally.add(held[occurs], 0, lambda p: f"{{{', '.join(guarantee.itemsets[occurs[p]])}}}")
        return tally.finding(NOWHERE)
    assert isinstance(guarantee, UtilityConstraints)
    assert original.transactions is not None
    domain = original.transactions.domain
    group = {name: g for g, names in enumerate(guarantee.groups) for name in names}
    outside = [label for label, names in guide["generalized"].items() if len(names) > 1 and not _in_one(names, group)]
    visible = {domain[i] for i in np.flatnonzero(counts[f"visible {number}"])}
    return utility_finding(original, guarantee, outside, visible)


def _in_one(names: Sequence[str], group: Mapping[str, int]) -> bool:
    """Whether all names are in one and the same group."""
    found = {group.get(name, -1) for name in names}
    return len(found) == 1 and -1 not in found


def km_finding(guarantee: KmAnonymity, counts: Counts, guide: Guide, original: Dataset) -> Finding:
    """The finding about k^m-anonymity from the counts of all parts."""
    assert original.transactions is not None
    tokens = tokens_of(guide, original.transactions.domain)
    tally = Tally(guarantee.id, guarantee.k)
    for size in range(1, guarantee.m + 1):
        keys = counts[f"keys {size}"]
        tally.add(counts[f"counts {size}"], size, lambda p, keys=keys, size=size: _text(int(keys[p]), size, tokens))  # type: ignore[misc]
    return tally.finding("no record shows an item that an attacker could know")


def check_alone(release: Release, original: Dataset, guarantee: Guarantee) -> Finding:
    """The finding of one part about a guarantee on groups."""
    if type(guarantee) not in ALONE:
        return not_checked(guarantee.id, "it is not checked for releases in parts")
    finding: Finding = ALONE[type(guarantee)](original, release, guarantee)
    return finding


def check_matched(release: Release, original: Dataset, guarantee: NrK | NrL) -> Finding:
    """The finding of one part and its originals about a guarantee on matches."""
    return check_nr_k(original, release, guarantee) if isinstance(guarantee, NrK) else check_nr_l(original, release, guarantee)


def together(findings: list[Finding]) -> Finding:
    """The findings of all parts about one guarantee as one."""
    if not findings:
        return fails("guarantee", "there is no part")
    known = [finding for finding in findings if finding.support is not None]
    worst = min(known, key=lambda finding: finding.support or 0) if known else findings[0]
    bad = next((finding for finding in findings if not finding.holds), worst)
    return Finding(
        findings[0].guarantee,
        all(finding.holds for finding in findings),
        sum(finding.violations for finding in findings),
        (worst if worst.worst and all(f.holds for f in findings) else bad).worst,
        worst.support,
        tuple(text for finding in findings for text in finding.witnesses)[:WITNESSES],
        checked=all(finding.checked for finding in findings),
    )


def _numbers(labels: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    """A number for each row of ascending labels below d."""
    if d ** labels.shape[1] >= 2**63:
        raise GuaranteeViolated(f"{d} labels are too many to count sets of {labels.shape[1]} of them in parts")
    number = np.zeros(len(labels), np.int64)
    for column in labels.T:
        number = number * d + column
    return number


def _summed(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    return keys[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def _text(key: int, size: int, tokens: list[str]) -> str:
    labels = []
    for _ in range(size):
        key, label = divmod(key, len(tokens))
        labels.append(tokens[label])
    return f"{{{', '.join(reversed(labels))}}}"
