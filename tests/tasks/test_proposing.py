"""What is proposed for data that nobody has decided about."""

import pytest

from anonset.tasks.inputs import Input
from anonset.tasks.project import covers, project_of, propose, propose_hierarchies, tied_sentence, unique_sentence

TOWNS = ("Rome", "Oslo")
CODES = ("a b", "c", "a c d")
ROWS = [
    f"P{n},{20 + n},{TOWNS[n % 2]},2024-0{1 + n % 9}-{10 + n % 19},{10000 + 7 * (n % 25)},word {n},same,{CODES[n % 3]}"
    for n in range(60)
]
TABLE = "\n".join(["person_id,age,town,visit,zip,remark,source,codes", *ROWS]) + "\n"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "people.csv").write_text(TABLE)
    return Input(tmp_path / "people.csv")


def answers(proposals):
    return {p.column: p.answer for p in proposals}


def test_roles_are_proposed_with_a_reason(source):
    proposed = propose(source).roles

    assert answers(proposed) == {
        "person_id": "identifier",
        "age": "quasi",
        "town": "quasi",
        "visit": "quasi",
        "zip": "quasi",
        "remark": "identifier",
        "source": "other",
        "codes": "items",
    }
    assert {p.column: p.why for p in proposed}["remark"] == "free text, which may name people"
    assert all(p.why and p.facts for p in proposed)


def test_what_was_decided_is_how_the_data_are_read(source):
    proposal = propose(source)

    data = proposal.decided(answers(proposal.roles) | {"town": "sensitive", "age": "left_out"})

    assert [c.name for c in data.with_role("sensitive")] == ["town"]
    assert [c.name for c in data.quasi] == ["visit", "zip"]
    assert len(data.transactions.domain) == 4


def test_hierarchies_are_found_beside_the_data_or_built(source, tmp_path):
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "town.csv").write_text("Rome;south;*\nOslo;north;*\n")
    (tmp_path / "hierarchies" / "items.csv").write_text("a;x;*\n")
    proposal = propose(Input(source.data, {"kinds": {"zip": "categorical"}}))
    data = proposal.decided(answers(proposal.roles))

    found = propose_hierarchies(data, source)

    assert answers(found) == {
        "age": "",
        "town": str(tmp_path / "hierarchies" / "town.csv"),
        "visit": "dates",
        "zip": "prefixes:4,3,2,1",
        "items": "learned:5",
    }
    assert "does not cover all values" in found[-1].why
    assert "not leaves" in covers(data, "items", str(tmp_path / "hierarchies" / "items.csv"))


def test_the_project_has_paths_relative_to_its_file(source, tmp_path):
    proposal = propose(source)
    data = proposal.decided(answers(proposal.roles) | {"visit": "left_out"})

    decided = {"hierarchies": {"age": ""}, "k": 3, "m": 2, "cover": {"title": "People"}}
    project = project_of(data, source, tmp_path / "decisions", output="release", **decided)

    assert project.data == {"path": "../people.csv", "item_separator": " "}
    assert project.roles.left_out == ("visit",)
    assert project.hierarchies == {}
    assert project.kinds["age"] == "numeric"
    assert (project.promise.k, project.promise.m) == (3, 2)
    assert project.cover["title"] == "People"
    assert {name: text for name, text in project.cover.items() if text} == {
        "title": "People",
        "language": "en",
        "actor": "recipient",
    }


def test_how_many_people_are_unique_is_told(source):
    proposal = propose(source)

    assert unique_sentence(proposal.data).startswith("As they stand, 100% of the people are the only ones that fit")


def test_rows_of_one_person_are_told_before_a_run_refuses_them(tmp_path):
    rows = "".join(f"P{n // 2},{20 + n // 4},{CODES[n % 3]}\n" for n in range(60))
    (tmp_path / "visits.csv").write_text("person_id,age,codes\n" + rows)
    visits = Input(tmp_path / "visits.csv")

    assert "Begin again with key='person_id'" in tied_sentence(visits.read())
    assert tied_sentence(propose(visits).data).startswith("People have several rows: gathered by person_id: 60 rows are 30")
