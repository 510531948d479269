from dataclasses import replace

from anonset.model.schema import FATES, NO_ROLE, VARIES, Fate, guesses_sentence, left_out_sentence

AGE = Fate("age", "quasi", "numeric", "numbers of many values", given=False)
NAME = Fate("name", "identifier", "categorical", "given", given=True)
NOTE = Fate("note", NO_ROLE, "categorical", "no role", given=True)


def test_every_role_has_a_fate():
    assert [fate.fate for fate in (AGE, NAME, NOTE)] == ["generalized", "left out", "left out"]
    assert {Fate("x", role, "", "", given=True).fate for role in FATES} == {"left out", "generalized", "published as it is"}


def test_what_was_left_out_and_what_was_guessed_is_said():
    assert left_out_sentence((AGE, NAME)) is None
    assert left_out_sentence((AGE, NOTE)).startswith("left out, no role given: note; other=['note']")
    sets = replace(NOTE, column="codes", kind="items")
    assert left_out_sentence((sets,)) == "left out, no role given: codes; items=['codes'] to generalize"
    assert left_out_sentence((NOTE, sets)).endswith("quasi=['note'] to generalize, items=['codes'] to generalize")
    varying = replace(NOTE, column="day", reason=VARIES)
    assert left_out_sentence((varying,)) == "left out, rows of one person differ: day"
    assert left_out_sentence((varying, NOTE)).startswith(
        "left out, rows of one person differ: day; left out, no role given: note;"
    )
    assert guesses_sentence((AGE, NAME)) == "guessed: age is quasi"
    assert guesses_sentence((AGE,)) is None
    assert guesses_sentence((NAME, NOTE)) is None
