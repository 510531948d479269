"""What a careless publisher does is refused with a way out, or harmless: in every interface."""

import json
import shlex

import pytest

import anonset
from anonset.cli import main
from anonset.errors import ExposureError, ParameterError
from careless_people import COLUMNS, identifiers, leaked, people, write
from careless_uses import HARMLESS, K_OF_ONE, REFUSED

N = 300
PEOPLE = people(N)
TRIED = (
    "no roles at all",
    "tags among items",
    "tags among items, bare pattern",
    "doctor as quasi",
    "age and town as sensitive",
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write(tmp_path_factory.mktemp("careless") / "people.csv", PEOPLE)


def anonymize(table, flags, out, k=5):
    return main(["anonymize", str(table), "-k", str(k), "-m", "2", *shlex.split(flags), "--no-report", "-o", str(out)])


@pytest.mark.parametrize("use", REFUSED)
def test_a_careless_use_is_refused_with_a_way_out(use, table, tmp_path, capsys):
    flags, way_out = REFUSED[use]

    code = anonymize(table, flags, tmp_path / "out")
    said = capsys.readouterr().err

    assert code == 2, said
    assert way_out.split()[0] in said
    assert way_out.split()[1].removeprefix("tags.").split(",")[0] in said
    assert not (tmp_path / "out").exists()
    assert not leaked_in(said)


@pytest.mark.parametrize("use", TRIED)
def test_the_way_out_works_and_is_recorded(use, table, tmp_path, capsys):
    flags, way_out = REFUSED[use]

    code = anonymize(table, f"{flags} {way_out} --accept-loss", tmp_path / "out")
    said = capsys.readouterr().err

    assert code == 0, said
    about = json.loads((tmp_path / "out" / "published" / "about.json").read_text())
    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    if "--accept-exposure" in way_out:
        names = way_out.split()[1].split(",")
        assert set(names) <= set(manifest["accepted"]["exposure"])
        assert all(any(name in sentence for sentence in about["accepted"]) for name in names)
    else:
        assert about["accepted"] == []
        assert f"items removed on reading, like {way_out.split()[1]}: {N}, in {N} places" in said
    if "doctor" not in use:
        assert leaked(tmp_path / "out" / "published", identifiers(PEOPLE)) == []


@pytest.mark.parametrize("use", HARMLESS)
def test_an_ordinary_use_is_let_through_and_shows_no_identifier(use, table, tmp_path, capsys):
    code = anonymize(table, f"{HARMLESS[use].flags} --accept-loss", tmp_path / "out")

    assert code == 0, capsys.readouterr().err
    assert leaked(tmp_path / "out" / "published", identifiers(PEOPLE)) == []


def test_a_k_of_one_is_refused_before_anything_is_read(tmp_path, capsys):
    assert anonymize(tmp_path / "nowhere.csv", K_OF_ONE, tmp_path / "out", k=1) == 2
    said = capsys.readouterr().err

    assert "k = 1 protects nobody" in said
    assert "ask for -k 2" in said


def test_a_project_that_was_accepted_as_it_is_publishes_no_identifier(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    few = tuple(name for name in COLUMNS if name in ("pid", "name", "doctor", "sex", "age", "town", "disease", "tags"))
    write(tmp_path / "people.csv", PEOPLE, few)

    assert main(["init", "people.csv", "--yes"]) == 0
    assert 'drop_items = ["mrn:*"]' in (tmp_path / "anonset.toml").read_text()
    assert main(["run"]) in (0, 4), capsys.readouterr().err

    for published in tmp_path.glob("*/published"):
        assert leaked(published, identifiers(PEOPLE)) == []


@pytest.mark.parametrize(
    ("column", "role"), [("ref", "quasi"), ("phone", "quasi"), ("doctor", "sensitive"), ("ip", "other"), ("seen", "quasi")]
)
def test_python_refuses_the_same(table, column, role, tmp_path):
    roles = {"quasi": ["sex"], "items": ["diag"]}
    data = anonset.read(table, **(roles | {role: [*roles.get(role, []), column]}))
    release = anonset.anonymize(data, "identity", k=5)

    with pytest.raises(ExposureError, match=rf"{column}.*accept_exposure=\['{column}'\]"):
        release.write(tmp_path / "out")
    with pytest.raises(ExposureError, match=column):
        release.to_polars()


def test_python_refuses_what_is_exact_together_and_a_k_of_one(table, tmp_path):
    data = anonset.read(table, quasi=["sex"], sensitive=["age", "town"], items=[])

    with pytest.raises(ExposureError, match=r"age, town .* accept_exposure=\['age', 'town'\]"):
        anonset.anonymize(data, "mondrian", k=5).write(tmp_path / "out")
    plain = anonset.read(table, quasi=["sex", "age", "town"], items=[])
    alone = anonset.anonymize(plain, "mondrian", k=1)
    with pytest.raises(ParameterError, match="k = 1 protects nobody"):
        alone.write(tmp_path / "out")
    with pytest.raises(ParameterError, match="k = 1 protects nobody"):
        alone.to_polars()


def test_python_drops_items_by_pattern(table):
    data = anonset.read(table, quasi=["sex"], items=["tags"], drop_items=["mrn:*", "rec?ll"])

    assert data.transactions.domain == ("routine", "urgent")
    assert data.removed == (N + 1, N + sum("recall" in person["tags"] for person in PEOPLE))


def test_what_is_published_as_it_is_is_listed_with_whom_it_singles_out(table, tmp_path):
    data = anonset.read(table, quasi=["sex", "age"], sensitive=["disease"], other=["outcome"], items=[])
    anonset.anonymize(data, "mondrian", k=5).write(tmp_path / "out", report=False)

    outside = json.loads((tmp_path / "out" / "published" / "about.json").read_text())["outside"]

    assert outside["columns"] == ["disease", "outcome"]
    assert 0 < outside["singled_out"] <= 1


def leaked_in(said):
    return [value for value in identifiers(PEOPLE) if len(value) > 4 and value in said]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--quasi sex,age --items diag,tags", "tags.mrn:*"),
        ("--quasi sex,phone --items diag", "--accept-exposure phone"),
        ("--quasi sex,age --items diag --other town", "--accept-exposure town"),
    ],
)
def test_data_in_batches_are_judged_alike(flags, said, table, tmp_path, capsys):
    assert anonymize(table, f"{flags} -a rmerge-rt --set items=pcta --memory 1GB", tmp_path / "out") == 2

    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
