import pytest

from anonset.errors import InputError, ParameterError
from anonset.tasks.choosing import USUAL_K, Wanted, choose
from anonset.tasks.inputs import Input


def test_what_was_asked_for_is_taken_without_a_word(shop):
    choice = choose(shop.read(), Wanted("pcta", {"k": 3}))

    assert (choice.algorithm.name, choice.algorithm.k, choice.why) == ("pcta", 3, "")


def test_the_algorithm_that_fits_the_data(shop, people, tmp_path):
    tree = Input(shop.data, {"item_hierarchy": "balanced:2"})
    (tmp_path / "plain.csv").write_text("age\n30\n40\n")
    columns = Input(tmp_path / "plain.csv", {"quasi": ("age",)})
    policy = tmp_path / "policy.toml"
    policy.write_text('utility = [["1", "2"], ["3", "4"]]\n')

    found = {
        "items": choose(shop.read(), Wanted()),
        "hierarchy": choose(tree.read(), Wanted()),
        "columns": choose(columns.read(), Wanted(parameters={"k": 2})),
        "both": choose(people.read(), Wanted()),
        "policies": choose(shop.read(), Wanted(policy=policy)),
    }

    assert {kind: choice.algorithm.name for kind, choice in found.items()} == {
        "items": "pcta",
        "hierarchy": "aa",
        "columns": "peel",
        "both": "rmerge-rt",
        "policies": "upcta",
    }
    assert found["items"].algorithm.k == USUAL_K
    assert found["items"].why.endswith(f"pcta with k={USUAL_K}")
    assert found["columns"].algorithm.k == 2


def test_what_does_not_fit_is_told(shop, tmp_path):
    (tmp_path / "plain.csv").write_text("illness\nflu\ncold\n")
    policy = tmp_path / "policy.toml"
    policy.write_text('utility = [["1", "2"]]\n')

    with pytest.raises(ParameterError, match="pcta, which fits these data, takes no 'delta'"):
        choose(shop.read(), Wanted(parameters={"delta": 0.5}))
    with pytest.raises(ParameterError, match="aa takes no utility policy"):
        Wanted("aa", {"k": 2}, policy).check()
    with pytest.raises(InputError, match="nothing to protect"):
        choose(Input(tmp_path / "plain.csv", {"sensitive": ("illness",)}).read(), Wanted())
