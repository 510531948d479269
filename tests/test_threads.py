import multiprocessing
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset import threads
from anonset.threads import chunks, even_chunks, parallel_map, prefetch_map


@given(st.integers(0, 100), st.integers(0, 30), st.integers(1, 5))
def test_shares_cover_all_numbers_once_and_are_not_too_small(n, least, cores):
    usual, threads.THREADS = threads.THREADS, cores
    try:
        found = chunks(n, least)
    finally:
        threads.THREADS = usual

    assert [x for first, last in found for x in range(first, last)] == list(range(n))
    assert len(found) == 1 or min(last - first for first, last in found) >= least
    assert len(found) <= cores


def test_results_come_in_the_order_of_the_jobs_and_errors_come_through(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 3)

    assert parallel_map(lambda x: x * x, range(20)) == [x * x for x in range(20)]
    try:
        parallel_map(lambda x: 1 // x, [1, 0, 2])
    except ZeroDivisionError:
        return
    raise AssertionError("the error was swallowed")


def test_calls_within_calls_work_on_no_more_threads_than_there_are_cores(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 3)
    lock, busy, most = threading.Lock(), [0], [0]

    def leaf(x):
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        time.sleep(0.001)
        with lock:
            busy[0] -= 1
        return x

    def inner(x):
        return sum(prefetch_map(leaf, range(x))) if x % 2 else sum(parallel_map(leaf, range(x)))

    def outer(x):
        return sum(parallel_map(inner, range(x)))

    assert parallel_map(outer, range(7)) == [sum(y * (y - 1) // 2 for y in range(x)) for x in range(7)]
    assert 1 < most[0] <= 3


def test_who_calls_from_a_thread_of_the_pool_hears_of_errors_too(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 2)

    def inner(x):
        return parallel_map(lambda y: x // y, [2, 1, x])

    assert parallel_map(inner, [4, 6]) == [[2, 4, 1], [3, 6, 1]]
    with pytest.raises(ZeroDivisionError):
        parallel_map(inner, [4, 0])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 2)
    assert parallel_map(str, range(3)) == ["0", "1", "2"]

    child = multiprocessing.get_context("fork").Process(target=parallel_map, args=(str, range(3)))
    child.start()
    child.join(30)
    ended = child.exitcode
    child.kill()

    assert ended == 0


@pytest.mark.parametrize("cores", [1, 3])
def test_what_is_made_ahead_comes_in_order_and_no_more_than_asked_for_is_held(monkeypatch, cores):
    monkeypatch.setattr(threads, "THREADS", cores)
    begun = []

    def work(x):
        begun.append(x)
        return x * x

    found = prefetch_map(work, iter(range(50)))

    assert next(found) == 0
    assert len(begun) <= cores + 1
    assert list(found) == [x * x for x in range(1, 50)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 8))
def test_even_shares_cover_all_jobs_once_and_are_about_as_long(work, parts):
    ends = np.cumsum(work)

    found = even_chunks(ends, parts)

    assert [j for first, last in found for j in range(first, last)] == list(range(len(work)))
    assert len(found) <= parts
    assert max(sum(work[first:last]) for first, last in found) <= sum(work) / min(parts, len(work)) + 10
