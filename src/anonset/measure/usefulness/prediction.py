"""Whether a model trained on the release predicts on the original: naive Bayes over columns and items."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonset.errors import InputError
from anonset.measure.usefulness.spreading import (
    Shares,
    exact_column,
    exact_item_sets,
    published_column,
    published_item_sets,
)
from anonset.model.arrays import Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release

SMOOTHING = 1.0
TEST_SHARE = 0.3


class Prediction(NamedTuple):
    """The shares of right predictions of a column for persons nobody trained on.

    `trained_on_release` beside `trained_on_original` and `commonest`, which always says the commonest value.
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
