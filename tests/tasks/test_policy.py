import pytest

from anonset.errors import InputError, ParameterError
from anonset.model.policy import AllItemsets, Itemsets, WholeTransactions
from anonset.tasks import policy
from anonset.tasks.policy import MakeRequest, PolicyCheckRequest


@pytest.mark.parametrize(
    ("which", "kind"), [("all:2", AllItemsets), ("transactions", WholeTransactions), ("pairs:1", Itemsets)]
)
def test_constraints_are_made_written_and_checked(which, kind, shop, tmp_path):
    out = tmp_path / "policy.toml"

    made = policy.run_make(MakeRequest(shop, out, privacy=which, utility="neighbours:2", suppression=0.5))
    remarks = policy.run_check(PolicyCheckRequest(out, shop, k=2))

    assert isinstance(made.privacy, kind)
    assert [len(group) for group in made.utility.groups] == [2, 2, 2]
    assert made.utility.suppression == 0.5
    assert all(remark.text for remark in remarks)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "pass privacy=... or utility=..."),
        ({"privacy": "all:2", "suppression": 0.1}, "a suppression limit needs utility constraints; pass utility=..."),
        ({"privacy": "all:x"}, "all:M needs a whole number"),
        ({"privacy": "pairs:2"}, "pairs:SHARE needs a share from 0 to 1"),
        ({"privacy": "PR77"}, "PR77"),
        ({"utility": "level:1"}, "needs a hierarchy"),
        ({"utility": "odd"}, "odd"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_written(asked, message, shop, tmp_path):
    with pytest.raises((ParameterError, InputError), match=message):
        policy.run_make(MakeRequest(shop, tmp_path / "policy.toml", **asked))

    assert not (tmp_path / "policy.toml").exists()


def test_groups_at_a_level_of_the_hierarchy(shop, tmp_path):
    source = type(shop)(shop.data, {"item_hierarchy": "balanced:2"})

    made = policy.run_make(MakeRequest(source, tmp_path / "policy.toml", utility="level:1"))

    assert made.privacy is None
    assert sorted(item for group in made.utility.groups for item in group) == ["1", "2", "3", "4", "5", "6"]


def test_data_without_items_have_nothing_to_constrain(people, tmp_path):
    (tmp_path / "plain.csv").write_text("age\n1\n2\n")

    with pytest.raises(InputError, match="nothing to constrain"):
        policy.run_make(MakeRequest(type(people)(tmp_path / "plain.csv"), tmp_path / "p.toml", privacy="all:1"))
