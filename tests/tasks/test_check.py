"""Tables are checked before they are handed out as they are: names, repeated people, and people who can be found."""

import json

import pytest

from anonset.cli import main
from anonset.errors import ParameterError
from anonset.tasks.check import run
from anonset.tasks.inputs import Input

ALIKE = "town,age\n" + "Rome,30\n" * 6
FOUND = "town,age\n" + "Rome,30\n" * 6 + "Bonn,71\n"
NAMED = "email,town\n" + "".join(f"person{n}@example.org,Rome\n" for n in range(20))
REPEATED = "patient_id,town\n" + "".join(f"{n % 7},Rome\n" for n in range(42))


def checked(tmp_path, text, **how):
    (tmp_path / "table.csv").write_text(text)
    return run(Input(tmp_path / "table.csv"), **how)


def test_a_table_in_which_all_look_alike_passes(tmp_path):
    result = checked(tmp_path, ALIKE)

    assert (result.holds, result.exposed, result.records) == (True, 0.0, 6)


def test_somebody_who_can_be_found_is_a_reason(tmp_path):
    result = checked(tmp_path, FOUND)

    assert result.exposed == pytest.approx(1 / 7)
    assert result.reasons == ("14 % of the records look like fewer than 5 to somebody who knows town, age",)


def test_more_people_must_look_alike_with_a_larger_k(tmp_path):
    assert checked(tmp_path, ALIKE, k=7).exposed == 1.0


def test_items_count_too(tmp_path):
    (tmp_path / "sets.dat").write_text("1 2\n" * 5 + "1 3\n" * 4 + "3\n")

    result = run(Input(tmp_path / "sets.dat"))

    assert result.exposed == pytest.approx(4 / 10)
    assert result.reasons[0].endswith("to somebody who knows 2 items")


def test_a_column_that_names_people_is_a_reason(tmp_path):
    result = checked(tmp_path, NAMED)

    assert "email names people" in result.reasons
    assert not any("example.org" in reason for reason in result.reasons)


def test_several_rows_of_a_person_are_a_reason(tmp_path):
    assert "people have several rows (patient_id repeats)" in checked(tmp_path, REPEATED).reasons


def test_a_k_of_one_is_no_check(tmp_path):
    with pytest.raises(ParameterError, match=r"k must be 2 or more"):
        checked(tmp_path, ALIKE, k=1)


def test_the_command_ends_with_3_if_one_of_the_tables_fails(tmp_path, capsys):
    (tmp_path / "good.csv").write_text(ALIKE)
    (tmp_path / "bad.csv").write_text(FOUND)

    assert main(["check", str(tmp_path / "good.csv"), "--quiet"]) == 0
    assert main(["check", str(tmp_path / "good.csv"), str(tmp_path / "bad.csv"), "--quiet"]) == 3
    assert main(["check", str(tmp_path / "bad.csv"), "--json", "--quiet"]) == 3

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("good.csv: nobody can be found in it")
    assert [table["holds"] for table in json.loads(lines[-1])["tables"]] == [False]
