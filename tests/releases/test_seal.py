"""Every file of a release is on its list: what is changed, gone or put there is found; what is private is kept so."""

import json
import os
import shutil
import stat
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from anonset.algorithms.nonreciprocal.nr_k import NrKWalks
from anonset.algorithms.relational.incognito import Incognito
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.builders import build
from anonset.model.dataset import Column, Dataset, Source, Transactions
from anonset.model.release import Accepted
from anonset.releases.publish import publish, seals, verify_folder
from anonset.tasks.sums import run as write_sums

AGES = Column("age", "quasi", "numeric", np.array([0, 1] * 4, np.int32), ("30", "40"), np.array([30.0, 40.0]))


@pytest.fixture
def data():
    return Dataset((AGES,), sources=(Source("people.csv", "ab12"),)).with_hierarchies(
        {"age": build("balanced:2", ("30", "40"))}
    )


@pytest.fixture
def out(data, tmp_path):
    """A release with a trace and a report."""
    release = Incognito(k=2).anonymize(data)
    pages = lambda folder, *_: (folder / "report.html").write_text("for the owner")  # noqa: E731
    publish(data, release, tmp_path / "out", pages=pages, accepted=Accepted(loss=True))
    return tmp_path / "out"


def broken(data, folder):
    verdict = verify_folder(data, folder)
    return [told for finding in verdict.findings if not finding.holds for told in finding.witnesses]


def test_a_release_as_it_was_published_holds(data, out):
    assert broken(data, out) == []
    assert {path.name for path in (out / "private").iterdir()} == {
        "manifest.json",
        "rows.csv",
        "recoding.json",
        "domains.json",
        "trace.jsonl",
    }


@pytest.mark.parametrize("name", ["domains.json", "recoding.json", "trace.jsonl"])
def test_private_files_that_are_changed_or_gone_are_found(data, out, name):
    path = out / "private" / name
    content = path.read_text()
    path.write_text(content + " ")
    assert broken(data, out) == [f"private/{name} was changed"]

    path.unlink()
    assert broken(data, out) == [f"private/{name} is gone"]


def test_rows_that_are_gone_are_found(data, out):
    (out / "private/rows.csv").unlink()

    assert "private/rows.csv is gone" in broken(data, out)


def test_assignments_that_are_gone_are_found(tmp_path):
    data = Dataset(transactions=Transactions.from_records(["ab", "b", "abc", "c"]))
    publish(data, NrKWalks(k=2, seed=1).anonymize(data), tmp_path / "out")
    (tmp_path / "out/private/assignments.npy").unlink()

    assert "private/assignments.npy is gone" in broken(data, tmp_path / "out")


def test_another_promise_on_both_sides_is_found(data, out):
    for path in (out / "published/about.json", out / "private/manifest.json"):
        text = path.read_text()
        assert '"k": 2' in text
        path.write_text(text.replace('"k": 2', '"k": 1'))

    assert broken(data, out) == ["private/manifest.json was changed", "published/about.json was changed"]


def test_a_manifest_without_a_list_is_found(data, out):
    path = out / "private/manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({name: value for name, value in manifest.items() if name != "files"}))

    assert broken(data, out) == ["private/manifest.json does not list the files"]


@pytest.mark.parametrize("half", ["published", "private"])
def test_foreign_files_and_folders_are_found(data, out, half):
    (out / half / "raw.csv").write_text("age\n30\n")
    (out / half / "more").mkdir()
    (out / half / "more" / "raw.csv").write_text("age\n30\n")

    assert broken(data, out) == [f"{half}/{name} was put there" for name in ("more", "more/raw.csv", "raw.csv")]


def test_a_link_in_the_place_of_a_file_is_found(data, out, tmp_path):
    records = out / "published/records.csv"
    (tmp_path / "elsewhere.csv").write_bytes(records.read_bytes())
    records.unlink()
    records.symlink_to(tmp_path / "elsewhere.csv")

    assert broken(data, out) == ["published/records.csv was changed"]


def test_foreign_files_are_found_without_private_too(data, out, tmp_path):
    (out / "published/raw.csv").write_text("age\n30\n")
    (out / "published").rename(tmp_path / "handed_out")

    assert broken(data, tmp_path / "handed_out") == ["raw.csv is no part of a release"]


def test_another_original_is_told_of(data, out):
    same = verify_folder(data, out)
    other = verify_folder(replace(data, sources=(Source("other.csv", "cd34"),)), out)

    assert "comparable original" not in [finding.guarantee for finding in same.findings]
    assert other.holds
    assert other.findings[-1].worst == "other.csv has other bytes than what the release was made of"


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_what_is_private_is_for_its_owner_alone(out):
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    assert mode(out / "private") == 0o700
    assert {mode(path) for path in (out / "private").iterdir()} == {0o600}
    assert mode(out / "report.html") == 0o600


def sign(folder):
    """A key, and the signature of the list of hashes with it."""
    for command in (
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")],
        ["ssh-keygen", "-q", "-Y", "sign", "-f", str(folder / "key"), "-n", "file", str(folder / "out/published/SHA256SUMS")],
    ):
        subprocess.run(command, check=True, capture_output=True)


def test_the_list_of_hashes_is_checked_by_standard_tools_and_by_the_verifier(data, out):
    before = (out / "private" / "manifest.json").read_bytes()
    path = write_sums(out)
    names = sorted(file.name for file in (out / "published").iterdir() if file.name != "SHA256SUMS")

    assert [line.split("  ")[1] for line in path.read_text().splitlines()] == names
    assert broken(data, out) == []
    assert (out / "private" / "manifest.json").read_bytes() == before
    if shutil.which("sha256sum"):
        checked = subprocess.run(
            ["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=out / "published", check=True, capture_output=True
        )
        assert checked.stdout.count(b": OK") == len(names)
    if shutil.which("ssh-keygen"):
        sign(out.parent)
        assert (out / "published" / "SHA256SUMS.sig").is_file()
        assert broken(data, out) == []
    shutil.copytree(out / "published", out.parent / "received")
    assert all(finding.guarantee != "nothing else published" for finding in seals(data, out.parent / "received"))


def test_a_list_of_hashes_that_does_not_fit_is_a_breach_with_and_without_the_private_half(data, out):
    path = write_sums(out)
    path.write_text(path.read_text().replace(path.read_text()[0], "x", 1))
    received = shutil.copytree(out / "published", out.parent / "received")

    assert broken(data, out) == ["SHA256SUMS does not fit the published files"]
    assert [finding.worst for finding in seals(data, received)] == ["SHA256SUMS does not fit the published files"]
    write_sums(out)
    assert broken(data, out) == []


def test_a_release_that_was_changed_gets_no_list_of_hashes(data, out):
    (out / "published" / "records.csv").write_text("age\n30\n")

    with pytest.raises(GuaranteeViolated, match="was changed; so it is not to be signed"):
        write_sums(out)
    assert not (out / "published" / "SHA256SUMS").exists()
    with pytest.raises(InputError, match="is not a release with its private half"):
        write_sums(out / "published")
