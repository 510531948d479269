"""Checks of a guarantee: each takes it, a dataset, a release that keeps it and one that breaks it, and asserts one sentence."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, guarantee_data, make_guarantee
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify import verify

GuaranteeCheck = Callable[[Guarantee, Dataset, Release, Release], None]


def holds_where_it_is_kept(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """The verifier finds that a release which keeps it does, and says which place is the worst."""
    finding = found(guarantee, data, keeps)
    assert finding.holds, finding.worst
    assert finding.violations == 0
    assert finding.worst, "the finding does not say what it looked at"


def a_planted_breach_is_found(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """The verifier finds the breach, counts it and spells out a witness."""
    finding = found(guarantee, data, breaks)
    assert not finding.holds, "the breach was not found"
    assert finding.violations > 0
    assert finding.witnesses, "no witness is named"


def nothing_published_is_no_success(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """A release without records does not pass."""
    assert not found(guarantee, data, keeps.take(np.zeros(0, np.int64))).holds, "a release without records passed"


def the_order_of_records_says_nothing(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """The same records in another order give the same verdict."""
    for release in (keeps, breaks):
        backwards = release.take(np.arange(len(release), dtype=np.int64)[::-1].copy())
        assert found(guarantee, data, release).holds == found(guarantee, data, backwards).holds


def the_smallest_support_is_known(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """A guarantee about what attackers know names the smallest support it found: risks are computed from it."""
    if guarantee.covers & {"quasi", "items"}:
        assert found(guarantee, data, keeps).support is not None, "the finding has no support"
        assert guarantee.known_items is None or guarantee.known_items >= 0


def it_is_data_and_words(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """It can be written to a manifest and made again by its id, and explains itself."""
    values = guarantee_data(guarantee)
    assert make_guarantee(values.pop("id"), values) == guarantee
    assert guarantee.words("people").strip().endswith(".")
    assert "people" in guarantee.words("people") or "people" not in guarantee.words("records")


def a_broken_release_is_refused(guarantee: Guarantee, data: Dataset, keeps: Release, breaks: Release) -> None:
    """A release that promises it and breaks it does not pass the verifier."""
    try:
        verify(data, replace(breaks, guarantees=(guarantee,)), truthful=False).require()
    except GuaranteeViolated as error:
        assert str(error)
    else:
        raise AssertionError("a release that breaks its guarantee passed")


GUARANTEE_CHECKS: tuple[GuaranteeCheck, ...] = (
    holds_where_it_is_kept,
    a_planted_breach_is_found,
    nothing_published_is_no_success,
    the_order_of_records_says_nothing,
    the_smallest_support_is_known,
    it_is_data_and_words,
    a_broken_release_is_refused,
)


def found(guarantee: Guarantee, data: Dataset, release: Release) -> Finding:
    """What the verifier finds."""
    return verify(data, release, [guarantee], truthful=False).findings[0]
