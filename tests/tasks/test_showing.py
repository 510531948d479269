from anonset.report.certificate import ROWS
from anonset.tasks import anonymize, verify, views


def test_the_owner_sees_promise_verdict_use_and_rows(people):
    data = people.read()
    release = anonymize.of_dataset(data, "identity", {"k": 4})

    checked = views.card_of_release(data, release, verify.of_release(data, release), aligned=True)
    unchecked = views.card_of_release(data, release, None, aligned=False)

    assert all(words in checked for words in ("The promise", "it holds", "Still good for", "before and after", "Rome"))
    assert checked.count("<tr>") == 2 * (1 + ROWS)
    assert "Not yet checked" in unchecked
    assert "Rome" not in unchecked


def test_what_speaks_against_it_is_said(people):
    data = people.read()
    release = anonymize.of_dataset(data, "pcta", {"k": 4})

    assert "It would not be handed out: age, city may be known" in views.card_of_release(data, release, None, aligned=True)
