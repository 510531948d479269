"""The cache of worker results."""

import threading

import pytest

from anonset.workbench.workers import ResultCache


def test_a_result_is_computed_once():
    calls, cache = [], ResultCache(9)

    def find():
        calls.append(1)
        return "an answer"

    assert cache.cached("q") is None
    assert [cache.get("q", find) for _ in range(3)] == ["an answer"] * 3
    assert cache.cached("q") == "an answer"
    assert calls == [1]


def test_callers_of_the_same_key_share_one_computation():
    calls, found, begun, go_on, cache = [], [], threading.Event(), threading.Event(), ResultCache(9)

    def find():
        calls.append(1)
        begun.set()
        go_on.wait()
        return len(calls)

    threads = [threading.Thread(target=lambda: found.append(cache.get("q", find))) for _ in range(3)]
    threads[0].start()
    begun.wait()
    assert cache.cached("q") is None
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()

    assert found == [1, 1, 1]


def test_an_error_is_raised_and_not_cached():
    cache = ResultCache(9)
    with pytest.raises(ZeroDivisionError):
        cache.get("q", lambda: 1 / 0)

    assert cache.get("q", lambda: 2) == 2


def test_the_oldest_results_are_dropped_and_all_are_cleared():
    cache = ResultCache(2)
    for name in "aba":
        cache.get(name, lambda name=name: name)
    cache.get("c", lambda: "c")

    assert [cache.cached(name) for name in "abc"] == ["a", None, "c"]
    cache.clear()
    assert cache.cached("a") is None
