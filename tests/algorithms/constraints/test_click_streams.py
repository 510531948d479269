"""pcta and coat on the paper's click-streams: the guarantee holds, and losses stay what they are."""

import pytest

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.data import read
from anonset.measure.information_loss import ncp_items, ul_log2
from anonset.model.policy import WholeTransactions, utility_set
from anonset.verify import verify

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("algorithm", "loss", "share"),
    [
        (Pcta(5), -487.55, 0.00920),
        (Pcta(5, refine=True), -487.60, 0.00845),
        (Coat(5, pick="rarest"), -443.35, 0.00540),
        (Pcta(5, privacy=WholeTransactions()), -441.08, 0.07292),
    ],
    ids=["pcta", "pcta refined", "coat of the rarest", "whole transactions"],
)
def test_bms_webview_1(real_data, algorithm, loss, share):
    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")

    release = algorithm.anonymize(data)

    verify(data, release).require()
    assert ul_log2(data, release) == pytest.approx(loss, abs=0.006)
    assert ncp_items(data, release) == pytest.approx(share, abs=6e-6)


@pytest.mark.parametrize("pick", ["commonest", "rarest", "first"])
@pytest.mark.parametrize(("requirement", "gone"), [("UR1", 72), ("UR2", 0)])
def test_upcta_and_coat_suppress_the_same_share(real_data, requirement, gone, pick):
    """[003] 5.3: under UR1 a small percentage, the same for both."""
    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")
    utility = utility_set(data, requirement, suppression=0.15)

    for algorithm in (Upcta(5, utility=utility), Coat(5, utility=utility, pick=pick)):
        assert len(algorithm.anonymize(data).items.suppressed) == gone


@pytest.mark.parametrize("k", [2, 5])
def test_with_the_commonest_item_first_coat_loses_more_than_pcta(real_data, k):
    """[003] 5.2.1: the order of UL and NCP, which the rarest item first turns round for NCP."""
    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")
    ours, theirs = Pcta(k).anonymize(data), Coat(k, pick="commonest").anonymize(data)

    assert ul_log2(data, ours) < ul_log2(data, theirs)
    assert ncp_items(data, ours) < ncp_items(data, theirs)
