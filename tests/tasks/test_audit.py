"""Files of any tool are judged: unknown values, other lengths and orders, release folders, a control."""

import json

import pytest

from anonset.cli import main
from anonset.errors import InputError
from anonset.tasks.audit import AuditRequest, run
from anonset.tasks.inputs import Input

ROLES = {"quasi": ("age", "town"), "items": ("diagnoses",), "item_separator": "|"}


def table(path, rows):
    path.write_text("age,town,diagnoses\n" + "".join(f"{age},{town},{sets}\n" for age, town, sets in rows))
    return path


@pytest.fixture
def original(tmp_path):
    rows = [(20 + n, ("Rome", "Bonn")[n % 2], f"d{n % 7}|d{n % 5}") for n in range(60)]
    return table(tmp_path / "original.csv", rows)


def judged(file, original, **how):
    return run(AuditRequest(file, Input(original, ROLES), attackers=100, seed=1, **how))


def test_a_copy_in_another_order_leaks(tmp_path, original):
    lines = original.read_text().splitlines()
    copy = tmp_path / "copy.csv"
    copy.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")

    result = judged(copy, original)

    assert result.leaks
    assert result.attacks[0].people.value == 1.0
    assert result.worst == 1.0


def test_unknown_values_unknown_columns_and_more_rows_match_nobody(tmp_path, original):
    file = tmp_path / "synthetic.csv"
    rows = "".join(f"{n % 9 + 800},Oslo,x{n % 3}|x4,{n}\n" for n in range(200))
    file.write_text("age,town,diagnoses,weight\n" + rows)

    result = judged(file, original)

    assert (result.records, result.people) == (200, 60)
    assert result.attacks[0].people.value == 0.0
    assert not any(attack.leaks for attack in result.attacks if attack.kind in ("copies", "linkability"))


def test_ranges_and_sets_of_another_tool_are_understood(tmp_path, original):
    file = table(tmp_path / "other.csv", [("[20:79]", "*", '"(d0,d1,d2,d3,d4,d5,d6)"')] * 60)

    result = judged(file, original)

    assert result.attacks[0].people.value == 0.0
    assert all(attack.people.value == 0.0 for attack in result.attacks if attack.kind == "singling out")


def test_the_control_explains_what_is_common(tmp_path, original):
    result = judged(original, original, control=original)

    assert result.membership.right.value == pytest.approx(0.5)
    assert not result.leaks


def test_a_file_with_nothing_of_the_original_is_refused(tmp_path, original):
    file = tmp_path / "odd.csv"
    file.write_text("weight\n80\n")

    with pytest.raises(InputError, match="none of the original's attributes"):
        judged(file, original)


def test_the_command_prints_a_verdict_and_ends_with_3_where_it_leaks(original, capsys):
    line = ["audit", str(original), "--original", str(original), "--attackers", "50", "--seed", "1", "--quiet"]
    line += ["--quasi", "age,town", "--items", "diagnoses", "--item-separator", "|"]

    assert main(line) == 3
    assert "The file tells more of its people than of others" in capsys.readouterr().out
    assert main([*line, "--json"]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert printed["leaks"] is True
    assert {attack["kind"] for attack in printed["attacks"]} >= {"copies", "singling out", "linkability", "inference"}
    assert main([*line, "--control", str(original)]) == 0
    assert "no better than a coin" in capsys.readouterr().out
