"""People, not rows: whatever the column that tells people apart is called, and whichever interface is used."""

import json
import random
import sqlite3

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.cli import main
from anonset.data import Schema, guess, read
from anonset.errors import ExposureError, InputError
from anonset.tasks.inputs import Input
from anonset.tasks.project import ProjectRequest, project_of, project_toml, propose
from anonset.tasks.project import run as run_project

TOWNS = ("Milan", "Rome", "Turin", "Genoa", "Bari", "Pisa", "Siena", "Parma")
CODES = ("E11", "I10", "J45", "F32", "K21", "M54", "N18")
REFS = {
    "hashes": lambda n, rng: f"{rng.getrandbits(40):010x}",
    "numbers": lambda n, rng: str(1000 + n),
    "codes": lambda n, rng: f"K-{n:04d}",
    "addresses": lambda n, rng: f"a{n}@example.org",
    "words": lambda n, rng: "".join(rng.choice("abcdefghij") for _ in range(6)),
}


def visits(people=119, rows=600, *, name="ref", form="hashes", seed=1):
    rng = random.Random(seed)
    known = [(REFS[form](n, rng), rng.randint(20, 80), rng.choice("MF"), rng.choice(TOWNS)) for n in range(people)]
    chosen = [*known, *(rng.choice(known) for _ in range(rows - people))]
    columns = (name, "age", "sex", "town")
    return pl.DataFrame([dict(zip(columns, person, strict=True)) | {"diag": rng.choice(CODES)} for person in chosen])


@pytest.fixture
def file(tmp_path):
    visits().write_csv(tmp_path / "visits.csv")
    return tmp_path / "visits.csv"


PCTA = {"items": "pcta"}
ROLES = {"quasi": ["age", "sex", "town"], "items": ["diag"]}


@pytest.mark.parametrize("form", REFS)
@pytest.mark.parametrize("name", ["ref", "x", "Nummer", "patient_id"])
@pytest.mark.parametrize("how", ["given", "absent", "guessed"])
def test_a_column_that_repeats_is_evidence_whatever_it_is_called(name, form, how):
    roles = {"given": ROLES | {"identifier": [name]}, "absent": ROLES, "guessed": {}}[how]

    assert anonset.read(visits(name=name, form=form), **roles).tied == (name,)


@pytest.mark.parametrize(("name", "form"), [("ref", "words"), ("x", "hashes"), ("x", "addresses"), ("x", "numbers")])
def test_small_tables_have_people_too(name, form):
    small = visits(10, 30, name=name, form=form)

    assert anonset.read(small, **ROLES, identifier=[name]).tied == (name,)


@pytest.mark.parametrize("column", ["town", "sex", "age", "diag"])
def test_a_plain_column_may_be_dropped(column):
    rows = visits().drop("ref")
    others = [name for name in ("age", "sex", "town", "diag") if name != column]

    assert anonset.read(rows, identifier=[column], quasi=others, items=[]).tied == ()


def test_orders_without_people_are_no_evidence():
    rng = np.random.default_rng(0)
    product, place = rng.integers(0, 120, 900), rng.integers(0, 80, 900)
    price, kind = np.round(rng.random(120) * 50, 2), rng.integers(0, 9, 120)
    orders = pl.DataFrame(
        {
            "product_id": [f"{(int(p) * 2654435761) % 2**40:010x}" for p in product],
            "price": price[product],
            "category": [f"c{c}" for c in kind[product]],
            "zip": 10000 + place,
            "city": [f"city {i // 3}" for i in place],
            "state": [f"st{i // 20}" for i in place],
            "qty": rng.integers(1, 9, 900),
        }
    )

    for given in ((), *((name,) for name in orders.columns)):
        schema = Schema(identifier=given, quasi=tuple(c for c in ("qty", "zip") if c not in given)) if given else Schema()
        assert not [fate.column for fate in guess(orders, schema=schema).fates if fate.ties]


def test_the_command_line_refuses_gathers_and_insists(file, capsys, tmp_path):
    asked = ["anonymize", str(file), "-k", "5", "-m", "2", "--quasi", "age,sex,town", "--items", "diag", "--no-report"]
    for roles in ([], ["--identifier", "ref"]):
        assert main([*asked, *roles, "-o", str(tmp_path / "no")]) == 2
        told = capsys.readouterr().err
        assert "gather one record a person (--key ref)" in told
        assert "--accept-repeats" in told
        assert not (tmp_path / "no").exists()

    assert main([*asked, "--key", "ref", "-o", str(tmp_path / "people"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["records"], result["unit"], result["gathered"]["rows"]) == (119, "people", 600)
    assert main(["verify", str(tmp_path / "people"), "--original", str(file)]) == 0
    assert "counted: people" in capsys.readouterr().out

    assert main([*asked, "--accept-repeats", "-o", str(tmp_path / "rows")]) == 0
    assert "records, of which several are one person's (accepted)" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "rows"), "--original", str(file)]) == 0
    manifest = json.loads((tmp_path / "rows/private/manifest.json").read_text())
    about = json.loads((tmp_path / "rows/published/about.json").read_text())
    assert manifest["accepted"]["repeats"] is True
    assert about["unit"] == "records"
    assert "records are counted, not people" in about["accepted"][0]


def test_python_refuses_gathers_and_insists(tmp_path):
    rows = visits()
    release = anonset.anonymize(anonset.read(rows, **ROLES), "rmerge-r", items="pcta", k=5, m=2)

    with pytest.raises(ExposureError, match=r"key='ref'.*accept_repeats=True"):
        release.write(tmp_path / "no")
    with pytest.raises(ExposureError, match="several rows"):
        release.to_pandas()
    assert not release.verify().holds, "k rows are no k people"
    assert release.verify().findings[0].unit == "people"
    assert len(release.to_polars(accept_repeats=True, accept_loss=True)) == 600
    accepted = release.verify(accept_repeats=True)
    assert accepted.holds
    assert accepted.unit == "records"
    assert accepted.fewest_people < 5

    people = anonset.anonymize(anonset.read(rows, key="ref", **ROLES), "rmerge-r", items="pcta", k=5, m=2)
    assert people.verify().unit == "people"
    assert len(people.to_polars(accept_loss=True)) == 119
    with pytest.raises(ExposureError, match="several rows"):
        anonset.anonymize_frame(rows, "rmerge-r", k=5, m=2, parameters=PCTA, **ROLES)
    assert (
        len(anonset.anonymize_frame(rows, "rmerge-r", key="ref", accept_loss=True, k=5, m=2, parameters=PCTA, **ROLES)) == 119
    )


def test_a_project_gathers_by_itself(file, tmp_path):
    source = Input(file)
    data = propose(source).data
    made = project_of(data, source, tmp_path, hierarchies={}, k=3, m=1, output="out", cover={})
    assert made.data["id"] == "ref"
    assert made.sentence.endswith("finds at least 3 people who fit.")
    (tmp_path / "anonset.toml").write_text(project_toml(made))

    result = run_project(ProjectRequest(tmp_path / "anonset.toml"))

    assert result.runs[0].made.verdict.unit == "people"
    assert result.runs[0].made.records == 119


def test_a_project_without_a_key_is_refused_unless_it_insists(file, tmp_path):
    text = f"""version = 1
[data]
path = "{file.name}"
[roles]
quasi = ["age", "sex", "town"]
identifier = ["ref"]
[promise]
k = 3
[[run]]
output = "out"
report = false
algorithm = "mondrian"
"""
    (tmp_path / "anonset.toml").write_text(text)
    with pytest.raises(ExposureError, match="several rows"):
        run_project(ProjectRequest(tmp_path / "anonset.toml"))
    (tmp_path / "anonset.toml").write_text(text + "accept_repeats = true\n")
    assert run_project(ProjectRequest(tmp_path / "anonset.toml")).runs[0].made.verdict.unit == "records"
    (tmp_path / "anonset.toml").write_text(
        text.replace('path = "visits.csv"', 'path = "visits.csv"\nkey = "ref"').replace('identifier = ["ref"]', "")
    )
    assert run_project(ProjectRequest(tmp_path / "anonset.toml", again=True)).runs[0].made.verdict.unit == "people"


def test_data_in_batches_refuse_the_same_evidence(file, tmp_path):
    with pytest.raises(ExposureError, match="several rows"):
        anonset.anonymize_files(file, tmp_path / "out", "mondrian", k=5, quasi=["age", "sex", "town"])
    roles = {"quasi": ["age", "sex", "town"], "identifier": ["diag"]}
    made = anonset.anonymize_files(file, tmp_path / "out", "mondrian", k=5, accept_repeats=True, **roles)
    assert made.verdict.holds
    gathered = anonset.anonymize_files(file, tmp_path / "gathered", "mondrian", k=5, key="ref", **roles)
    assert gathered.verdict.holds
    assert gathered.records < made.records


def differing():
    return pl.DataFrame(
        {
            "ref": ["a", "a", "b", "b", "c", "d"],
            "age": [30, 32, 40, 40, 41, None],
            "town": ["Rome", "Milan", "Bari", None, "Rome", "Bari"],
            "day": ["2024-01-01", "2024-02-01", "2024-01-03", "2024-01-03", "2024-01-05", "2024-01-06"],
            "weight": [1, 2, 3, 4, 5, 6],
            "diag": ["x y", "y", "z", "x", "", "z"],
        }
    )


def test_values_that_differ_become_ends_and_values_that_name_all():
    data = anonset.read(differing(), key="ref", quasi=["age", "town", "day"], items=["diag"], item_separator=" ")

    shown = {c.name: [c.domain[code] if code >= 0 else None for code in c.codes] for c in data.columns}
    assert shown["age_lowest"] == ["30", "40", "41", None]
    assert shown["age_highest"] == ["32", "40", "41", None]
    assert shown["town"] == ["Milan + Rome", "Bari", "Rome", "Bari"]
    assert shown["day"][0] == "2024-01-01 + 2024-02-01"
    assert data.column("day").hierarchy is not None, "days keep their calendar"
    assert list(data.transactions.records()) == [{"x", "y"}, {"x", "z"}, set(), {"z"}]
    assert data.gathered.differing == {"age": 1, "town": 1, "day": 1, "weight": 2}
    assert data.gathered.left_out == ("weight",)
    assert "6 rows are 4 people" in data.gathered.sentence
    again = read(differing(), schema=Schema.from_values(data.reading))
    assert [c.name for c in again.columns] == [c.name for c in data.columns]
    assert again.people.tolist() == [0, 1, 2, 3]


def test_a_value_of_its_own_is_a_leaf_below_what_all_have_in_common(tmp_path):
    (tmp_path / "town.csv").write_text("Rome;south;*\nBari;south;*\nMilan;north;*\nTurin;north;*\n")
    rows = pl.DataFrame({"ref": ["a", "a", "b", "b", "c"], "town": ["Rome", "Bari", "Rome", "Milan", "Turin"]})

    data = anonset.read(rows, key="ref", quasi=["town"], items=[], hierarchies={"town": tmp_path / "town.csv"})

    tree = data.column("town").hierarchy
    above = {leaf: tree.labels[tree.parent[node]] for node, leaf in enumerate(tree.leaves)}
    assert above["Bari + Rome"] == "south"
    assert above["Milan + Rome"] == "*"
    assert above["Turin"] == "north"
    release = anonset.anonymize(data, "mondrian", k=3)
    assert release.verify().holds


def test_columns_alone_lists_and_databases_are_gathered(tmp_path):
    rows = visits(20, 80)
    columns = anonset.read(rows.drop("diag"), key="ref", quasi=["age", "sex", "town"])
    lists = anonset.read(rows.with_columns(pl.concat_list("diag", "town").alias("codes")).drop("diag"), key="ref")
    with sqlite3.connect(tmp_path / "t.db") as database:
        rows.to_pandas().to_sql("visits", database, index=False)
    tables = anonset.read(f"sqlite:///{tmp_path / 't.db'}", table="visits", key="ref", **ROLES)

    assert (len(columns), columns.transactions, columns.unit) == (20, None, "people")
    assert len(lists) == len(tables) == 20
    assert lists.item_column == "codes"
    assert sorted(map(sorted, tables.transactions.records())) == sorted(
        map(sorted, anonset.read(rows, key="ref", **ROLES).transactions.records())
    )
    release = anonset.anonymize(tables, "rmerge-r", items="pcta", k=3, m=1)
    release.write(tmp_path / "out", report=False, accept_loss=True)
    again = anonset.load(tmp_path / "out", f"sqlite:///{tmp_path / 't.db'}", Schema(table="visits"))
    assert again.verify().unit == "people"


def test_rows_of_nobody_cannot_be_gathered():
    with pytest.raises(InputError, match="every row needs an id; 1 have none"):
        anonset.read(pl.DataFrame({"ref": ["a", None], "age": [1, 2]}), key="ref", quasi=["age"])


def test_another_column_of_people_still_ties_what_was_gathered_by_less():
    rows = visits(name="patient_id").with_row_index("visit_id")

    assert anonset.read(rows, key="visit_id", **ROLES).tied == ("patient_id",)


def test_where_no_column_can_tell_records_are_counted(tmp_path):
    rows = visits().drop("ref")
    data = anonset.read(rows, **ROLES)
    verdict = anonset.anonymize(data, "rmerge-r", items="pcta", k=2, m=1).verify()

    assert data.people is None
    assert verdict.unit == "records"
    assert verdict.counted.endswith("each record was taken for one person: no column could tell")
    named = anonset.read(rows.with_row_index("patient_id"), **ROLES)
    assert (named.unit, named.people_column) == ("people", "patient_id")


def test_the_report_says_what_was_counted(file, tmp_path):
    asked = ["anonymize", str(file), "-k", "5", "-a", "mondrian", "--quasi", "age,sex,town", "--items", ""]
    assert main([*asked, "--key", "ref", "-o", str(tmp_path / "people")]) == 0
    assert main([*asked, "--accept-repeats", "-o", str(tmp_path / "rows")]) == 0

    people, rows = (json.loads((tmp_path / name / "report.json").read_text()) for name in ("people", "rows"))

    assert "at least 5 people who look alike" in people["promises"][0]["words"]
    assert "600 rows of 119 people were gathered by ref" in people["counted"]["words"]
    assert "at least 5 records that look alike" in rows["promises"][0]["words"]
    assert "several are one person's" in rows["counted"]["words"]
    assert "repeat" in rows["accepted"][0]
    assert "of which several are one person" in (tmp_path / "rows/published/about.html").read_text()


def brute(rows, key, shown, whose):
    """The people behind each published combination."""
    found = {}
    for record, person in zip(shown, whose, strict=True):
        found.setdefault(record, set()).add(person)
    return min(map(len, found.values()))


def test_the_verifier_counts_people_as_brute_force_does(tmp_path):
    for seed in range(20):
        rows = visits(12, 40, seed=seed)
        data = anonset.read(rows, quasi=["age", "sex"], items=[])
        release = anonset.anonymize(data, "mondrian", k=4)
        shown = [tuple(int(c.codes[r]) for c in release.columns) for r in range(len(release))]
        whose = [rows["ref"][row] for row in release.rows.tolist()]

        fewest = brute(rows, "ref", shown, whose)

        assert release.verify(accept_repeats=True).findings[0].people == fewest
        assert release.verify().holds == (fewest >= 4)


def test_a_release_of_before_is_found_short(file, tmp_path):
    """A manifest that accepts nothing: the check counts people, whoever wrote the release."""
    asked = ["anonymize", str(file), "-k", "5", "-m", "2", "--quasi", "age,sex,town", "--items", "diag", "--no-report"]
    assert main([*asked, "--accept-repeats", "-o", str(tmp_path / "out")]) == 0
    path = tmp_path / "out/private/manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"accepted": {"exposure": {}, "loss": {}}}))

    assert main(["verify", str(tmp_path / "out"), "--original", str(file)]) == 3
