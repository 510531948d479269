import pytest

from anonset.errors import Cancelled
from anonset_papers.run import reproduce
from experiments import BROKEN, DYING, ENDLESS, NUMBERS, SURPRISED, claim


def test_claims_are_judged_by_the_rows_of_their_experiments_and_shared_ones_run_once():
    told = []

    results = reproduce([claim("009-1", NUMBERS), claim("009-2", NUMBERS, NUMBERS)], tell=lambda name, took: told.append(name))

    assert [(r.id, r.answer) for r in results] == [("009-1", "holds"), ("009-2", "does not hold")]
    assert results[1].checks[0].ours == "12"
    assert told == ["numbers"]
    assert "a stand-in" in results[0].data[0]


def test_a_quick_run_is_a_smaller_one():
    (result,) = reproduce([claim("009-1", NUMBERS)], quick=True)

    assert result.checks[0].ours == "1"


def test_what_fails_leaves_its_claims_untested_and_the_others_alone():
    claims = [claim("009-1", BROKEN), claim("009-2", SURPRISED), claim("009-3", DYING), claim("009-4", NUMBERS)]

    results = reproduce(claims, processes=1)

    assert [r.answer for r in results] == ["cannot be tested here"] * 3 + ["holds"]
    assert "there is no such thing" in results[0].note
    assert "ZeroDivisionError" in results[1].note
    assert "quote data" not in results[1].note
    assert "without an answer" in results[2].note


def test_what_takes_too_long_is_stopped():
    results = reproduce([claim("009-1", ENDLESS), claim("009-2", NUMBERS)], processes=1, seconds=2.0)

    assert [r.answer for r in results] == ["cannot be tested here"] * 2
    assert "2 s allowed" in results[0].note


def test_a_listener_can_cancel():
    def cancel(done):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        reproduce([claim("009-1", ENDLESS)], progress=cancel)
