import pytest

from anonset.algorithms.explanation import explain
from anonset.cli import main
from anonset.errors import InputError, ParameterError

CLUSTERS = (
    {"action": "formed", "cluster": 0, "records": 2, "ncp": 0.1, "rows": [0, 1]},
    {"action": "formed", "cluster": 1, "records": 2, "ncp": 0.1, "rows": [2, 3]},
    {"action": "merged", "cluster": 0, "from": [0, 1], "records": 4, "ncp": 0.3},
    {"action": "generalized", "cluster": 0, "records": 4, "ncp": 0.3, "ul": 0.5, "generalized": 0.25},
)


def test_clusters_are_summed_up_and_a_row_has_its_way():
    assert explain({}, CLUSTERS)[0].startswith("2 clusters were formed")
    assert "25% of its items" in explain({}, CLUSTERS)[1]
    assert any("merges with cluster 1" in line for line in explain({}, CLUSTERS, row=1))


def test_without_a_trace_the_labels_tell_what_they_stand_for():
    assert explain({"a": ["a"], "(b,c)": ["b", "c"]}, ()) == (
        "1 items are published as they are, 2 as 1 generalized items.",
        "(b,c) stands for 2 items: b, c.",
    )
    assert explain({"a": ["a"]}, ()) == ("All 1 items are published as they are: nothing had to be generalized.",)


def test_without_anything_private_there_is_nothing_to_tell():
    with pytest.raises(InputError, match=r"it has no private/ folder"):
        explain({}, ())


def test_item_traces_know_no_rows():
    with pytest.raises(ParameterError, match="explains items, not rows"):
        explain({}, ({"action": "suppressed", "item": "a", "members": ["a"], "because": []},), row=1)


def test_a_release_tells_what_forced_each_generalized_item(tmp_path, capsys):
    (tmp_path / "b.dat").write_text("1 2\n1 2\n1 3\n2 4\n1 2\n")
    arguments = [
        "anonymize",
        str(tmp_path / "b.dat"),
        "-a",
        "pcta",
        "-k",
        "2",
        "-m",
        "2",
        "--no-report",
        "-o",
        str(tmp_path / "out"),
    ]

    assert main(arguments) == 0
    assert main(["explain", str(tmp_path / "out")]) == 0

    assert "had support" in capsys.readouterr().out
    assert main(["explain", str(tmp_path)]) == 2


def test_nonreciprocal_releases_tell_their_steps():
    order = {"step": "order", "length": {"input": 1400, "gray": 12, "gray-tsp": 10}}
    walked = {"step": "assignments", "steps walked": [1000, 0, 500]}

    assert explain({}, (order, {"step": "rings", "number": 1}, walked)) == (
        "The distances of neighbours, all round, add up to 1,400 as they came, 12 in Gray order, 10 after local search.",
        "All records stand in one ring.",
        "3 assignments were found in 1,500 steps, and one of them was drawn.",
    )
    assert explain({}, ({"step": "rings", "number": 2}, {"step": "groups", "number": 7, "left at the end": 3})) == (
        "The records stand in 2 rings.",
        "There are 7 groups; 3 records were left for the last of them.",
    )
