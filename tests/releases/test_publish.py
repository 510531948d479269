"""A release is there whole and verified, or not at all."""

import errno
import fcntl
import json
from pathlib import Path

import numpy as np
import pytest

import anonset.releases.publish as publishing
import anonset.releases.staging as staging
from anonset.algorithms.identity import Identity
from anonset.errors import Cancelled, GuaranteeViolated, InputError, ParameterError
from anonset.model.dataset import Column, Dataset, Source, Transactions
from anonset.releases.folder import read_folder, with_domains
from anonset.releases.publish import publish, verify_folder


@pytest.fixture
def data():
    """Six persons, three of each kind."""
    ages = Column("age", "quasi", "numeric", np.array([0, 1, 0, 1, 0, 1], np.int32), ("30", "40"), np.array([30.0, 40.0]))
    return Dataset((ages,), Transactions.from_records(["ab", "c"] * 3), sources=(Source("people.csv", "ab12"),))


@pytest.fixture
def release(data):
    return Identity(k=3, m=2).anonymize(data)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_is_published_with_its_verdict_and_measures(data, release, tmp_path):
    found = publish(data, release, tmp_path / "out", timings={"read": 1.5})
    manifest = json.loads((tmp_path / "out/private/manifest.json").read_text())

    assert found.verdict.holds
    assert manifest["verdict"]["holds"]
    assert manifest["measures"] == found.measures
    assert manifest["inputs"] == [{"name": "people.csv", "sha256": "ab12"}]
    assert manifest["timings"].keys() == {"read", "write", "read_back", "verify", "measure"}
    assert manifest["versions"].keys() == {"python", "numpy", "scipy", "numba", "polars"}
    assert manifest["reading"] is None
    assert manifest["accepted"] == {"exposure": {}, "loss": {}, "repeats": False}
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_a_release_that_breaks_its_promise_is_never_there(data, tmp_path):
    with pytest.raises(GuaranteeViolated, match="k-km does not hold"):
        publish(data, Identity(k=4, m=2).anonymize(data), tmp_path / "out")

    assert list(tmp_path.iterdir()) == []


def test_publishing_tells_how_far_it_is_and_a_cancelled_release_is_never_there(data, release, tmp_path):
    told = []

    publish(data, release, tmp_path / "out", progress=told.append, pages=lambda *found: None)

    assert told == sorted(told)
    assert {0.2, 0.4, 0.6, 0.8} < set(told)
    assert told[-1] == 1.0
    for step in range(4):
        with pytest.raises(Cancelled):
            publish(data, release, tmp_path / "other", progress=cancelling(step))
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def cancelling(step):
    told = []

    def listen(done):
        told.append(done)
        if len(told) > step:
            raise Cancelled("stop")

    return listen


def test_pages_are_added_before_the_release_is_there(data, release, tmp_path):
    def page(folder, release, published):
        assert not (tmp_path / "out").exists()
        assert published.verdict.holds
        assert published.measures
        (folder / "report.html").write_text(release.provenance.algorithm)

    publish(data, release, tmp_path / "out", pages=page)

    assert (tmp_path / "out/report.html").read_text() == "identity"


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupt(*_, **__):
    raise KeyboardInterrupt


def after(n, action, usual):
    """The usual function, but the given action once, after n calls."""
    calls = iter(range(1_000_000))
    return lambda *args, **named: (action if next(calls) == n else usual)(*args, **named)


STEPS = [
    (publishing, "write_folder", 0),
    (publishing, "read_for_verdict", 0),
    (publishing, "verify", 0),
    (publishing, "measure", 0),
    (publishing, "seal", 0),
    (staging, "_flush", 0),
    (staging.os, "fsync", 2),
    (staging, "_take_place", 0),
    (Path, "mkdir", 0),
    (Path, "mkdir", 2),
    (Path, "write_text", 0),
    (Path, "write_text", 2),
    (Path, "rename", 0),
    (Path, "rename", -1),  # the last one
]


@pytest.mark.parametrize(("action", "error"), [(full_disk, InputError), (interrupt, KeyboardInterrupt)])
@pytest.mark.parametrize(("place", "name", "n"), STEPS, ids=lambda part: getattr(part, "__name__", str(part)))
def test_a_failure_at_any_step_leaves_nothing_new_and_the_old_release_alone(
    data, release, tmp_path, monkeypatch, place, name, n, action, error
):
    publish(data, release, tmp_path / "old")
    before = contents(tmp_path / "old")
    for out, overwrite in (("new", False), ("old", True)):
        with monkeypatch.context() as patch:
            calls = n if n >= 0 else int(overwrite)
            patch.setattr(staging, "exchanged", lambda first, second: False)  # the way of systems that cannot
            patch.setattr(place, name, after(calls, action, getattr(place, name)))
            with pytest.raises(error):
                publish(data, release, tmp_path / out, overwrite=overwrite)

        assert {path.name for path in tmp_path.iterdir()} == {"old"}
        assert contents(tmp_path / "old") == before


def test_what_a_killed_process_left_is_cleared_and_what_it_moved_aside_put_back(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    stage, elsewhere, other = (tmp_path / f".{name}.anonset-x{number}" for number, name in enumerate(("out", "more", "out")))
    for folder in (stage, elsewhere, other):
        folder.mkdir()
        (folder / "lock").touch()
    (tmp_path / "out").rename(stage / "old")

    with (other / "lock").open("w") as lock:  # somebody is at work there
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="exists already"):
            publish(data, release, tmp_path / "out")

    assert {path.name for path in tmp_path.iterdir()} == {"out", other.name}
    assert verify_folder(data, tmp_path / "out").holds


def test_an_existing_output_is_refused_unless_told(data, release, tmp_path):
    publish(data, release, tmp_path / "out")

    with pytest.raises(InputError, match="exists already"):
        publish(data, release, tmp_path / "out")
    publish(data, release, tmp_path / "out", format="jsonl", overwrite=True)

    assert (tmp_path / "out/published/records.jsonl").exists()
    assert not (tmp_path / "out/published/records.csv").exists()


def test_the_new_release_is_exchanged_with_the_old_one_in_one_step(data, release, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "inside").touch()

    if not staging.exchanged(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this system cannot exchange folders")

    assert (tmp_path / "a" / "inside").exists()
    assert not (tmp_path / "b" / "inside").exists()


@pytest.mark.parametrize("foreign", ["patients.csv", "notes"])
def test_a_release_that_holds_something_else_is_not_overwritten(data, release, tmp_path, foreign):
    publish(data, release, tmp_path / "out")
    (tmp_path / "out" / foreign).write_text("the only copy")

    with pytest.raises(InputError, match=f"holds {foreign}, which is not part of a release"):
        publish(data, release, tmp_path / "out", overwrite=True)

    assert (tmp_path / "out" / foreign).read_text() == "the only copy"


def test_what_is_no_release_is_never_overwritten(data, release, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter1.tex").write_text("years of work")
    (tmp_path / "file").write_text("more work")

    for name in ("thesis", "file"):
        with pytest.raises(InputError, match="is not a release"):
            publish(data, release, tmp_path / name, overwrite=True)

    assert (tmp_path / "thesis/chapter1.tex").read_text() == "years of work"


def test_an_unknown_format_is_refused(data, release, tmp_path):
    with pytest.raises(ParameterError, match="choose from csv, parquet, feather, jsonl, xlsx, fimi"):
        publish(data, release, tmp_path / "out", format="xls")


CHANGES = [  # in the first line of a record: what is there, what is put there, what the check says
    ("csv", "30,", "40,", "k-km does not hold"),
    ("csv", "30,", "35,", "k-km does not hold"),
    ("csv", "30,", "old,", "'old' stands for no value of the original"),
    ("csv", "a b", "z b", "'z' stands for no value of the original"),
    ("csv", "30,", "30,,", "2 fields are expected; got 3"),
    ("jsonl", "30", "40", "k-km does not hold"),
    ("jsonl", "30", '{"lo":30}', "cannot be read"),
    ("jsonl", "30", '"old"', "stands for no value of the original"),
    ("jsonl", '"a"', '"z"', "stands for no value of the original"),
    ("jsonl", '"age"', '"Age"', "must have the attributes age, items"),
]


@pytest.mark.parametrize(("format", "old", "new", "named"), CHANGES)
def test_a_changed_line_is_found_and_named(data, release, tmp_path, format, old, new, named):
    publish(data, release, tmp_path / "out", format=format)
    path = next((tmp_path / "out/published").glob("records.*"))
    path.write_text(path.read_text().replace(old, new, 1))

    verdict = verify_folder(data, tmp_path / "out")

    assert not verdict.holds
    with pytest.raises(GuaranteeViolated, match=named):
        verdict.require()


def test_two_records_that_changed_places_are_untrue(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    path = tmp_path / "out/published/records.csv"
    head, *records = path.read_text().splitlines(keepends=True)
    path.write_text("".join([head, *reversed(records)]))

    with pytest.raises(GuaranteeViolated, match="truthful does not hold"):
        verify_folder(data, tmp_path / "out").require()


def test_a_missing_line_is_found(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    path = tmp_path / "out/published/records.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))

    with pytest.raises(GuaranteeViolated, match=r"5 records; about\.json says 6"):
        verify_folder(data, tmp_path / "out").require()


def test_a_changed_promise_is_found(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    path = tmp_path / "out/published/about.json"
    path.write_text(path.read_text().replace('"k": 3', '"k": 9'))

    with pytest.raises(GuaranteeViolated, match="state different guarantees"):
        verify_folder(data, tmp_path / "out").require()


def test_a_change_that_keeps_every_promise_is_found_by_its_hash(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    path = tmp_path / "out/published/records.csv"
    path.write_text(path.read_text().replace("30,", '"30",'))

    verdict = verify_folder(data, tmp_path / "out")

    assert [finding.guarantee for finding in verdict.findings if not finding.holds] == ["unchanged since published"]
    assert verdict.findings[-1].witnesses == ("published/records.csv was changed",)


def test_what_was_handed_out_can_be_verified_without_private(data, release, tmp_path):
    publish(data, release, tmp_path / "out")
    (tmp_path / "out/published").rename(tmp_path / "handed_out")

    verdict = verify_folder(data, tmp_path / "handed_out")

    assert verdict.holds
    assert [finding.guarantee for finding in verdict.findings] == ["k-km"]


def test_a_folder_alone_restores_hierarchies_and_sensitive_items(tmp_path):
    from anonset.model.hierarchy import Hierarchy

    tree = Hierarchy(("a", "b", "c", "ab", "*"), np.array([3, 3, 4, 4, -1], np.int32))
    data = Dataset(transactions=Transactions.from_records(["ab", "ab", "c", "c"])).with_item_hierarchy(tree)
    data = Dataset(transactions=data.transactions, item_hierarchy=tree, sensitive_items=np.array([True, False, False]))
    publish(data, Identity(k=2, m=1, l=1).anonymize(data), tmp_path / "out")

    bare = Dataset(transactions=Transactions.from_records(["ab", "ab", "c", "c"]))
    again = with_domains(tmp_path / "out", bare)

    assert again.item_hierarchy.labels == tree.labels
    assert again.sensitive_items.tolist() == [True, False, False]
    assert read_folder(tmp_path / "out", again).guarantees[0].sensitive == ("a",)
