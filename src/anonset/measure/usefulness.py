"""What a release is still good for: counts, association rules, prediction; in one frozen value, as JSON and in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from anonset.errors import InputError
from anonset.measure.bounds import exact_bound
from anonset.measure.coded_release import label_counts, members_in_original
from anonset.measure.information_loss import (
    ELSEWHERE,
    Itemset,
    ValueShares,
    exact_items,
    frequent_after,
    frequent_before,
    levels_up,
    lost_items,
    middle_size,
    times_by_size,
    value_shares,
)
from anonset.measure.workload import Estimator, LabelIndex, Query, QueryCounts, Workload, count_queries, held_queries
from anonset.model.arrays import Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.sets import places_in, rows_of
from anonset.notebook import bullets, card

if TYPE_CHECKING:
    pass


Shares = sparse.csr_array  # (records, values): how much of a record's value is each value; a row of 0 where nothing is known


def exact_column(column: Column) -> Shares:
    """The values of an original column."""
    known = np.flatnonzero(column.codes >= 0)
    return sparse.csr_array((np.ones(len(known)), (known, column.codes[known])), (len(column), len(column.domain)))


def published_column(original: Column, published: PublishedColumn) -> Shares:
    """The values of a published column: a label of n values counts 1/n for each; "anything" and missing say nothing."""
    labels, d = published.labels, len(original.domain)
    if isinstance(labels, Ranges):
        assert original.values is not None
        inside = (original.values >= labels.low[:, None]) & (original.values <= labels.high[:, None])
        stands = sparse.csr_array(inside.astype(np.float64))
    else:
        stands = sparse.csr_array((np.ones(len(labels.members)), labels.members, labels.offsets), (len(labels), d))
    sizes: Reals = np.asarray(stands.sum(axis=1), np.float64).ravel()
    weight = np.where((sizes > 0) & ((sizes < d) | (sizes == 1)), 1.0 / np.maximum(sizes, 1), 0.0)
    known = np.flatnonzero(published.codes >= 0)
    shown = sparse.csr_array((weight[published.codes[known]], (known, published.codes[known])), (len(published), len(labels)))
    return sparse.csr_array(shown @ stands)


def exact_item_sets(original: Dataset) -> Shares:
    """The linkable items of the original."""
    t = original.linkable
    return sparse.csr_array((np.ones(len(t.items)), t.items, t.offsets), (len(t), len(t.domain)))


def published_item_sets(original: Dataset, release: Release) -> Shares:
    """The items of a release: a label counts 1 / free items for each of its items, at most 1 together; base sets as shown."""
    assert original.transactions is not None
    assert release.items is not None
    t, items = original.transactions, release.items
    if not isinstance(items, GeneralizedItems):
        place = places_in(t.domain, items.domain)[items.base]
        record = rows_of(items.base_offsets)
        known = place >= 0
        return sparse.csr_array((np.ones(int(known.sum())), (record[known], place[known])), (len(items), len(t.domain)))
    index, sizes = LabelIndex(t, items), items.labels.sizes
    free = np.empty(len(items.shown))
    free[index.entry] = index.free()
    small = sizes[items.shown] < max(2, len(t.domain))  # "any item" says nothing
    weight = np.where(small & (free > 0), 1.0 / np.maximum(free, 1), 0.0)
    shown = sparse.csr_array((weight, items.shown, items.offsets), (len(items), len(sizes)))
    members = members_in_original(original, items)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    stands = sparse.csr_array(
        (np.ones(int((members >= 0).sum())), (owner[members >= 0], members[members >= 0])), (len(sizes), len(t.domain))
    )
    spread = sparse.csr_array(shown @ stands)
    spread.data = np.minimum(spread.data, 1.0)
    return spread


BOUNDS = (1, 10, 30, 100, 300, 1000)


class SizedError(NamedTuple):
    """Of the counts of `low` people or more (below `high`, if any): how many were asked for, and how far off they are.

    `error` is the mean of |estimate - actual| / actual, `median` its median.
    """

    low: int
    high: int | None
    counts: int
    error: float
    median: float


def errors_by_size(
    original: Dataset, release: Release, *, pairs: int = 1000, estimator: Estimator = "uniform", seed: int = 0
) -> tuple[SizedError, ...]:
    """The errors of counts of every single item and of random pairs that somebody holds, in bins of the true count."""
    workload = single_and_pair_counts(original, pairs, seed)
    return sized_errors(count_queries(original, release, workload, estimator=estimator))


def sized_errors(counts: QueryCounts) -> tuple[SizedError, ...]:
    """The errors of counts, in bins of the true count."""
    errors, found = counts.relative_errors(), []
    for low, high in zip(BOUNDS, (*BOUNDS[1:], None), strict=True):
        inside = errors[(counts.actual >= low) & (counts.actual < (np.inf if high is None else high))]
        if len(inside):
            found.append(SizedError(low, high, len(inside), float(inside.mean()), float(np.median(inside))))
    return tuple(found)


def single_and_pair_counts(original: Dataset, pairs: int, seed: int, supports: Rows | None = None) -> Workload:
    """A query for each linkable item that occurs, and for pairs that a random record holds, each once.

    `supports` are those of more records than the given ones, where these were drawn from them.
    """
    t = original.linkable
    singles = [Query(items=(t.domain[i],)) for i in np.flatnonzero(t.supports if supports is None else supports)]
    if pairs == 0 or t.lengths.max(initial=0) < 2:
        return Workload(tuple(singles))
    drawn = {query.items: query for query in held_queries(original, pairs, items=2, seed=seed).queries}
    return Workload((*singles, *drawn.values()))


SMOOTHING = 1.0
TEST_SHARE = 0.3


class Prediction(NamedTuple):
    """The accuracy of predictions of a column for persons that are not in the training data.

    `trained_on_release` is to be compared with `trained_on_original` and with `commonest`, which always predicts the commonest
    value.
    """

    column: str
    values: int
    tested: int
    trained_on_release: float
    trained_on_original: float
    commonest: float

    @property
    def kept(self) -> float:
        """Of what training on the original gains over the commonest value, the share that training on the release gains."""
        gain = self.trained_on_original - self.commonest
        return (self.trained_on_release - self.commonest) / gain if gain > 0 else 1.0


class Model(NamedTuple):
    """Log chances: of each value; of each feature value under it; of each item under it, present over absent, and of none."""

    prior: Reals
    columns: tuple[Reals, ...]
    items: Reals
    no_items: Reals


def predict(original: Dataset, release: Release, column: str, *, seed: int = 0, test_share: float = TEST_SHARE) -> Prediction:
    """Train on the release without some persons, predict the column of those persons from their original records.

    Sensitive and other columns are published as they are; a quasi column to predict is learnt from its generalized values.
    """
    target = original.column(column)
    published = {c.name: c for c in release.columns}
    if column not in published:
        raise InputError(f"the release does not publish the column {column!r}, so nothing can be learnt of it")
    tested = np.random.default_rng(seed).random(len(original)) < test_share
    known = target.codes >= 0
    test, train = np.flatnonzero(tested & known), np.flatnonzero(~tested & known)
    if len(test) == 0 or len(train) == 0:
        raise InputError(f"there are too few records with a value of {column!r} to train on some and to test on others")
    names = [c.name for c in original.quasi if c.name != column and c.name in published]
    with_items = original.transactions is not None and release.items is not None
    before = _features(
        [exact_column(original.column(name)) for name in names], exact_item_sets(original) if with_items else None
    )
    after = _features(
        [published_column(original.column(name), published[name]) for name in names],
        published_item_sets(original, release) if with_items else None,
    )
    kept = np.flatnonzero(~tested[release.rows])
    models = (
        train_model(published_column(target, published[column]), after, kept),
        train_model(exact_column(target), before, train),
    )
    after_training, before_training = (float((choose(model, before, test) == target.codes[test]).mean()) for model in models)
    commonest = np.bincount(target.codes[train], minlength=len(target.domain)).argmax()
    by_commonest = float((target.codes[test] == commonest).mean())
    return Prediction(column, len(target.domain), len(test), after_training, before_training, by_commonest)


class _Features(NamedTuple):
    columns: tuple[Shares, ...]
    items: Shares | None


def _features(columns: Sequence[Shares], items: Shares | None) -> _Features:
    return _Features(tuple(columns), items)


def train_model(target: Shares, features: _Features, rows: Rows) -> Model:
    """Naive Bayes from soft counts; a value to predict that is spread over several counts for each of them in part."""
    y = target[rows]
    weight = np.asarray(y.sum(axis=0)).ravel()
    columns = []
    for column in features.columns:
        counts = (y.T @ column[rows]).toarray() + SMOOTHING
        columns.append(np.log(counts / counts.sum(axis=1, keepdims=True)))
    items, no_items = np.zeros((len(weight), 0)), np.zeros(len(weight))
    if features.items is not None:
        counts = (y.T @ features.items[rows]).toarray()
        chance = (counts + SMOOTHING) / (weight[:, None] + 2 * SMOOTHING)
        chance = np.minimum(chance, 1.0 - 1e-9)
        items, no_items = np.log(chance) - np.log1p(-chance), np.log1p(-chance).sum(axis=1)
    prior = np.log((weight + SMOOTHING) / (weight + SMOOTHING).sum())
    return Model(prior, tuple(columns), items, no_items)


def choose(model: Model, features: _Features, rows: Rows) -> Rows:
    """The likeliest value for each of the rows; a missing feature says nothing."""
    score = np.tile(model.prior + model.no_items, (len(rows), 1))
    for column, chances in zip(features.columns, model.columns, strict=True):
        score += column[rows] @ chances.T
    if features.items is not None:
        score += features.items[rows] @ model.items.T
    chosen: Rows = score.argmax(axis=1).astype(np.int64)
    return chosen


SUPPORTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
Rule = tuple[Itemset, str]
T = TypeVar("T")


class Survival(NamedTuple):
    """Of what is found in the release, the share that is in the original (precision); of what is in the original, the share
    that is still found (recall); how many there are in the original, and how many are found."""

    precision: float
    recall: float
    number: int
    found: int


class Mined(NamedTuple):
    """Frequent itemsets and rules at a support and a confidence, before and after."""

    support: float
    confidence: float
    itemsets: Survival
    rules: Survival


def mined(
    original: Dataset,
    release: Release,
    *,
    support: float | None = None,
    confidence: float = 0.5,
    longest: int = 3,
    estimator: Estimator = "uniform",
) -> Mined | None:
    """Compare the results of mining the release with those of mining the original.

    Without a support, the first of 1, 2, 5, 10, 20 and 50 % at which the itemsets can be listed; None where there is none.
    """
    for share in SUPPORTS if support is None else (support,):
        try:
            least = max(1.0, share * len(original))
            before = frequent_before(original, least, longest)
            after = frequent_after(original, release, least, longest, estimator)
        except InputError:
            if support is not None:
                raise
            continue
        found = rules(before, confidence), rules(after, confidence)
        return Mined(share, confidence, survival(set(before), set(after)), survival(*found))
    return None


def rules(supports: Mapping[Itemset, float], confidence: float) -> set[Rule]:
    """The rules {others} -> item of the itemsets that hold in at least that share of the records with the others."""
    return {
        (others, item)
        for items, n in supports.items()
        if len(items) > 1
        for p, item in enumerate(items)
        if (others := (*items[:p], *items[p + 1 :])) in supports and n >= confidence * supports[others]
    }


def survival(before: set[T], after: set[T]) -> Survival:
    """How much of what there was is still there, and how much of what is there was."""
    both = len(before & after)
    return Survival(both / len(after) if after else 1.0, both / len(before) if before else 1.0, len(before), len(after))


RIGHT = 0.1  # counts off by at most so much on average are called reliable


def sentences(found: "Usefulness") -> tuple[str, ...]:
    """A few sentences, the most important first."""
    return (*_items(found), *_columns(found), *_counts(found), *_mined(found), *_predicted(found))


def percent(share: float) -> str:
    """A share as people read it: 0 % and 100 % only where it is so."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def _items(found: "Usefulness") -> Iterator[str]:
    if found.exact is None or found.lost is None:
        return
    several = f"; half of the others are shown as one of {found.one_of:,} or fewer" if found.one_of is not None else ""
    yield f"{percent(found.exact)} of the {found.items} are exact, {percent(found.lost)} are lost{several}."
    if found.bound is not None and found.bound < 1:
        alike = " whose columns lose as much" if found.columns else ""
        yield f"No release with this promise{alike} can have more than {percent(found.bound)} of the {found.items} exact."
    if found.levels is not None and len(found.levels) > 1:
        steps = [(s, share) for s, share in enumerate(found.levels) if s > 0 and share > 0]
        if steps:
            spelled = ", ".join(f"{percent(share)} {s} {'level' if s == 1 else 'levels'} up" for s, share in steps)
            yield f"Of the {found.items}, {spelled} in the hierarchy."


def _columns(found: "Usefulness") -> Iterator[str]:
    for name, kept in (found.columns or {}).items():
        yield f"{name}: {percent(kept.exact)} of the values are exact, {percent(kept.lost)} say nothing any more."
    if found.left_out:
        yield f"{found.left_out:,} of {found.records:,} records are left out."


def _counts(found: "Usefulness") -> Iterator[str]:
    """Reliable from which size on, and how wrong below."""
    if not found.counts:
        return
    reliable = list(takewhile(lambda sized: sized.error <= RIGHT, reversed(found.counts)))
    if reliable:
        worst = max(sized.error for sized in reliable)
        off = f"off by at most {percent(worst)} on average" if worst else "exact"
        yield f"Counts of {reliable[-1].low:,} or more {found.unit} are {off}."
    else:
        largest = found.counts[-1]
        yield f"Counts of {largest.low:,} or more {found.unit} are off by {percent(largest.error)} on average."
    small = found.counts[0]
    if small.high is not None and small.error > RIGHT:
        yield (
            f"Counts of fewer than {small.high:,} {found.unit} are off by {percent(small.error)} on average: "
            f"few {found.unit} are not meant to be countable."
        )


def _mined(found: "Usefulness") -> Iterator[str]:
    if found.mined is None:
        return
    share, confidence = percent(found.mined.support), percent(found.mined.confidence)
    kinds = (
        (found.mined.itemsets, f"combinations that {share} of the {found.unit} have"),
        (found.mined.rules, f"rules among them that hold for {confidence} of the {found.unit} concerned"),
    )
    for kind, what in kinds:
        if kind.number:
            right = f"; what is found ({kind.found:,}) is right in {percent(kind.precision)}" if kind.found else ""
            yield f"Of the {kind.number:,} {what}, {percent(kind.recall)} are still found{right}."


def _predicted(found: "Usefulness") -> Iterator[str]:
    if found.prediction is None:
        return
    p = found.prediction
    yield (
        f"A simple model trained on the release predicts {p.column} right for {percent(p.trained_on_release)} of the "
        f"{found.unit}; trained on the original for {percent(p.trained_on_original)}, by the commonest value for "
        f"{percent(p.commonest)}."
    )


MOST_VALUES = 100  # of a sensitive column that is predicted without being named


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What is left of items, values, counts, itemsets, rules and predictions; None where a release has no such part.

    `levels[s]` is the share of item occurrences shown s levels up in the hierarchy (0: exact); behind sets that are no node
    of it is `elsewhere`. Half of those that are neither exact nor lost are shown as one of `one_of` items or fewer.
    `estimator` is how items behind labels were counted.
    """

    items: str
    records: int
    left_out: int
    estimator: Estimator
    exact: float | None = None
    lost: float | None = None
    levels: tuple[float, ...] | None = None
    elsewhere: float | None = None
    one_of: int | None = None
    columns: Mapping[str, ValueShares] | None = None
    counts: tuple[SizedError, ...] = ()
    mined: Mined | None = None
    prediction: Prediction | None = None
    unit: str = "records"  # what was counted, people or records
    bound: float | None = None  # of `exact`, for any release with the same promise

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for people."""
        return sentences(self)

    def __repr__(self) -> str:
        return f"<Usefulness of {self.records:,} records: {' '.join(self.sentences[:2])}>"

    def _repr_html_(self) -> str:
        return card("What the release is still good for", bullets(self.sentences))

    def as_json(self) -> dict[str, Any]:
        """Its figures, sentences included."""
        return {
            "records": self.records,
            "left_out": self.left_out,
            "estimator": self.estimator,
            "exact": self.exact,
            "bound": self.bound,
            "lost": self.lost,
            "levels": self.levels,
            "elsewhere": self.elsewhere,
            "one_of": self.one_of,
            "columns": self.columns or {},
            "counts": self.counts,
            "mined": self.mined,
            "prediction": None if self.prediction is None else self.prediction._asdict() | {"kept": self.prediction.kept},
            "sentences": self.sentences,
        }


def usefulness(
    original: Dataset,
    release: Release,
    *,
    column: str | None = None,
    estimator: Estimator | None = None,
    support: float | None = None,
    confidence: float = 0.5,
    pairs: int = 1000,
    seed: int = 0,
    bound: float | None = None,
) -> Usefulness:
    """What a release is still good for; `column` is predicted (the first sensitive column, if none is named).

    `bound`: the measure `exact-bound`, where it is known already.
    Items behind labels are counted by the estimator: `calibrated` where the release has margins, else `uniform`.
    """
    chosen: Estimator = estimator or ("calibrated" if release.margins is not None else "uniform")
    with_labels = isinstance(release.items, GeneralizedItems) and original.transactions is not None
    times = label_counts(original, release) if with_labels else None
    with_levels = with_labels and original.item_hierarchy is not None
    levels, elsewhere = _levels(levels_up(original, release)) if with_levels else (None, None)
    return Usefulness(
        original.item_column,
        len(original),
        len(original) - len(release),
        chosen,
        exact_items(original, release, times=times) if with_labels else None,
        lost_items(original, release, times=times) if with_labels else None,
        levels,
        elsewhere,
        middle_size(times_by_size(original, release, times)) if times is not None else None,
        {c.name: value_shares(original, c) for c in release.quasi} if release.quasi else None,
        errors_by_size(original, release, pairs=pairs, estimator=chosen, seed=seed) if with_labels else (),
        mined(original, release, support=support, confidence=confidence, estimator=chosen) if with_labels else None,
        _prediction(original, release, column, seed),
        original.unit,
        exact_bound(original, release) if with_labels and bound is None else bound,
    )


def _levels(steps: Rows) -> tuple[tuple[float, ...], float]:
    n = max(1, len(steps))
    shares = np.bincount(steps[steps >= 0], minlength=1) / n
    return tuple(shares.tolist()), float((steps == ELSEWHERE).sum() / n)


def _prediction(original: Dataset, release: Release, column: str | None, seed: int) -> Prediction | None:
    """The prediction of the named column, or of the first sensitive one that can be predicted."""
    if column is not None:
        return predict(original, release, column, seed=seed)
    shown = {c.name for c in release.columns}
    for sensitive in original.with_role("sensitive"):
        if sensitive.name in shown and 2 <= len(sensitive.domain) <= MOST_VALUES:
            try:
                return predict(original, release, sensitive.name, seed=seed)
            except InputError:
                continue
    return None
