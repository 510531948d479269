"""Truthfulness against its definition written out, and one planted lie at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.verify.truthfulness import check_truthful
from oracles import verify as oracle
from release_makers import any_release
from strategies import relational_datasets, rt_datasets


@given(st.data())
def test_cells_agree_with_the_definition(source):
    data = source.draw(relational_datasets(sensitive=True))
    release = source.draw(any_release(data))

    finding = check_truthful(data, release)

    untrue = oracle.untrue_cells(data, release)
    assert (finding.holds, finding.violations) == (not untrue, len(untrue))
    assert all(any(f"record {p} " in w and f"{name}=" in w for p, name in untrue) for w in finding.witnesses)


@given(st.data())
def test_items_agree_with_the_definition(source):
    data = source.draw(rt_datasets(sensitive=True))
    release = source.draw(any_release(data))

    finding = check_truthful(data, release)

    assert finding.violations == oracle.untrue_items(data, release) + len(oracle.untrue_cells(data, release))


@given(st.data())
def test_items_are_judged_alike_whatever_is_looked_at_at_once(source):
    data = source.draw(rt_datasets(sensitive=True))
    release = source.draw(any_release(data))
    alone = check_truthful(data, release)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.verify.truthfulness.SHARED", -1)
        patch.setattr("anonset.threads.THREADS", 3)
        assert check_truthful(data, release) == alone
        patch.setattr("anonset.verify.truthfulness.BLOCK", 1)
        assert check_truthful(data, release) == alone
        patch.setattr("anonset.verify.truthfulness.ROWS", 1)
        assert check_truthful(data, release) == alone


@given(st.data())
def test_uncertain_items_agree_with_the_definition(source):
    data = source.draw(rt_datasets(sensitive=True))
    release = source.draw(any_release(data, uncertain=True))

    finding = check_truthful(data, release)

    assert finding.violations == oracle.untrue_worlds(data, release) + len(oracle.untrue_cells(data, release))
