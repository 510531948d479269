"""What a user sees when all goes well; the written files are read back as published."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from anonset.cli import main
from anonset.cli.app import COMMANDS

TABLE = "name,age,city,illness,codes\n" + "".join(
    f"P{n},{30 + 10 * (n % 2)},{('Rome', 'Oslo')[n % 2]},{('flu', 'cold')[n // 2 % 2]},{('a b', 'c')[n % 2]}\n"
    for n in range(8)
)
READ = "--identifier name --quasi age,city --sensitive illness --items codes"


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "shop.dat").write_text("1 2\n1 2\n3\n3\n\n\n")
    return tmp_path


def run(capsys, line, code=0):
    """What a command printed, after it ended with the code; pages, which take long to draw, only where asked for."""
    plain = ["--no-report"] if line.startswith("anonymize") and "--report" not in line else []
    found = main(line.split() + plain)
    captured = capsys.readouterr()
    assert found == code, captured.err
    return captured.out


def run_json(capsys, line, code=0):
    return json.loads(run(capsys, line + " --json", code))


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_from_a_table_to_a_verified_release(work, capsys, format):
    made = run_json(capsys, f"anonymize people.csv {READ} -a identity -k 4 -o out --format {format}")
    checked = run_json(capsys, "verify out --original people.csv")
    measured = run_json(capsys, "measure out --original people.csv")

    assert made["holds"]
    assert made["records"] == 8
    assert (checked["holds"], checked["violations"], checked["truth_checked"]) == (True, 0, True)
    assert measured["ncp"] == 0
    assert measured == pytest.approx(made["measures"])


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_records_alone_go_to_standard_output_once_they_are_verified(work, capsysbinary, format):
    wanted = f"{READ} -a identity -k 4 --format {format}".split()
    assert main(["anonymize", "people.csv", *wanted, "-o", "out", "--no-report"]) == 0
    capsysbinary.readouterr()

    code = main(["anonymize", "people.csv", *wanted, "-o", "-", "--json"])
    captured = capsysbinary.readouterr()

    assert code == 0
    assert captured.out == (work / f"out/published/records.{format}").read_bytes()
    assert json.loads(captured.err.splitlines()[-1])["output"] == "-"
    assert sorted(path.name for path in work.iterdir()) == ["out", "people.csv", "shop.dat"]


def test_nothing_goes_to_standard_output_where_the_promise_is_not_kept(work, capsysbinary):
    wanted = f"{READ} -a identity -k 5 --accept-exposure illness -o -".split()
    assert main(["anonymize", "people.csv", *wanted]) in (3, 4)
    assert capsysbinary.readouterr().out == b""


def test_from_baskets_to_a_verified_release(work, capsys):
    run(capsys, "anonymize shop.dat -a identity -k 2 -m 2 --hierarchy balanced:2 -o out --format fimi")

    assert (work / "out/published/records.dat").read_text() == "\n\n1 2\n1 2\n3\n3\n"
    assert "km-anonymity: holds" in run(capsys, "verify out --original shop.dat")


def test_nothing_published_knows_of_identifiers_paths_or_rows(work, capsys):
    run(capsys, f"anonymize people.csv {READ} -a identity -k 4 -o out --report")

    text = "".join(path.read_text() for path in (work / "out/published").iterdir())

    assert not [word for word in ("P1", "people.csv", str(work)) if word in text]
    assert pl.read_csv("out/published/records.csv").columns == ["age", "city", "illness", "codes"]
    assert sorted(pl.read_csv("out/private/rows.csv")["input_row"].to_list()) == list(range(8))


def test_a_changed_line_ends_with_3_and_is_named(work, capsys):
    run(capsys, "anonymize shop.dat -a identity -k 2 -o out")
    path = work / "out/published/records.csv"
    path.write_text(path.read_text().replace("1 2", "1 3", 1))

    assert main(["verify", "out", "--original", "shop.dat"]) == 3
    captured = capsys.readouterr()

    assert "km-anonymity: DOES NOT HOLD" in captured.out
    assert "truthful: DOES NOT HOLD" in captured.out
    assert captured.err.startswith("anonset: km-anonymity does not hold (3 violations): 1 record shows {2}")
    assert run_json(capsys, "verify out --original shop.dat", 3)["violations"] > 0


def test_overwriting(work, capsys):
    run(capsys, "anonymize shop.dat -a identity -k 1 -o out")
    run(capsys, "anonymize shop.dat -a identity -k 2 -o out --overwrite --quiet")

    assert json.loads((work / "out/published/about.json").read_text())["guarantees"][0]["k"] == 2


def test_guessed_roles_are_shown(work, capsys):
    assert main(["anonymize", "people.csv", "-a", "identity", "-k", "1", "-o", "out", "--no-report"]) == 0
    captured = capsys.readouterr()

    assert "age is quasi" in captured.err
    assert "guessed" not in captured.out


def test_a_schema_file_and_flags_that_come_first(work, capsys):
    (work / "schema.toml").write_text('identifier = ["name"]\nquasi = ["age"]\nitems = ["codes"]\n')

    found = run_json(capsys, "profile people.csv --schema schema.toml --quasi city")

    assert {c["name"]: c["role"] for c in found["columns"]} == {
        "name": "identifier",
        "age": "none",
        "city": "quasi",
        "illness": "none",
        "codes": "items",
    }


def test_profile(work, capsys):
    found = run_json(capsys, f"profile people.csv {READ}")
    text = run(capsys, f"profile people.csv {READ}")

    assert found["records"] == 8
    facts = {"items": 3, "mean": 1.5, "most": 2, "empty": 0, "sensitive": 0, "hierarchy": None}
    assert found["items"] == facts | {"commonest": [], "rare": 3, "lengths": found["items"]["lengths"]}
    assert found["unique"].items() >= {"quasi": 0.0, "items": [0.0, 0.0, 0.0], "quasi_and_items": [0.0, 0.0]}.items()
    assert found["unique"]["sampled"] is None
    assert "people.csv: 8 records" in text
    assert "the quasi values and 2 items  0.00 %" in text


def test_profile_of_baskets_says_who_is_unique(work, capsys):
    (work / "few.dat").write_text("1\n1 2\n1 2\n2 3\n")

    assert run_json(capsys, "profile few.dat")["unique"]["items"] == [0.25, 0.25, 0.25]


def test_hierarchies_are_built_shown_and_checked(work, capsys):
    assert "3 leaves" in run(capsys, "hierarchy build balanced:2 shop.dat -o h.csv")
    assert (work / "h.csv").read_text() == "1;1..2;*\n2;1..2;*\n3;3;*\n"
    assert "1..2 (2)" in run(capsys, "hierarchy show h.csv")
    assert "... 1 more" in run(capsys, "hierarchy show h.csv --width 1")
    assert run_json(capsys, "hierarchy show h.csv")["leaves"] == 3
    assert "no problem found" in run(capsys, "hierarchy check h.csv --data shop.dat")
    run(capsys, "hierarchy build ranges:2 people.csv --column age -o ages.json")
    assert run_json(capsys, "hierarchy check ages.json --data people.csv --column age") == {"complaints": []}


def test_complaints_about_a_hierarchy_name_their_lines(work, capsys):
    (work / "h.csv").write_text("1;a;*\n2;a;*\n1;b;*\n")

    text = run(capsys, "hierarchy check h.csv", 2)

    assert "h.csv, line 3" in text


def test_algorithms_are_listed_with_their_parameters(capsys):
    listed = run_json(capsys, "algorithms")
    text = run(capsys, "algorithms identity")

    assert [p["name"] for p in listed["identity"]["parameters"]] == ["k", "m", "l"]
    assert "k          integer 1..1e+09  required  records no attacker can tell apart" in text
    assert "identity" in run(capsys, "algorithms")


def test_a_workload_adds_its_error(work, capsys):
    run(capsys, "anonymize shop.dat -a identity -k 2 -o out")
    from anonset.measure.workload import Query, Workload

    (work / "w.json").write_text(Workload((Query(items=("1",)),)).to_json())

    assert run_json(capsys, "measure out --original shop.dat --measure ncp-items --workload w.json") == {
        "ncp-items": 0.0,
        "are": 0.0,
    }


@pytest.mark.parametrize(
    ("content", "flags", "holds"),
    [
        ("A\nA\n3\n3\n\n\n", "-k 2 -m 2", True),
        ("(1,2)\n1|2\n3\n3\n\n\n", "-k 2 -m 1", False),  # spelled in two ways: they can be told apart
        ("{1,2}\n{1,2}\n3\n3\n\n\n", "-k 2 -m 2 --aligned", True),
        ("3\n3\nA\nA\n\n\n", "-k 2 -m 2 --aligned", False),  # not true
        ("3\n3\nA\nA\n\n\n", "-k 2 -m 2", True),
        ("A\nA\n3\n", "-k 2 -m 2", False),
    ],
)
def test_a_file_of_another_tool(work, capsys, content, flags, holds):
    (work / "h.csv").write_text("1;A;*\n2;A;*\n3;B;*\n")
    (work / "theirs.dat").write_text(content)

    line = f"verify theirs.dat --original shop.dat --hierarchy h.csv --guarantee km-anonymity {flags}"

    assert run_json(capsys, line, 0 if holds else 3)["holds"] == holds


@pytest.mark.parametrize(
    ("age", "city", "holds"),
    [
        ("[30:40]", "*", True),
        ("30-40", "{Oslo,Rome}", True),
        ("[30, 41)", "Oslo|Rome", True),
        ("*", "*", True),
        ("[30:39]", "*", False),
    ],
)
def test_a_table_of_another_tool(work, capsys, age, city, holds):
    rows = [line.split(",")[3:] for line in TABLE.splitlines()[1:]]
    (work / "theirs.csv").write_text("age;city;illness;codes\n" + "".join(f"{age};{city};{i};{c}\n" for i, c in rows))

    line = f"verify theirs.csv --original people.csv {READ} --guarantee k-anonymity -k 8 --aligned"

    assert run_json(capsys, line, 0 if holds else 3)["holds"] == holds


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "m", "hierarchy", "format"),
    [
        ("bms_webview_1.dat.gz", 2, "balanced:5", "csv"),
        ("bms_webview_2.dat.gz", 3, "balanced:5", "fimi"),
        ("groceries.dat.gz", 2, "{data}/hierarchies/groceries.csv", "jsonl"),
    ],
)
def test_real_baskets_from_file_to_verified_release(work, capsys, real_data, file, m, hierarchy, format):
    data, tree = real_data / "transactions" / file, hierarchy.format(data=real_data)

    run(capsys, f"anonymize {data} -a aa -k 5 -m {m} --hierarchy {tree} --format {format} -o out")
    assert run_json(capsys, f"verify out --original {data}")["holds"]

    path = next((work / "out/published").glob("records.*"))
    lines = path.read_text().splitlines(keepends=True)
    lines[1], lines[-1] = lines[-1], lines[1]
    path.write_text("".join(lines))
    found = run_json(capsys, f"verify out --original {data}", 3)
    assert "shows" in next(f["witnesses"][0] for f in found["findings"] if f["guarantee"] == "truthful")


def test_help_is_quick_since_nothing_heavy_is_imported():
    code = (
        "import sys; from anonset.cli import main; main(['--help']); "
        "print([m for m in ('numpy', 'polars', 'numba', 'scipy') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
    assert all(command in done.stdout for command in COMMANDS)


def test_progress_is_shown_on_a_terminal_and_not_in_the_result(work, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    assert main(["anonymize", "shop.dat", "-a", "identity", "-k", "2", "-o", "out", "--json", "--no-report"]) == 0
    captured = capsys.readouterr()

    assert json.loads(captured.out)["holds"]
    assert "Anonymizing" in captured.err
    assert main(["anonymize", "shop.dat", "-a", "identity", "-k", "2", "-o", "out2", "--quiet", "--no-report"]) == 0
    assert capsys.readouterr().err == ""


def test_interrupting_the_program_leaves_nothing(work):
    """Ctrl-C and termination while the release is being verified, in a process of its own."""
    script = (
        "import os, signal, sys, time, anonset.releases.publish as p; from anonset.cli import main; "
        "word = sys.argv.pop(); "
        "p.verify = lambda *a, **b: os.kill(os.getpid(), getattr(signal, word)) or [time.sleep(0.01) for _ in range(10**4)]; "
        "sys.exit(main())"
    )
    for name in ("SIGINT", "SIGTERM"):
        line = ["anonymize", "shop.dat", "-a", "identity", "-k", "2", "-o", "out", "--no-report"]
        done = subprocess.run([sys.executable, "-c", script, *line, name], capture_output=True, text=True)

        assert done.returncode == 130
        assert done.stderr == "anonset: interrupted; nothing was written\n"
        assert {path.name for path in work.iterdir()} == {"people.csv", "shop.dat"}


def test_version_and_no_arguments(capsys):
    assert run(capsys, "--version").startswith("anonset ")
    assert main([]) in {0, 2}
    assert "Usage" in "".join(capsys.readouterr())


def test_the_reference_in_the_docs_is_that_of_the_program():
    from anonset.cli.reference import reference

    page = Path(__file__).parents[1] / "docs" / "cli.md"

    assert page.read_text(encoding="utf-8") == reference()


def test_items_are_counted_from_what_is_published_alone(work, capsys):
    run(capsys, "anonymize shop.dat -a nr-k -k 2 -o out")

    shown = run(capsys, "query out/published --present 1 --absent 3")
    counted = run_json(capsys, "query out --present 1,2")

    assert shown.split()[0] == "certain"
    assert counted["certain"] <= 2 <= counted["possible"]
    assert main(["query", "out", "--where", "city"]) == 2
    assert "--where needs name=value" in capsys.readouterr().err
