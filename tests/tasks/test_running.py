"""A project is done once, again where something changed, and never over what it did not make."""

import shutil
import stat

import pytest

import anonset
from anonset.errors import ExposureError, GuaranteeViolated, InputError
from anonset.releases.folder import read_manifest
from anonset.tasks.project import ProjectRequest, entries, run

TABLE = "id,age,town,codes\n" + "".join(
    f"P{n},{30 + 10 * (n % 2)},{('Rome', 'Oslo')[n % 2]},{('a b', 'c')[n % 2]}\n" for n in range(8)
)
PROJECT = """
[data]
path = "people.csv"
[roles]
identifier = ["id"]
quasi = ["age", "town"]
items = ["codes"]
[hierarchies]
town = "town.csv"
[promise]
k = 4
m = 2
[[run]]
output = "release"
algorithm = "identity"
report = false
"""


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "town.csv").write_text("Rome;south;*\nOslo;north;*\n")
    (tmp_path / "anonset.toml").write_text(PROJECT)
    return tmp_path


def done(desk, **more):
    return run(ProjectRequest(desk / "anonset.toml", **more)).runs[0]


def test_a_release_is_made_and_verified(desk):
    result = done(desk)

    assert result.made.verdict.holds
    assert (desk / "release" / "published" / "records.csv").is_file()
    assert read_manifest(desk / "release")["project"]["file"] == "anonset.toml"
    assert result.as_json()["holds"] is True


def test_nothing_is_done_where_nothing_changed(desk):
    done(desk)
    before = (desk / "release" / "private" / "manifest.json").stat().st_mtime_ns
    (desk / "anonset.toml").write_text("# a remark\n" + PROJECT)

    assert done(desk).made is None
    assert (desk / "release" / "private" / "manifest.json").stat().st_mtime_ns == before
    assert done(desk, again=True).made is not None


@pytest.mark.parametrize("changed", ["people.csv", "town.csv", "anonset.toml", "release/published/records.csv"])
def test_a_release_is_made_again_where_something_changed(desk, changed):
    done(desk)
    new = {
        "people.csv": TABLE + "P9,30,Rome,a b\n",
        "town.csv": "Rome;south;*\nOslo;far north;*\n",
        "anonset.toml": PROJECT.replace("k = 4", "k = 3"),
        "release/published/records.csv": "nonsense\n",
    }
    (desk / changed).write_text(new[changed])

    assert done(desk).made.verdict.holds
    assert done(desk).made is None


def test_new_rows_are_published_and_what_is_new_is_told(desk):
    done(desk)
    (desk / "people.csv").write_text(
        TABLE.replace("codes\n", "codes,remark\n").replace("b\n", "b,x\n").replace("c\n", "c,y\n")
        + "".join(f"Q{n},30,Rome,d,z\n" for n in range(4))
    )

    result = done(desk)

    assert result.made.records == 12
    assert result.news == (
        "remark is a new column: left out until [roles] of the project file names it",
        "8 records before, 12 now",
        "items: 1 value that the release before did not have",
    )
    assert not [text for text in result.made.remarks if "remark" in text]


def test_values_that_a_hierarchy_does_not_cover_are_refused_and_nothing_changes(desk):
    done(desk)
    before = (desk / "release" / "published" / "records.csv").read_text()
    (desk / "people.csv").write_text(TABLE + "P9,30,Bergen,a b\n")

    with pytest.raises(InputError, match=r"town\.csv, column town: 1 values of the data are not leaves.*add_values=True"):
        done(desk)

    assert (desk / "release" / "published" / "records.csv").read_text() == before


def test_new_values_go_below_the_root_where_asked(desk):
    (desk / "people.csv").write_text(TABLE + "".join(f"Q{n},30,Bergen,a b\n" for n in range(4)))

    result = done(desk, add_values=True)

    assert result.made.records == 12
    assert result.news == ("town: 1 new value put below the root of town.csv",)
    assert "Bergen;*" in (desk / "town.csv").read_text()


def test_a_column_that_is_gone_is_an_error(desk):
    (desk / "people.csv").write_text(TABLE.replace("town", "city"))

    with pytest.raises(InputError, match="town"):
        done(desk)


def test_other_data_of_the_same_columns(desk):
    (desk / "july.csv").write_text(TABLE * 1 + "P8,30,Rome,a b\n")

    assert done(desk, data=desk / "july.csv").made.records == 9


def test_a_folder_that_no_run_made_is_not_replaced(desk):
    done(desk)
    shutil.rmtree(desk / "release" / "private")

    with pytest.raises(InputError, match="no `anonset run` made it"):
        done(desk)


def test_the_promise_is_checked_whatever_the_algorithm_promises(desk):
    loose = PROJECT.replace('algorithm = "identity"', 'algorithm = "cluster"\n[run.parameters]\nk = 2').replace(
        "report = false\n", ""
    )
    (desk / "anonset.toml").write_text(loose)
    (desk / "people.csv").write_text(TABLE + "P9,30,Rome,x y\nP10,30,Rome,x z\n")

    with pytest.raises(GuaranteeViolated):
        done(desk)
    assert not (desk / "release").exists()


def test_from_python(desk):
    result = anonset.run_project(desk / "anonset.toml")

    assert result.runs[0].made.verdict.holds
    assert result.promise.startswith("Someone who knows age, town and up to 2 items")


def keyed(illnesses):
    return "person,codes,illness\n" + "".join(f"P{n},a b,{illness}\n" for n, illness in enumerate(illnesses))


KEYED = """
[data]
path = "people.csv"
key = "person"
[roles]
items = ["codes"]
sensitive = ["illness"]
[promise]
k = 2
m = 2
[[run]]
output = "release"
algorithm = "lift"
report = false
accept_exposure = ["illness"]
"""


@pytest.fixture
def clinic(tmp_path):
    (tmp_path / "people.csv").write_text(keyed("xyxy"))
    (tmp_path / "anonset.toml").write_text(KEYED)
    return tmp_path


def test_releases_are_kept_in_a_ledger_that_only_its_owner_reads(clinic):
    done(clinic)
    done(clinic, again=True)
    ledger = clinic / "anonset.ledger"

    assert [entry.name[:12] for entry in entries(ledger)] == ["0001-release"]
    assert (entries(ledger)[0] / "private" / "people.csv").is_file()
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o700
    (clinic / "people.csv").write_text(keyed("xyxyxx"))
    assert done(clinic).made.verdict.holds
    assert len(entries(ledger)) == 2
    assert read_manifest(clinic / "release")["earlier"][0]["both"]["below_k"] == 0


def test_a_release_that_an_earlier_one_exposes_is_refused_unless_accepted(clinic):
    done(clinic)
    (clinic / "people.csv").write_text(keyed("xzzz"))  # of those with x or y before, one can be somebody with x now
    before = (clinic / "release" / "private" / "manifest.json").read_bytes()

    with pytest.raises(ExposureError, match=r"0001-release.* 1 of 1 people in both .*accept_earlier"):
        done(clinic)
    assert (clinic / "release" / "private" / "manifest.json").read_bytes() == before
    (clinic / "anonset.toml").write_text(KEYED + "accept_earlier = true\n")
    made = done(clinic).made

    assert any("(accepted)" in remark and "0001-release" in remark for remark in made.remarks)
    assert read_manifest(clinic / "release")["accepted"]["earlier"]


def test_an_entry_that_was_never_handed_out_can_be_deleted(clinic):
    done(clinic)
    (clinic / "people.csv").write_text(keyed("xzzz"))
    shutil.rmtree(entries(clinic / "anonset.ledger")[0])

    assert done(clinic).made.verdict.holds
