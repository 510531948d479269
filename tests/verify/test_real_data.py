"""The whole of BMS-WebView-1 and 2, published as they are: counts agree with a plain count, and one breach is found."""

from collections import Counter
from itertools import combinations

import pytest

from anonset.algorithms.identity import Identity
from anonset.data import read
from anonset.model.guarantees import CompleteK, KmAnonymity
from anonset.verify import verify

pytestmark = pytest.mark.data


def test_pairs_of_bms_webview_1(real_data):
    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")
    counts = Counter()
    for record in data.transactions.records():
        for size in (1, 2):
            counts.update(combinations(sorted(record), size))

    finding = verify(data, Identity(1, 1).anonymize(data), [KmAnonymity(5, 2)], truthful=False).findings[0]

    assert finding.violations == sum(n < 5 for n in counts.values())
    assert finding.support == min(counts.values())


def test_triples_and_whole_records_of_bms_webview_2(real_data):
    data = read(real_data / "transactions" / "bms_webview_2.dat.gz")
    release = Identity(1, 1).anonymize(data)

    verify(data, release, [KmAnonymity(1, 3), CompleteK(1)]).require()
    assert not verify(data, release, [KmAnonymity(2, 3)], truthful=False).holds
