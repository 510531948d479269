from anonset.algorithms import make
from anonset.model.verdict import Finding, Verdict
from anonset.report.certificate import release_card
from anonset.testing import tiny_datasets

DATA = tiny_datasets()["ordinary"]
RELEASE = make("identity", {"k": 1}).anonymize(DATA)


def shown(**more):
    facts = {"verdict": None, "useful": None, "refused": "", "aligned": True} | more
    return release_card(DATA, RELEASE, **facts)


def test_what_was_not_looked_into_is_said():
    assert "Not yet checked" in shown()
    assert "release.usefulness() tells" in shown()


def test_the_promise_is_told_in_plain_words():
    assert "finds at least 1 records that look alike, or nobody. (k-km(k=1, m=2))" in shown()


def test_a_breach_is_told_with_its_place():
    verdict = Verdict((Finding("k-km", holds=False, violations=1, worst="one record shows a"),))

    assert "does NOT find that it holds: k-km DOES NOT HOLD: one record shows a" in shown(verdict=verdict)


def test_rows_are_shown_where_they_are_known():
    assert "before" in shown()
    assert "before" not in shown(aligned=False)
    assert "It would not be handed out: because" in shown(refused="because")
