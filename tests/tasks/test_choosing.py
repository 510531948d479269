"""Without an algorithm named, a release comes out that may be published."""

from pathlib import Path

import pytest

from anonset.data import Schema, read
from anonset.errors import InputError, ParameterError
from anonset.releases.gates import refusal
from anonset.samples import write_sample
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.tasks.inputs import Input
from anonset.testing import tiny_datasets
from anonset.verify import verify

QUASI = ("age", "sex", "town", "schooling")


def patients(folder, n, *, hierarchies=True, items=True, quasi=QUASI):
    path = write_sample(folder, n=n)
    named = {"town": folder / "hierarchies" / "town.csv"} if hierarchies and quasi else {}
    tree = folder / "hierarchies" / "items.csv" if hierarchies and items else None
    left_out = tuple({"patient", "patient_id", "insurance", *QUASI} - set(quasi))
    header = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    identifiers = tuple(name for name in header if name in left_out or (name == "diagnoses" and not items))
    found = ("diagnoses",) if items else ()
    return read(path, schema=Schema(quasi=quasi, identifier=identifiers, items=found, hierarchies=named, item_hierarchy=tree))


@pytest.mark.parametrize("n", [300, 2_000])
@pytest.mark.parametrize("hierarchies", [True, False])
@pytest.mark.parametrize(
    ("kind", "id", "given"),
    [
        ("both", "rt-search", {"k": 5, "m": 2}),
        ("columns", "peel", {"k": 5}),
        ("items", "lift", {"k": 5, "m": 2}),
    ],
)
def test_the_default_of_ordinary_data_is_never_worthless(tmp_path, n, hierarchies, kind, id, given):
    quasi = () if kind == "items" else QUASI
    data = patients(tmp_path, n, hierarchies=hierarchies, items=kind != "columns", quasi=quasi)
    choice = choose(data, AlgorithmChoice(None, given))

    release = choice.algorithm.anonymize(data)

    assert choice.algorithm.name == id
    assert id in choice.why
    assert verify(data, release).holds
    assert refusal(data, release) == ""


def test_k_is_the_usual_one_where_it_is_not_given():
    choice = choose(tiny_datasets()["ordinary"], AlgorithmChoice())

    assert choice.algorithm.k == 5
    assert "k=5" in choice.why


def test_policies_ask_for_an_algorithm_that_follows_them(tmp_path):
    rules = tmp_path / "policy.json"
    rules.write_text('{"utility": [["a"]]}')

    assert choose_id(tiny_datasets()["ordinary"], AlgorithmChoice(None, {"k": 2}, Path(rules))) in ("rmerge-rt", "rejected")


def choose_id(data, wanted):
    try:
        return choose(data, wanted).algorithm.name
    except ParameterError:
        return "rejected"


def test_a_parameter_of_another_algorithm_is_an_error_that_says_which_one_was_taken():
    with pytest.raises(ParameterError, match="rt-search, which fits these data, takes no 'proximity'"):
        choose(tiny_datasets()["ordinary"], AlgorithmChoice(None, {"k": 2, "proximity": "ul"}))


def test_what_was_asked_for_is_taken_without_a_word(shop):
    choice = choose(shop.read(), AlgorithmChoice("pcta", {"k": 3}))

    assert (choice.algorithm.name, choice.algorithm.k, choice.why) == ("pcta", 3, "")


def test_what_does_not_fit_is_told(shop, tmp_path):
    (tmp_path / "plain.csv").write_text("illness\nflu\ncold\n")
    policy = tmp_path / "policy.toml"
    policy.write_text('utility = [["1", "2"]]\n')

    with pytest.raises(ParameterError, match=r"lift, which fits these data, takes no 'delta' \(items, .*\): leave it out, or"):
        choose(shop.read(), AlgorithmChoice(parameters={"delta": 0.5}))
    with pytest.raises(ParameterError, match="aa takes no utility policy"):
        AlgorithmChoice("aa", {"k": 2}, policy).check()
    with pytest.raises(InputError, match="nothing to protect"):
        choose(Input(tmp_path / "plain.csv", {"sensitive": ("illness",)}).read(), AlgorithmChoice())
