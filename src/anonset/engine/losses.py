"""What a release in parts lost, as sums over pieces of the data: what each piece adds, and the measures of all of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.engine.coding import Answer, Coder
from anonset.measure.coded_release import standing_times
from anonset.measure.information_loss import (
    LOST,
    KeptValues,
    column_loss,
    expected_supports,
    frequency_error,
    is_exact,
    levels_up,
    middle_size,
    ncp_items,
    record_shares,
    sizes_said,
    times_by_size,
    ul_log2,
)
from anonset.measure.uncertain import er
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.release import Release
from anonset.releases.gates import lost_values

QUASI = "quasi "  # before the name of a column
WRONG_COUNTS = "wrong counts"  # by which the queries of `qe` are off
SPECIAL = 2  # codes of levels_up below 0


def losses_of(batch: Dataset, release: Release, roster: Dataset) -> Answer:
    """What the records of a piece add; the spans of ranges are those of the roster."""
    found: dict[str, Any] = {"records": [len(batch)]}
    for column in release.quasi:
        whole = roster.column(column.name)
        loss, exact = column_loss(whole, column), is_exact(column)
        worthless = lost_values(whole, column) * len(release)
        found[QUASI + column.name] = [loss.sum(), exact.sum(), ((loss >= 1.0) & ~exact).sum(), worthless]
    if isinstance(release.items, GeneralizedItems):
        found |= _item_losses(batch, release)
    elif isinstance(release.items, UncertainItems):
        found["wrong items"] = [er(batch, release) * len(batch)]
    return {name: np.array(sums, np.float64) for name, sums in found.items()}


def _item_losses(batch: Dataset, release: Release) -> dict[str, Any]:
    times, n, shares = standing_times(batch, release), len(batch), record_shares(batch, release)
    sizes = sizes_said(batch, release)
    assert batch.transactions is not None
    every, d = int(times.all.sum()), len(batch.transactions.domain)
    worthless = np.append(release.items.labels.sizes >= d, [True, True]) if d > 1 else sizes == LOST  # type: ignore[union-attr]
    found: dict[str, Any] = {
        "items": [every, ncp_items(batch, release, times=times) * every, times.all[worthless].sum()],
        "linkable items": [times.linkable.sum(), times.linkable[sizes == 1].sum(), times.linkable[sizes == LOST].sum()],
        "ul of records": [sum(shares) * n, shares[0] * n],
        "log2 of ul": [ul_log2(batch, release) + np.log2(max(1, n))],
        "expected": expected_supports(batch, release),
        "sizes": times_by_size(batch, release, times),
    }
    if batch.item_hierarchy is not None:
        steps = levels_up(batch, release) + SPECIAL
        found["levels"] = np.bincount(steps, minlength=batch.item_hierarchy.height + 1 + SPECIAL)
    return found


def both_losses(first: Answer, second: Answer) -> Answer:
    """The sums of both."""
    return {name: _plus(name)(first[name], second[name]) for name in first}


def _plus(name: str) -> "np.ufunc":
    return np.logaddexp2 if name.startswith("log2") else np.add


def measures_of(sums: Answer, coder: Coder) -> dict[str, float]:
    """The measures that are sums, by id."""
    n, found = max(1.0, float(sums["records"][0])), dict[str, float]()
    if columns := [sums[name] / n for name in sums if name.startswith(QUASI)]:
        shares = np.mean(columns, axis=0)
        found |= {"ncp": shares[0], "exact-values": shares[1], "lost-values": shares[2]}
    if "items" in sums:
        every, loss, _ = sums["items"]
        linkable, exact, lost = sums["linkable items"]
        log_ul = float(sums["log2 of ul"][0] - np.log2(n))
        found |= {
            "ncp-items": loss / max(1.0, every),
            "ul": float(np.exp2(log_ul)),
            "ul-log2": log_ul,
            "ul-record": sums["ul of records"][0] / n,
            "ul-record-exact0": sums["ul of records"][1] / n,
            "item-error": frequency_error(coder.supports, sums["expected"]),
            "exact-items": exact / linkable if linkable else 1.0,
            "lost-items": lost / linkable if linkable else 0.0,
        }
    if "wrong items" in sums:
        found["er"] = sums["wrong items"][0] / n
    if WRONG_COUNTS in sums:
        found["qe"] = np.abs(sums[WRONG_COUNTS]).mean() / n
    return {id: float(value) for id, value in found.items()}


def worthless_shares(sums: Answer, coder: Coder) -> dict[str, float]:
    """The share of each attribute that says nothing, as the gates ask for it."""
    found = {name.removeprefix(QUASI): float(sums[name][3] / coder.records) for name in sums if name.startswith(QUASI)}
    if "items" in sums:
        found[coder.roster.item_column] = float(sums["items"][2] / max(1.0, sums["items"][0]))
    return found


def kept_columns(sums: Answer) -> dict[str, KeptValues]:
    """What is left of each quasi column."""
    n = max(1.0, float(sums["records"][0]))
    return {
        name.removeprefix(QUASI): KeptValues(float(sums[name][1] / n), float(sums[name][2] / n))
        for name in sums
        if name.startswith(QUASI)
    }


def one_of(sums: Answer) -> int | None:
    """As one of how many half of the items that are neither exact nor lost are shown, at most."""
    return middle_size(sums["sizes"].astype(np.int64)) if "sizes" in sums else None


def levels_of(sums: Answer) -> tuple[tuple[float, ...], float] | None:
    """The shares of item occurrences so many levels up, and behind no node; None where there is no hierarchy."""
    if "levels" not in sums:
        return None
    shares: NDArray[np.float64] = sums["levels"] / max(1.0, float(sums["levels"].sum()))
    shown = shares[SPECIAL:]
    return tuple(shown[: np.max(np.flatnonzero(shown), initial=0) + 1].tolist()), float(shares[0])
