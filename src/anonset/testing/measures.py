"""Checks of a measure: each takes its id and a dataset that has what it needs, and asserts one sentence."""

import math
from collections.abc import Callable

import numpy as np

from anonset.algorithms.identity import Identity
from anonset.measure import MEASURES, RISKS, measure
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.testing.checks import arrays_of

MeasureCheck = Callable[[str, Dataset], None]


def an_unchanged_release_loses_nothing(id: str, data: Dataset) -> None:
    """Of data that are published as they are a loss is 0, and what is good is 1."""
    if id not in RISKS:
        assert value(id, data, unchanged(data)) == (1.0 if MEASURES[id].more_is_better else 0.0)


def it_is_a_finite_number(id: str, data: Dataset) -> None:
    """The value is a number from which others can be computed."""
    assert math.isfinite(value(id, data, unchanged(data)))


def record_order_does_not_matter(id: str, data: Dataset) -> None:
    """The same published records in another order give the same value."""
    release = unchanged(data)
    backwards = release.take(np.arange(len(release), dtype=np.int64)[::-1].copy())
    assert math.isclose(value(id, data, release), value(id, data, backwards), rel_tol=1e-12, abs_tol=1e-12)


def a_part_of_the_records_can_be_measured(id: str, data: Dataset) -> None:
    """A release that leaves records out is measured too, and is not better than one with all of them."""
    release = unchanged(data)
    half = value(id, data, release.take(np.arange(0, len(release), 2, dtype=np.int64)))
    assert math.isfinite(half)
    assert id in RISKS or (half <= 1.0 if MEASURES[id].more_is_better else half >= 0.0)


def measuring_changes_nothing(id: str, data: Dataset) -> None:
    """No array of the dataset has changed, and measuring again gives the same value."""
    before, release = [array.copy() for array in arrays_of(data)], unchanged(data)
    assert value(id, data, release) == value(id, data, release)
    for old, new in zip(before, arrays_of(data), strict=True):
        np.testing.assert_array_equal(old, new)


def its_meaning_is_told(id: str, data: Dataset) -> None:
    """Reports can say what its values mean."""
    assert len(MEASURES[id].meaning.split()) > 2, "the meaning is too short for a reader"


MEASURE_CHECKS: tuple[MeasureCheck, ...] = (
    an_unchanged_release_loses_nothing,
    it_is_a_finite_number,
    record_order_does_not_matter,
    a_part_of_the_records_can_be_measured,
    measuring_changes_nothing,
    its_meaning_is_told,
)


def unchanged(data: Dataset) -> Release:
    """The data published as they are."""
    return Identity(k=1).anonymize(data)


def value(id: str, data: Dataset, release: Release) -> float:
    """The measure of a release."""
    return measure(data, release, [id])[id]
