import pytest

from anonset.cli.options import Accepting, Asking, Promising, Reading, flags, names, pairs
from anonset.errors import ParameterError


def test_flags_of_reading_become_settings_and_words_again():
    reading = Reading(quasi=["age, sex", "town"], hierarchy="balanced:5")

    assert reading.of("x.csv").settings == {"quasi": ("age", "sex", "town"), "item_hierarchy": "balanced:5"}
    words = reading.words()
    assert set(zip(words[::2], words[1::2], strict=True)) == {("--quasi", "age, sex,town"), ("--hierarchy", "balanced:5")}


def test_what_is_asked_for_is_handed_on_as_typed():
    wanted = Asking(k="5", refine=True, set=["way=up"]).wanted("aa")

    assert (wanted.algorithm, dict(wanted.parameters)) == ("aa", {"k": "5", "refine": True, "way": "up"})


def test_a_promise_has_numbers():
    promise = Promising(guarantee="t-closeness", k="5", set=["t=0.5", "column=age"]).promise()

    assert (promise.guarantee, promise.values) == ("t-closeness", {"k": 5, "t": 0.5, "column": "age"})
    assert Promising(k="5").promise() is None


def test_columns_are_accepted_one_by_one_or_with_commas():
    assert Accepting(["a,b", "c"], True).accepted().exposure == ("a", "b", "c")


@pytest.mark.parametrize(("texts", "message"), [(["x"], "--set needs name=value"), (["k=1"], "k is given twice")])
def test_pairs_that_are_none_are_told(texts, message):
    with pytest.raises(ParameterError, match=message):
        pairs(texts, {"k": "2"})


def test_a_command_receives_each_group_as_one_value():
    heard = []

    @flags(accepting=Accepting)
    def command(source: str, accepting: Accepting) -> None:
        heard.append((source, accepting))

    command(source="x", accept_exposure=None, accept_loss=True, accept_repeats=False)

    assert heard == [("x", Accepting(None, True))]
    assert names("") == ()
