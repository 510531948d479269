"""Every check against its definition written out, on releases of all kinds, most of them bad."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.guarantees import CompleteK, Constraints, KAnonymity, KKm, KLm, KmAnonymity, UtilityConstraints
from anonset.verify import CHECKS
from oracles import verify as oracle
from release_makers import any_release
from strategies import rt_datasets

LETTERS = "abcdefgz"
small = st.integers(1, 4)
itemsets = st.lists(st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map(lambda s: tuple(sorted(s))), max_size=5)
GUARANTEES = {
    "k-anonymity": (oracle.k_anonymity, st.builds(KAnonymity, small)),
    "km-anonymity": (oracle.km_anonymity, st.builds(KmAnonymity, small, small)),
    "complete-k": (oracle.complete_k, st.builds(CompleteK, small)),
    "constraints": (oracle.constraints, st.builds(Constraints, small, itemsets.map(tuple))),
    "k-km": (oracle.k_km, st.builds(KKm, small, small)),
    "k-lm": (oracle.k_lm, st.builds(KLm, small, small, small, st.sets(st.sampled_from(LETTERS)).map(tuple))),
    "utility-constraints": (
        oracle.utility_constraints,
        st.builds(UtilityConstraints, st.just((("a", "b"), ("c", "d", "e"), ("f",))), st.sampled_from([0.0, 0.2, 0.5, 1.0])),
    ),
}


@pytest.mark.parametrize("id", GUARANTEES)
@given(source=st.data())
def test_check_agrees_with_the_definition(id, source):
    expected, guarantees = GUARANTEES[id]
    data = source.draw(rt_datasets(sensitive=id != "k-lm", max_records=8))
    release, guarantee = source.draw(any_release(data)), source.draw(guarantees)
    if getattr(guarantee, "k", 1) > len(release):
        assert not CHECKS[type(guarantee)](data, release, guarantee).holds
        return

    finding = CHECKS[type(guarantee)](data, release, guarantee)

    assert (finding.holds, finding.violations, finding.support) == expected(data, release, guarantee)
    assert finding.checked
    assert len(finding.witnesses) == min(5, finding.violations)
    assert finding.guarantee == id
