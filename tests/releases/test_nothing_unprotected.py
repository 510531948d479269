"""Every algorithm on every kind of data publishes with everything linkable covered, or refuses and says why and what would."""

import csv
import json

import pytest

import anonset
from anonset.algorithms import ALGORITHMS
from anonset.errors import (
    AnonsetError,
    ExposureError,
    InfeasibleError,
    InputError,
    ParameterError,
    UncoveredError,
    WorthlessError,
)
from anonset.model.parameters import parameters
from anonset.samples import write_sample
from attacker import fewest_candidates, published_records

K, M = 3, 2
QUASI = ("age", "sex", "town")
KINDS = {
    "items only": {"quasi": (), "items": ("diagnoses",), "sensitive": ()},
    "columns only": {"quasi": QUASI, "items": (), "sensitive": ()},
    "both": {"quasi": QUASI, "items": ("diagnoses",), "sensitive": ()},
    "items and a sensitive column": {"quasi": (), "items": ("diagnoses",), "sensitive": ("schooling",)},
    "columns and a sensitive column": {"quasi": QUASI, "items": (), "sensitive": ("schooling",)},
    "both and a sensitive column": {"quasi": QUASI, "items": ("diagnoses",), "sensitive": ("schooling",)},
    "both and sensitive items": {"quasi": QUASI, "items": ("diagnoses",), "sensitive": (), "sensitive_items": "file"},
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 160, 3)
    return folder


def dataset(sample, kind):
    roles = {name: value for name, value in KINDS[kind].items() if name != "sensitive_items"}
    named = {*roles["quasi"], *roles["items"], *roles["sensitive"]}
    dropped = [name for name in ("patient_id", *QUASI, "schooling", "diagnoses") if name not in named]
    more = {"sensitive_items": sample / "sensitive.txt"} if "sensitive_items" in KINDS[kind] else {}
    return anonset.read(
        sample / "patients.csv", **roles, identifier=dropped, item_separator="|", hierarchies=sample / "hierarchies", **more
    )


def people(sample, kind):
    secret = set((sample / "sensitive.txt").read_text().split("\n")) if "sensitive_items" in KINDS[kind] else set()
    with (sample / "patients.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row | {"diagnoses": {name for name in row["diagnoses"].split("|") if name} - secret} for row in rows]


def asked(name):
    declared = {p.name: p.required for p in parameters(ALGORITHMS[name])}
    wanted = {"k": K, "l": K, "m": M, "delta": 0.9, "seed": 5, "force": True, "items": "pcta", "seconds": 0.5}
    return {key: value for key, value in wanted.items() if key in declared and (key != "l" or declared["l"])}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "identity"])
def test_what_is_published_is_covered_and_what_is_not_covered_is_refused(name, kind, sample, tmp_path):
    data = dataset(sample, kind)
    quasi, items = KINDS[kind]["quasi"], KINDS[kind]["items"]
    try:
        anonset.anonymize(data, name, **asked(name)).write(tmp_path / "out", format="jsonl", report=False, accept_loss=True)
    except UncoveredError as error:
        bare = [
            *(quasi if "quasi" not in ALGORITHMS[name].covers else ()),
            *(items if "items" not in ALGORITHMS[name].covers else ()),
        ]
        assert bare, "refused although it covers everything"
        assert all(column in str(error) for column in bare)
        assert "algorithms that cover" in str(error)
        assert not (tmp_path / "out").exists()
        return
    except (InfeasibleError, InputError, ParameterError) as error:
        assert not isinstance(error, ExposureError)
        assert str(error)
        assert not (tmp_path / "out").exists()
        return
    found = fewest_candidates(
        people(sample, kind),
        published_records(tmp_path / "out"),
        quasi=quasi,
        items=items[0] if items else None,
        m=M,
    )
    assert found >= K
    about = json.loads((tmp_path / "out" / "published" / "about.json").read_text())
    assert {attribute["name"] for attribute in about["attributes"]} == {*quasi, *items, *KINDS[kind]["sensitive"]}


def test_every_kind_of_data_has_algorithms_that_publish_it(sample, tmp_path):
    published = {
        kind: anonset.anonymize(dataset(sample, kind), k=K).write(tmp_path / kind, report=False, accept_loss=True).verdict.holds
        for kind in KINDS
    }

    assert all(published.values())


def test_a_column_that_nearly_names_people_is_refused_unless_insisted_on(tmp_path):
    rows = [f"{20 + r % 4},{1000 + r}.5,{'ab'[r % 2]}" for r in range(40)]
    (tmp_path / "data.csv").write_text("\n".join(["age,balance,sex", *rows]))
    data = anonset.read(tmp_path / "data.csv", quasi=["age"], other=["balance", "sex"])
    release = anonset.anonymize(data, "mondrian", k=5)

    with pytest.raises(ExposureError, match=r"balance .* 100% of its values are shared by fewer than 5 records"):
        release.write(tmp_path / "out", report=False)
    assert not (tmp_path / "out").exists()

    release.write(tmp_path / "out", report=False, accept_exposure=["balance"])
    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    assert list(manifest["accepted"]["exposure"]) == ["balance"]


def test_exposure_can_be_accepted_only_for_columns_there_are(tmp_path):
    data = anonset.read(_table(tmp_path), quasi=["age"])

    with pytest.raises(ParameterError, match="unknown column 'height'"):
        anonset.anonymize(data, "mondrian", k=2).write(tmp_path / "out", report=False, accept_exposure=["height"])


def test_an_uncovered_column_may_be_insisted_on_and_the_release_says_so(sample, tmp_path):
    release = anonset.anonymize(dataset(sample, "both"), "aa", k=K, m=M)

    found = release.write(tmp_path / "out", report=False, accept_exposure=QUASI, accept_loss=True)

    assert set(found.admission.exposed) == set(QUASI)
    about = json.loads((tmp_path / "out" / "published" / "about.json").read_text())
    assert any("age" in sentence and "no guarantee" in sentence for sentence in about["accepted"])


def test_a_worthless_release_is_refused_and_what_would_help_is_named(tmp_path):
    (tmp_path / "baskets.dat").write_text("".join(f"{r} {r + 50}\n" for r in range(40)))
    data = anonset.read(tmp_path / "baskets.dat", item_hierarchy="balanced:100")
    release = anonset.anonymize(data, "aa", k=39, m=1)

    with pytest.raises(WorthlessError, match="100% of items say nothing; try a smaller k, refine, a hierarchy"):
        release.write(tmp_path / "out", report=False)
    assert release.write(tmp_path / "out", report=False, accept_loss=True).admission.lost == {"items": 1.0}


def test_a_column_without_a_role_is_left_out_and_named(tmp_path):
    data = anonset.read(_table(tmp_path), quasi=["age"])

    assert [column.name for column in data.columns] == ["age"]
    assert {fate.column: (fate.role, fate.fate) for fate in data.fates} == {
        "age": ("quasi", "generalized"),
        "town": ("none", "left out"),
        "person_id": ("identifier", "left out"),
    }


def test_nothing_to_protect_is_said_with_what_was_left_out(tmp_path):
    data = anonset.read(_table(tmp_path), other=["town"])

    with pytest.raises(AnonsetError, match=r"nothing to protect.* name what an attacker may know, quasi=\['age'\]"):
        anonset.anonymize(data, k=2)


def _table(folder):
    (folder / "data.csv").write_text("age,town,person_id\n" + "".join(f"{20 + r % 2},{'ab'[r % 2]},{r}\n" for r in range(20)))
    return folder / "data.csv"
