import pytest

from anonset.errors import GuaranteeViolated
from anonset.model.verdict import Finding, Verdict

HOLDS = Finding("k-anonymity", True, support=5)
BROKEN = Finding("truthful", False, 2, "worst", witnesses=("record 1 shows x",))
UNCHECKED = Finding("km-anonymity", True, worst="too many sets", checked=False)


@pytest.mark.parametrize(
    ("findings", "message"),
    [
        ((HOLDS, BROKEN), r"truthful does not hold \(2 violations\): record 1 shows x"),
        ((Finding("truthful", False, 1, "worst"),), r"truthful does not hold \(1 violation\): worst"),
        ((HOLDS, UNCHECKED), "km-anonymity was not checked: too many sets"),
        ((), "nothing was promised"),
    ],
)
def test_only_what_was_checked_and_holds_passes(findings, message):
    verdict = Verdict(findings)

    assert not verdict.holds
    with pytest.raises(GuaranteeViolated, match=message):
        verdict.require()


def test_a_verdict_that_holds_is_plain_data():
    verdict = Verdict((HOLDS,))

    verdict.require()

    assert verdict.as_json()["holds"] is True
    assert verdict.as_json()["findings"][0]["support"] == 5
    assert Verdict((BROKEN, BROKEN)).violations == 4
