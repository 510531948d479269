"""Everything about what a release is still good for, in one value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.errors import InputError
from anonset.measure.columns import KeptValues, kept_values
from anonset.measure.items import ELSEWHERE, exact_items, levels_up, lost_items, middle_size, times_by_size
from anonset.measure.published import standing_times
from anonset.measure.usefulness.counts import SizedError, errors_by_size
from anonset.measure.usefulness.prediction import Prediction, predict
from anonset.measure.usefulness.rules import Mined, mined
from anonset.measure.usefulness.sentences import sentences
from anonset.measure.workload import Estimator
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.runtime.html_cards import bullets, card

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
    columns: Mapping[str, KeptValues] | None = None
    counts: tuple[SizedError, ...] = ()
    mined: Mined | None = None
    prediction: Prediction | None = None
    unit: str = "records"  # what was counted, people or records

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for people."""
        return sentences(self)

    def __repr__(self) -> str:
        return f"<Usefulness of {self.records:,} records: {' '.join(self.sentences[:2])}>"

    def _repr_html_(self) -> str:
        return card("What the release is still good for", bullets(self.sentences))

    def to_json(self) -> dict[str, Any]:
        """The same as plain values, sentences included."""
        mining = None
        if self.mined is not None:
            mining = {
                "support": self.mined.support,
                "confidence": self.mined.confidence,
                "itemsets": self.mined.itemsets._asdict(),
                "rules": self.mined.rules._asdict(),
            }
        return {
            "records": self.records,
            "left_out": self.left_out,
            "estimator": self.estimator,
            "exact": self.exact,
            "lost": self.lost,
            "levels": None if self.levels is None else list(self.levels),
            "elsewhere": self.elsewhere,
            "one_of": self.one_of,
            "columns": {name: kept._asdict() for name, kept in (self.columns or {}).items()},
            "counts": [sized._asdict() for sized in self.counts],
            "mined": mining,
            "prediction": None if self.prediction is None else self.prediction._asdict() | {"kept": self.prediction.kept},
            "sentences": list(self.sentences),
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
) -> Usefulness:
    """What a release is still good for; `column` is predicted (the first sensitive column, if none is named).

    Items behind labels are counted by the estimator: `calibrated` where the release has margins, else `uniform`.
    """
    chosen: Estimator = estimator or ("calibrated" if release.margins is not None else "uniform")
    with_labels = isinstance(release.items, GeneralizedItems) and original.transactions is not None
    times = standing_times(original, release) if with_labels else None
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
        {c.name: kept_values(original, c) for c in release.quasi} if release.quasi else None,
        errors_by_size(original, release, pairs=pairs, estimator=chosen, seed=seed) if with_labels else (),
        mined(original, release, support=support, confidence=confidence, estimator=chosen) if with_labels else None,
        _prediction(original, release, column, seed),
        original.unit,
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
