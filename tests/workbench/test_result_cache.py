"""Answers that are kept."""

import threading

import pytest

from anonset.workbench.workers import ResultCache


def test_a_question_is_asked_once():
    asked, answers = [], ResultCache(9)

    def find():
        asked.append(1)
        return "an answer"

    assert answers.cached("q") is None
    assert [answers.get("q", find) for _ in range(3)] == ["an answer"] * 3
    assert answers.cached("q") == "an answer"
    assert asked == [1]


def test_who_asks_meanwhile_waits_for_the_same_answer():
    asked, found, begun, go_on, answers = [], [], threading.Event(), threading.Event(), ResultCache(9)

    def find():
        asked.append(1)
        begun.set()
        go_on.wait()
        return len(asked)

    threads = [threading.Thread(target=lambda: found.append(answers.get("q", find))) for _ in range(3)]
    threads[0].start()
    begun.wait()
    assert answers.cached("q") is None
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()

    assert found == [1, 1, 1]


def test_an_error_is_told_and_not_kept():
    answers = ResultCache(9)
    with pytest.raises(ZeroDivisionError):
        answers.get("q", lambda: 1 / 0)

    assert answers.get("q", lambda: 2) == 2


def test_only_the_last_ones_are_kept_and_all_are_forgotten():
    answers = ResultCache(2)
    for name in "aba":
        answers.get(name, lambda name=name: name)
    answers.get("c", lambda: "c")

    assert [answers.cached(name) for name in "abc"] == ["a", None, "c"]
    answers.clear()
    assert answers.cached("a") is None
