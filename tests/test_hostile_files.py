"""Files made to break the reader: each is told in one line, with the exit code of bad input."""

from pathlib import Path

import polars as pl
import pytest

from anonset.cli import main

DEEP = "a = " + "[" * 1_000 + "]" * 1_000 + "\n"
LONG = "a = " + "9" * 5_000 + "\n"
DATA = "[[data]]\npath = 'b.dat'\n"
RUN = "[[run]]\nalgorithm = 'aa'\nk = 2\n"
PLANS = {
    "a path that is a number": "[[data]]\npath = 5\n" + RUN,
    "a run that is a table": DATA + "[run]\nalgorithm = 'aa'\nk = 2\n",
    "a run that is a text": "run = 'aa'\n" + DATA,
    "runs that are numbers": "run = [1, 2]\n" + DATA,
    "measures that are a number": "measures = 5\n" + DATA + RUN,
    "values in nested lists": DATA + "[[run]]\nalgorithm = 'aa'\nk = [[2]]\n",
    "limits that are a number": "limits = 5\n" + DATA + RUN,
    "a workload that is a list": "workload = [1]\n" + DATA + RUN,
    "fewer than no queries": DATA + RUN + "[workload]\nn = -1\n",
    "a number of queries that is a text": DATA + RUN + "[workload]\nn = 'many'\n",
    "a list of algorithms": DATA + "[[run]]\nalgorithm = ['aa']\nk = 2\n",
    "millions of combinations": DATA + "[[run]]\nalgorithm = 'aa'\n" + "".join(f"{p} = {list(range(1, 2000))}\n" for p in "km"),
    "a schema that is a number": "[[data]]\npath = 'b.dat'\nschema = 5\n" + RUN,
    "deep nesting": DEEP,
    "a long number": LONG,
}


def told(capsys, *words):
    """What a command ends with and says, without the folder the test happens to run in."""
    code = main([str(word) for word in words])
    folder = next((word.parent for word in words if isinstance(word, Path)), None)
    return code, capsys.readouterr().err.replace(str(folder), "")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b.dat").write_text("1 2\n1 2\n2 3\n2 3\n")
    (tmp_path / "t.csv").write_text("age,codes\n3,a|b\n4,a\n3,b\n4,a|b\n")
    return tmp_path


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_of_another_shape_is_told(name, folder, capsys):
    (folder / "plan.toml").write_text(PLANS[name])

    code, error = told(capsys, "compare", folder / "plan.toml", "-o", folder / "study")

    assert code == 2
    assert error.count("\n") == 1
    assert "internal error" not in error


@pytest.mark.parametrize("text", [DEEP, LONG])
@pytest.mark.parametrize("use", ["schema", "policy"])
def test_toml_made_to_break_the_parser_is_told(use, text, folder, capsys):
    (folder / "x.toml").write_text(text)
    command = {
        "schema": ("profile", folder / "t.csv", "--schema", folder / "x.toml"),
        "policy": ("policy", "check", folder / "x.toml", folder / "b.dat"),
    }[use]

    code, error = told(capsys, *command)

    assert (code, error.count("\n")) == (2, 1)
    assert "too deeply" in error or "too long" in error


@pytest.mark.parametrize("hierarchy", ["h\0.csv", "balanced" * 60, "x" * 5_000, "balanced:" + "9" * 5_000])
def test_a_hierarchy_by_a_name_that_is_none_is_told(hierarchy, folder, capsys):
    words = ("anonymize", folder / "b.dat", "-a", "aa", "-k", "2", "--hierarchy", hierarchy, "-o", folder / "out")

    code, error = told(capsys, *words)

    assert (code, error.count("\n")) == (2, 1)
    assert len(error) < 1_500
    assert "internal error" not in error


def test_a_hierarchy_of_a_hundred_thousand_levels_is_told(folder, capsys):
    levels = ";".join(f"n{i}" for i in range(100_000))
    (folder / "h.csv").write_text("".join(f"{leaf};{levels};*\n" for leaf in (1, 2, 3)))

    code, error = told(
        capsys, "anonymize", folder / "b.dat", "-a", "aa", "-k", "2", "--hierarchy", folder / "h.csv", "-o", folder / "out"
    )

    assert (code, error.count("\n")) == (2, 1)
    assert "levels" in error


@pytest.mark.parametrize("algorithm", ["nr-k", "nr-l", "gray-ring", "cahd"])
def test_a_number_that_nobody_has_is_no_internal_error(algorithm, folder, capsys):
    rows = "".join(f"NA,{'a|b' if i % 2 else 'a'},{'xy'[i % 2]}\n" for i in range(8))
    (folder / "m.csv").write_text("age,codes,secret\n" + rows)
    words = ("anonymize", folder / "m.csv", "-a", algorithm, "--quasi", "age", "--sensitive", "secret", "--items", "codes")
    size = ("-k", "2") if algorithm in ("nr-k", "gray-ring") else ("-l", "2")

    code, error = told(capsys, *words, "--item-separator", "|", *size, "--no-report", "-o", folder / "out")

    assert code in (0, 2, 4)
    assert "internal error" not in error


def test_a_first_row_of_data_where_a_header_should_be_is_not_repeated(folder, capsys):
    (folder / "n.csv").write_text("P17,34,Oslo,flu\nP18,35,Bergen,flu\n")

    code, error = told(capsys, "anonymize", folder / "n.csv", "--quasi", "age", "-k", "2", "-o", folder / "out")

    assert code == 2
    assert not any(text in error for text in ("P17", "34", "Oslo", "flu"))


def test_a_long_field_is_not_repeated(folder, capsys):
    (folder / "l.csv").write_text("age,codes\n" + "x" * 10_000 + ",a\n3,b\n")
    (folder / "s.toml").write_text('quasi = ["age"]\nitems = ["codes"]\nkinds = { age = "numeric" }\n')

    code, error = told(capsys, "profile", folder / "l.csv", "--schema", folder / "s.toml")

    assert code == 2
    assert len(error) < 400
    assert "x" * 41 not in error


def test_a_hundred_thousand_columns_are_refused_at_once(folder, capsys):
    (folder / "w.csv").write_text(",".join(f"c{i}" for i in range(100_000)) + "\n1" + ",1" * 99_999 + "\n")

    code, error = told(capsys, "profile", folder / "w.csv")

    assert (code, error.count("\n")) == (2, 1)
    assert "has 100,000 columns, and 10,000 are the most" in error
    assert "ANONSET_MOST_COLUMNS" in error


@pytest.mark.parametrize("name", ["w.jsonl", "w.parquet"])
def test_columns_are_counted_in_every_format(name, folder, capsys, monkeypatch):
    monkeypatch.setenv("ANONSET_MOST_COLUMNS", "20")
    (folder / "w.jsonl").write_text("".join(f'{{"c{i}": 1}}\n' for i in range(21)))
    pl.DataFrame({f"c{i}": [1] for i in range(21)}).write_parquet(folder / "w.parquet")

    code, error = told(capsys, "profile", folder / name)

    assert code == 2
    assert "has 21 columns, and 20 are the most" in error


def test_a_workload_that_fills_the_memory_is_refused_at_once(folder, capsys):
    code, error = told(capsys, "workload", folder / "b.dat", "-n", "1000000000", "-o", folder / "w.json")

    assert (code, error.count("\n")) == (2, 1)
    assert "1,000,000 queries are the most; ANONSET_MOST_QUERIES allows more" in error
