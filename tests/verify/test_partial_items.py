"""Items that records have and do not show: counted against the share that is promised."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.errors import ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KmAnonymity, PartialItems
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.release import Provenance, Release
from anonset.verify import verify

DATA = Dataset(transactions=Transactions.from_records(["ab", "ab", "ac"]))


def release(*records, share):
    shown = Transactions.from_records(records, "abc")
    labels = Labels.from_groups([[0], [1], [2]], "abc")
    items = GeneralizedItems(shown.offsets, shown.items, labels, tuple("abc"), np.zeros(0, np.int32))
    promises = (KmAnonymity(2, 2), PartialItems(share))
    return Release((), items, promises, Provenance("by hand"), np.arange(len(records)))


def test_what_is_left_out_within_the_share_is_no_lie():
    verdict = verify(DATA, release("ab", "ab", "a", share=0.2))

    verdict.require()
    assert verdict.findings[1].worst == "1 of 6 items are not shown in their records; at most 20.00% is promised"


def test_more_than_the_share_is_a_breach():
    finding = verify(DATA, release("ab", "ab", "a", share=0.1)).findings[1]

    assert not finding.holds
    assert finding.violations == 1
    assert finding.witnesses == (finding.worst,)


def test_without_the_promise_nothing_may_be_left_out():
    honest = release("ab", "ab", "a", share=1.0)

    assert not verify(DATA, replace(honest, guarantees=(KmAnonymity(2, 2),))).holds


def test_labels_must_be_true_all_the_same():
    assert not verify(DATA, release("ab", "ab", "ab", share=1.0)).holds


def test_sensitive_items_are_never_left_out():
    secret = replace(DATA, sensitive_items=np.array([False, False, True]))

    assert not verify(secret, release("ab", "ab", "a", share=1.0)).holds


def test_a_share_is_a_number_from_0_to_1():
    with pytest.raises(ParameterError, match="share must be a finite number from 0 to 1"):
        PartialItems(1.5)
