"""pcta and coat on the paper's click-streams: the guarantee holds, and losses stay what they are."""

import pytest

from anonset.algorithms.constraints.coat import Coat
from anonset.algorithms.constraints.pcta import Pcta
from anonset.data import read
from anonset.measure.ncp_items import ncp_items
from anonset.measure.ul import ul_log2
from anonset.model.policy import WholeTransactions
from anonset.verify import verify

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("algorithm", "loss", "share"),
    [
        (Pcta(5), -487.55, 0.00920),
        (Pcta(5, refine=True), -487.60, 0.00845),
        (Coat(5), -443.35, 0.00540),
        (Pcta(5, privacy=WholeTransactions()), -441.08, 0.07292),
    ],
    ids=["pcta", "pcta refined", "coat", "whole transactions"],
)
def test_bms_webview_1(real_data, algorithm, loss, share):
    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")

    release = algorithm.anonymize(data)

    verify(data, release).require()
    assert ul_log2(data, release) == pytest.approx(loss, abs=0.006)
    assert ncp_items(data, release) == pytest.approx(share, abs=6e-6)
