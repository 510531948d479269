"""Hostile and odd uploads: a clear message, nothing outside the store, and what was there stays."""

import asyncio
import io
import zipfile

import pytest

from anonset.errors import InputError
from anonset.workbench.files import TooLarge, as_stream, display_name


def upload(bench, project, name, content):
    return asyncio.run(bench.data.upload(project, name, as_stream([content])))


def zip_bytes():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../x", "a,b\n")
    return out.getvalue()


GOOD = b"age,town\n1,x\n2,y\n"


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "..\\..\\x.csv", "a\0b.csv", "", "x" * 5000, "é\u202e.csv"])
def test_a_name_is_only_shown(bench, name):
    project = bench.projects.create("names").id
    made = upload(bench, project, name, GOOD)
    folder = bench.store.project_folder(project)

    assert made.rows == 2
    assert "/" not in made.name
    assert "\\" not in made.name
    assert made.name.isprintable()
    assert {path.name for path in folder.iterdir()} == {"input.csv", "copy.parquet"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (zip_bytes(), "zip archive"),
        ("a,b\nMüller,1\n".encode("latin-1"), "UTF-8"),
        (b"a,b\n1,2\n3\n", "2 fields are expected"),
        (b"a,a\n1,2\n", "two columns"),
        (b"\0\0\0", "neither text"),
        (b"PAR1" + b"x" * 40, "Parquet"),
        (b"a,b\n", "no records"),
        (b" \n\n", "empty"),
    ],
)
def test_a_bad_file_is_told_and_a_good_one_stays(bench, content, complaint):
    fresh, kept = bench.projects.create("fresh").id, bench.projects.create("kept").id
    upload(bench, kept, "good.csv", GOOD)

    assert complaint in " ".join(problem.text for problem in upload(bench, fresh, "people.csv", content).problems)
    with pytest.raises(InputError, match=complaint):
        upload(bench, kept, "people.csv", content)
    assert bench.data.rows(kept).rows[1] == {"c0": "2", "c1": "y"}
    with pytest.raises(InputError, match="no data yet"):
        bench.data.rows(fresh)


def test_an_empty_or_too_large_upload_leaves_nothing(bench):
    project = bench.projects.create("limits").id
    with pytest.raises(InputError, match="empty"):
        upload(bench, project, "people.csv", b"")
    with pytest.raises(TooLarge, match="20 MB"):
        upload(bench, project, "people.csv", b"x" * 20_000_001)

    assert list(bench.store.project_folder(project).iterdir()) == []


def test_an_upload_that_breaks_off_leaves_nothing(bench):
    async def broken():
        yield b"age,town\n"
        raise ConnectionError

    project = bench.projects.create("broken").id
    with pytest.raises(ConnectionError):
        asyncio.run(bench.data.upload(project, "people.csv", broken()))
    assert list(bench.store.project_folder(project).iterdir()) == []


def test_what_is_shown_of_a_name():
    assert display_name("C:\\a\\people.csv") == "people.csv"
    assert display_name("../..") == ".."
    assert display_name("\n") == "file"
