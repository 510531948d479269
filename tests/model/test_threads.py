import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.model import threads
from anonset.model.threads import ahead, even_shares, shares, side_by_side


@given(st.integers(0, 100), st.integers(0, 30), st.integers(1, 5))
def test_shares_cover_all_numbers_once_and_are_not_too_small(n, least, cores):
    usual, threads.THREADS = threads.THREADS, cores
    try:
        found = shares(n, least)
    finally:
        threads.THREADS = usual

    assert [x for first, last in found for x in range(first, last)] == list(range(n))
    assert len(found) == 1 or min(last - first for first, last in found) >= least
    assert len(found) <= cores


def test_results_come_in_the_order_of_the_jobs_and_errors_come_through(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 3)

    assert side_by_side(lambda x: x * x, range(20)) == [x * x for x in range(20)]
    try:
        side_by_side(lambda x: 1 // x, [1, 0, 2])
    except ZeroDivisionError:
        return
    raise AssertionError("the error was swallowed")


@pytest.mark.parametrize("cores", [1, 3])
def test_what_is_made_ahead_comes_in_order_and_no_more_than_asked_for_is_held(monkeypatch, cores):
    monkeypatch.setattr(threads, "THREADS", cores)
    begun = []

    def work(x):
        begun.append(x)
        return x * x

    found = ahead(work, iter(range(50)))

    assert next(found) == 0
    assert len(begun) <= cores + 1
    assert list(found) == [x * x for x in range(1, 50)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 8))
def test_even_shares_cover_all_jobs_once_and_are_about_as_long(work, parts):
    ends = np.cumsum(work)

    found = even_shares(ends, parts)

    assert [j for first, last in found for j in range(first, last)] == list(range(len(work)))
    assert len(found) <= parts
    assert max(sum(work[first:last]) for first, last in found) <= sum(work) / min(parts, len(work)) + 10
