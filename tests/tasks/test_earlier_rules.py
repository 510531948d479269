"""`--like`: the rules of an earlier release on new data; labels stay the same, and nothing new is named without protection."""

import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonset
from anonset.cli import main
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.releases.folder import read_manifest
from anonset.tasks.earlier_rules import nested_tree
from anonset.tasks.project import ProjectRequest, run

SETS = [["a", "b"], ["a", "b", "c"], ["c", "d"], ["c", "d", "e"], ["e", "f"], ["a", "f"], ["b", "d"], ["e", "c"]] * 2
PEOPLE = {
    "age": [21, 24, 27, 33, 35, 38, 41, 44, 47, 52, 55, 58],
    "town": ["Bonn", "Ulm", "Bonn", "Ulm", "Lyon", "Nice", "Lyon", "Nice", "Bonn", "Ulm", "Lyon", "Nice"],
}


def baskets(sets, **how):
    return anonset.read(pl.DataFrame({"items": sets}), items="items", **how)


def written(release, folder):
    release.write(folder, report=False, accept_loss=True)
    return folder


def item_labels(release):
    return {frozenset(release.items.domain[i] for i in group) for group in release.items.labels.groups()}


def shown(table):
    return sorted(map(str, table.rows()))


@pytest.mark.parametrize(
    ("algorithm", "how"),
    [("pcta", {}), ("aa", {"item_hierarchy": "balanced:2"}), ("vpa", {"item_hierarchy": "balanced:2"}), ("upcta", {})],
)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(more=st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=4))
def test_global_labels_are_kept_or_joined(tmp_path_factory, algorithm, how, more):
    tmp_path = tmp_path_factory.mktemp("like")
    before = anonset.anonymize(baskets(SETS, **how), algorithm, k=3, m=2)
    folder = written(before, tmp_path / "first")

    same = anonset.anonymize(baskets(SETS), like=folder)
    after = anonset.anonymize(baskets([*SETS[2:], *map(sorted, more)]), like=folder)

    assert shown(same.to_polars(accept_loss=True)) == shown(before.to_polars(accept_loss=True))
    assert after.verify().holds
    assert after.provenance.parameters["k"] == 3
    for old in item_labels(before):
        assert any(old <= label or not old & label for label in item_labels(after))
        assert sum(bool(old & label) for label in item_labels(after)) <= 1


@pytest.mark.parametrize("algorithm", ["incognito", "top-down", "bottom-up"])
@pytest.mark.parametrize("hierarchies", [None, {"age": "ranges:10", "town": "balanced:2"}])
def test_columns_keep_their_labels(tmp_path, algorithm, hierarchies):
    data = anonset.read(pl.DataFrame(PEOPLE), quasi=["age", "town"], hierarchies=hierarchies)
    before = anonset.anonymize(data, algorithm, k=3)
    folder = written(before, tmp_path / "first")
    new = pl.DataFrame({"age": [*PEOPLE["age"], 28, 63], "town": [*PEOPLE["town"], "Kiel", "Bonn"]})

    same = anonset.anonymize(pl.DataFrame(PEOPLE), like=folder)
    after = anonset.anonymize(new, like=folder)

    assert shown(same.to_polars(accept_loss=True)) == shown(before.to_polars(accept_loss=True))
    assert after.verify().holds
    assert after.original.column("age").kind == "numeric"


def test_local_labels_follow_the_same_hierarchy(tmp_path):
    before = anonset.anonymize(baskets(SETS, item_hierarchy="balanced:2"), "lift", k=3, m=2)
    folder = written(before, tmp_path / "first")

    after = anonset.anonymize(baskets([*SETS, ["a", "new"]]), like=folder)

    tree = after.original.item_hierarchy
    assert after.provenance.algorithm == "lift"
    assert {*before.original.item_hierarchy.labels} <= {*tree.labels}
    assert tree.parent[tree.leaves.index("new")] == tree.root


def test_labels_that_nest_are_a_hierarchy():
    tree = nested_tree({"ab": ("a", "b"), "abc": ("a", "b", "c"), "d": ("d",), "all": ("a", "b", "c", "d")})

    assert [tree.labels[v] for v in tree.ancestors(tree.leaves.index("a"))] == ["a", "ab", "abc", "*"]
    assert nested_tree({"ab": ("a", "b"), "bc": ("b", "c")}) is None


def test_new_values_of_people_who_are_left_out_are_not_named(tmp_path):
    towns = ["Bonn", "Bonn", "Ulm", "Ulm"] * 5
    how = {"quasi": ["town"], "hierarchies": {"town": "balanced:2"}}
    data = anonset.read(pl.DataFrame({"town": towns}), **how)
    folder = written(anonset.anonymize(data, "incognito", k=3, suppression=0.1), tmp_path / "first")

    after = anonset.anonymize(pl.DataFrame({"town": [*towns, "Secretville"]}), like=folder, output=tmp_path / "second")

    assert len(after) == 20
    assert after.verify().holds
    assert not any(b"Secretville" in file.read_bytes() for file in (tmp_path / "second" / "published").iterdir())


def test_sensitive_items_stay_as_they_are(tmp_path):
    how = {"items": "items", "item_hierarchy": "balanced:3", "sensitive_items": ["d"]}
    table = pl.DataFrame({"items": SETS})
    folder = written(anonset.anonymize(anonset.read(table, **how), "aa", k=3, m=2), tmp_path / "first")

    after = anonset.anonymize(table, like=folder)

    assert after.verify().holds
    assert frozenset("d") in item_labels(after)


def test_policies_of_the_earlier_release_are_kept(tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"privacy": [["a", "b"], ["c"]]}))
    folder = written(anonset.anonymize(baskets(SETS), "pcta", k=6, privacy=str(policy)), tmp_path / "first")

    after = anonset.anonymize(baskets(SETS), like=folder)

    assert after.provenance.parameters["privacy"] is not None
    assert after.verify().holds


def test_the_command_line_needs_nothing_else(tmp_path, capsys):
    (tmp_path / "first.csv").write_text("codes\n" + "".join(f"{' '.join(row)}\n" for row in SETS))
    (tmp_path / "second.csv").write_text("codes\n" + "".join(f"{' '.join(row)}\n" for row in [*SETS, ["a", "zz"]]))
    first, second = tmp_path / "first", tmp_path / "second"
    read = ["--items", "codes", "--item-separator", " ", "--no-report", "--accept-loss"]
    assert main(["anonymize", str(tmp_path / "first.csv"), *read, "--algorithm", "pcta", "-k", "3", "-o", str(first)]) == 0
    how = ["--no-report", "--accept-loss", "--like", str(first), "-o", str(second)]
    assert main(["anonymize", str(tmp_path / "second.csv"), *how]) == 0

    said = capsys.readouterr()
    assert "1 new value: zz" in said.out + said.err
    assert read_manifest(second)["like"] == "first"
    assert read_manifest(second)["algorithm"] == "pcta"
    assert main(["verify", str(second), "--original", str(tmp_path / "second.csv")]) == 0


def test_what_cannot_be_followed_is_refused(tmp_path):
    with pytest.raises(InputError, match="private/ half"):
        anonset.anonymize(baskets(SETS), like=tmp_path / "nothing")
    folder = written(anonset.anonymize(baskets(SETS), "pcta", k=3), tmp_path / "first")
    table = pl.DataFrame({"items": SETS})
    with pytest.raises(ParameterError, match="hierarchies are those of the release"):
        anonset.anonymize(table, like=folder, item_hierarchy="balanced:2")
    with pytest.raises(ParameterError, match="in parts"):
        anonset.anonymize(table, like=folder, output=tmp_path / "parts", jobs=1)
    with pytest.raises(InfeasibleError):
        anonset.anonymize(baskets(SETS), like=folder, k=100)


def test_a_project_follows_an_earlier_release(tmp_path):
    (tmp_path / "people.csv").write_text("age,town\n" + "".join(f"{a},{t}\n" for a, t in zip(*PEOPLE.values(), strict=True)))
    project = """
[data]
path = "people.csv"
[roles]
quasi = ["age", "town"]
[hierarchies]
town = "balanced:2"
[promise]
k = 3
[[run]]
output = "year"
algorithm = "top-down"
report = false
accept_loss = true
"""
    (tmp_path / "first.toml").write_text(project)
    (tmp_path / "second.toml").write_text(project.replace('"year"', '"next"') + 'like = "year"\n')
    run(ProjectRequest(tmp_path / "first.toml"))

    made = run(ProjectRequest(tmp_path / "second.toml")).runs[0].made

    records = [(tmp_path / name / "published" / "records.csv").read_text() for name in ("year", "next")]
    assert records[0] == records[1]
    assert any("labels of year" in remark for remark in made.remarks)
