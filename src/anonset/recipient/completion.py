"""Completed tables, in which every label is replaced by a value that is drawn from it; and results of several of them combined.

1. For each table the shares of the values behind each label are drawn anew (Dirichlet, as the standard errors take them), since
   nobody knows them; where there are margins, they are fitted to these again, which are known.
2. Each record gets a value for each label by these shares. A label of items gives one item that the record does not show
   exactly, or several where margins say so. Of an uncertain set any set within its bound is as likely.
3. The results of n tables are combined by Rubin's rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from anonset.errors import ParameterError
from anonset.model.arrays import Reals, Rows
from anonset.recipient.estimates import KNOWN
from anonset.recipient.records import PublishedRecords, ShownDoubts, ShownSets, ShownValues
from anonset.recipient.weights import ItemWeights, overlaps

MOST_SHARES = 1_000  # whole numbers of a range whose shares are drawn; of a wider range every number is as likely


@dataclass(frozen=True, slots=True)
class CombinedEstimate:
    """An estimate from several completed tables.

    Attributes
    ----------
    estimate : float
        The mean of the estimates.
    standard_error : float
        The square root of `within` plus (1 + 1/n) times `between`.
    within, between : float
        The mean of the variances, and the variance of the estimates.
    degrees_of_freedom : float
        Of the t distribution of the estimate; infinite where the tables agree.
    """

    estimate: float
    standard_error: float
    within: float
    between: float
    degrees_of_freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval at a level of confidence, by the t distribution."""
        from scipy.special import stdtrit

        if not 0 < level < 1:
            raise ParameterError(f"level must be between 0 and 1; got {level!r}")
        width = float(stdtrit(min(self.degrees_of_freedom, 1e9), (1 + level) / 2)) * self.standard_error
        return self.estimate - width, self.estimate + width


def combine(estimates: Sequence[float], variances: Sequence[float]) -> CombinedEstimate:
    """Combine what was estimated on several completed tables, by Rubin's rules.

    Parameters
    ----------
    estimates : sequence of float
        The estimate of each table, such as a coefficient or a share.
    variances : sequence of float
        The variance of each estimate, its squared standard error.

    Returns
    -------
    CombinedEstimate
        The mean, with a standard error that includes how much the tables differ.

    Raises
    ------
    ParameterError
        If there are fewer than two, or not as many variances as estimates.

    References
    ----------
    D. B. Rubin: Multiple Imputation for Nonresponse in Surveys. Wiley, 1987, section 3.1.

    Examples
    --------
    >>> import anonset
    >>> found = anonset.combine([0.20, 0.24, 0.22], [0.01, 0.01, 0.01])
    >>> round(found.estimate, 2), round(found.standard_error, 4)
    (0.22, 0.1026)
    """
    n = len(estimates)
    if n < 2 or len(variances) != n:
        raise ParameterError(f"at least two estimates with a variance each are expected; got {n} and {len(variances)}")
    if min(variances) < 0:
        raise ParameterError(f"a variance must not be negative; got {min(variances)}")
    within, between = float(np.mean(variances)), float(np.var(estimates, ddof=1))
    added = (1 + 1 / n) * between
    freedom = float("inf") if added == 0 else (n - 1) * (1 + within / added) ** 2
    return CombinedEstimate(float(np.mean(estimates)), float(np.sqrt(within + added)), within, between, freedom)


def completed(records: PublishedRecords, weights: ItemWeights, rng: Generator) -> pl.DataFrame:
    """A table without labels: of every record a value for each column, and a list of items."""
    known = KNOWN[weights.estimator]
    drawn: dict[str, Reals] = {}  # the shares of a label are the same in all parts
    if weights.estimator == "calibrated" and not records.uncertain:
        first = {text: _shares(f"items:{text}", mean, known, drawn, rng) for text, mean in weights.chances.items()}
        drawn |= {f"items:{text}": shares for text, shares in weights.refitted(first).items()}
    frames = []
    for batch in records.batches(list(records.guides), items=records.item_guide is not None):
        frame: dict[str, pl.Series] = {}
        for name, values in batch.columns.items():
            frame[name] = _drawn_values(values, name, records.is_whole(name), known, drawn, rng)
        if isinstance(batch.items, ShownDoubts):
            frame[str(records.fields.items)] = _drawn_sets(batch.items, rng)
        elif batch.items is not None:
            frame[str(records.fields.items)] = _drawn_items(records, weights, batch.items, drawn, rng)
        frames.append(pl.DataFrame(frame))
    return pl.concat(frames)


def _shares(key: str, mean: Reals, known: float, drawn: dict[str, Reals], rng: Generator) -> Reals:
    """The shares of the values behind a label, drawn once for a table."""
    if key not in drawn:
        total = mean.sum()
        some = rng.gamma(np.maximum(known * len(mean) * mean / total, 1e-9))
        drawn[key] = some / some.sum() * total if some.sum() > 0 else mean
    return drawn[key]


def _drawn_values(
    values: ShownValues, name: str, whole: bool, known: float, drawn: dict[str, Reals], rng: Generator
) -> pl.Series:
    codes, texts = values.codes, values.texts
    if values.are_ranges:
        found = np.append(values.low, np.nan)[codes]
        for a in np.flatnonzero(values.high > values.low).tolist():
            places, low, high = np.flatnonzero(codes == a), float(values.low[a]), float(values.high[a])
            if whole and high - low < MOST_SHARES:
                numbers = np.arange(low, high + 1)
                shares = _shares(f"{name}:{texts[a]}", np.full(len(numbers), 1 / len(numbers)), known, drawn, rng)
                found[places] = rng.choice(numbers, len(places), p=shares)
            else:
                some = rng.uniform(low, high, len(places))
                found[places] = np.round(some) if whole else some
        kind: Any = pl.Int64 if whole else pl.Float64
        return pl.Series(found).fill_nan(None).cast(kind)
    flat = [value for members in values.members for value in members]
    first = np.cumsum([0, *map(len, values.members)])
    at = np.append(first[:-1], len(flat))[codes]
    for a, members in enumerate(values.members):
        if len(members) > 1:
            places = np.flatnonzero(codes == a)
            shares = _shares(f"{name}:{texts[a]}", np.full(len(members), 1 / len(members)), known, drawn, rng)
            at[places] = first[a] + rng.choice(len(members), len(places), p=shares)
    kind = pl.Float64 if any(isinstance(value, float) for value in flat) else pl.String
    return pl.Series([*flat, None], dtype=kind).gather(at)


def _drawn_items(
    records: PublishedRecords, weights: ItemWeights, sets: ShownSets, drawn: dict[str, Reals], rng: Generator
) -> pl.Series:
    """Lists of items: the exact ones, and what is drawn for each other label."""
    members = [records.members_of(text) for text in sets.texts]
    sizes = np.array([len(some) for some in members], np.int64)
    wide = np.flatnonzero(sizes > 1)
    which, place, entries = overlaps(records, sets, wide)
    single = np.flatnonzero((sizes == 1)[sets.codes])
    owners = sets.owners
    names = [name for some in members for name in some]
    first = np.concatenate([[0], np.cumsum(sizes)])
    rows, found = [owners[single]], [first[sets.codes[single]]]
    codes = sets.codes[entries]
    starts = np.searchsorted(which, np.arange(len(entries) + 1))
    order = np.argsort(codes, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else ():
        a = int(codes[some[0]])
        shares = _shares(f"items:{sets.texts[a]}", weights.of_label(sets.texts[a]), KNOWN[weights.estimator], drawn, rng)
        chance = np.tile(shares, (len(some), 1))
        for row, entry in enumerate(some.tolist()):
            chance[row, place[starts[entry] : starts[entry + 1]]] = 0.0
        which_row, item = picked(chance, float(shares.sum()), rng)
        rows.append(owners[entries[some[which_row]]])
        found.append(first[a] + item)
    frame = pl.DataFrame(
        {"record": np.concatenate(rows), "item": pl.Series(names, dtype=pl.String).gather(np.concatenate(found))}
    )
    lists = frame.unique().sort("record", "item").group_by("record", maintain_order=True).agg("item")
    every = pl.DataFrame({"record": np.arange(len(sets.offsets) - 1)})
    empty = pl.Series([[]], dtype=pl.List(pl.String))
    return every.join(lists, on="record", how="left", maintain_order="left")["item"].fill_null(empty)


def picked(chance: Reals, total: float, rng: Generator) -> tuple[Rows, Rows]:
    """Which items are drawn of which rows: one each, or one and more by their own chances where more are expected."""
    if total > 1.0 + 1e-6 and len(chance):
        thinned = chance * _thinning(chance)[:, None]
        some = 1.0 - np.cumprod(1.0 - thinned, axis=1)  # the chance that one of the items up to here is there
        first = (some <= (rng.random(len(chance)) * some[:, -1])[:, None]).sum(axis=1)
        hit = (rng.random(chance.shape) < thinned) & (np.arange(chance.shape[1]) > first[:, None])
        there = np.flatnonzero(some[:, -1] > 0)
        hit[there, np.minimum(first[there], chance.shape[1] - 1)] = True
        row, item = np.nonzero(hit)
        return row, item
    ends = chance.cumsum(axis=1)
    there = np.flatnonzero(ends[:, -1] > 0) if chance.shape[1] else np.zeros(0, np.int64)
    at = rng.random(len(there)) * ends[there, -1]
    return there, np.minimum((ends[there] <= at[:, None]).sum(axis=1), chance.shape[1] - 1)


def _thinning(chance: Reals) -> Reals:
    """For each row the factor with which the chances of items become what they are again, given that at least one is there."""
    _, kinds, kind = np.unique(chance.sum(axis=1).round(9), return_index=True, return_inverse=True)
    low, high = np.full(len(kinds), 1e-6), np.ones(len(kinds))
    for _ in range(30):
        middle = (low + high) / 2
        above = 1.0 - np.prod(1.0 - chance[kinds] * middle[:, None], axis=1) > middle
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found: Reals = low[kind.ravel()]
    return found


def _drawn_sets(items: ShownDoubts, rng: Generator) -> pl.Series:
    """A set within the bound of each record."""
    from math import comb

    found = []
    base, doubt = items.base, items.uncertain
    for r, bound in enumerate(items.errors.tolist()):
        mine = {base.texts[c] for c in base.codes[base.offsets[r] : base.offsets[r + 1]].tolist()}
        may = [doubt.texts[c] for c in doubt.codes[doubt.offsets[r] : doubt.offsets[r + 1]].tolist()]
        ways = np.array([comb(len(may), wrong) for wrong in range(min(bound, len(may)) + 1)], np.float64)
        wrong = int(rng.choice(len(ways), p=ways / ways.sum()))
        flipped = {may[i] for i in rng.choice(len(may), wrong, replace=False).tolist()} if wrong else set()
        found.append(sorted(mine ^ flipped))
    return pl.Series(found, dtype=pl.List(pl.String))
