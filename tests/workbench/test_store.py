"""Projects are apart, private, and gone when they are deleted."""

import asyncio
import os
import stat

import pytest

from anonset.errors import InputError
from anonset.workbench import Workbench
from anonset.workbench.files import as_stream
from anonset.workbench.journal import SetRoles
from anonset.workbench.store import JOBS, NotFound, Store

MARKER = b"Xq7MARKERq7X"


def holders(folder):
    """The files of a store that hold the marker."""
    return [path for path in folder.rglob("*") if path.is_file() and MARKER in path.read_bytes()]


@pytest.fixture
def own(tmp_path):
    made = Workbench(tmp_path / "store", processes=1)
    yield made
    made.close()


def test_after_deleting_no_byte_is_left(own, tmp_path, wait):
    project = own.projects.create("marked " + MARKER.decode()).id
    rows = b"".join(b"%d,%s%d\n" % (20 + i % 50, MARKER, i % 4) for i in range(300))
    asyncio.run(own.data.upload(project, f"{MARKER.decode()}.csv", as_stream([b"age,town\n", rows])))
    own.journal.apply(project, SetRoles({"age": "quasi", "town": "quasi"}))
    run = wait(own, project, own.runs.start(project, "mondrian", {"k": 5}).id)
    assert run.state == "done", run.reason
    own.data.exposure(project)
    assert holders(tmp_path / "store")

    own.projects.delete(project)

    assert holders(tmp_path / "store") == []
    with pytest.raises(NotFound):
        own.projects.get(project)


def test_files_are_for_their_owner_alone(own, tmp_path):
    project = own.projects.create("private").id
    asyncio.run(own.data.upload(project, "people.csv", as_stream([b"age,town\n1,x\n2,y\n"])))

    for path in (tmp_path / "store", *(tmp_path / "store").rglob("*")):
        assert not stat.S_IMODE(os.stat(path).st_mode) & 0o077 or path.name.startswith(("anonset.db-", "copy")), path
    assert stat.S_IMODE(os.stat(tmp_path / "store").st_mode) == 0o700


def test_a_project_has_no_way_to_the_runs_and_uploads_of_another(own, wait):
    first, second = own.projects.create_from_sample("patients").id, own.projects.create("other").id
    run = wait(own, first, own.runs.start(first, "rmerge-r", {"delta": 0.4, "items": "pcta", "seed": 1}).id)

    asyncio.run(own.data.upload(second, "people.csv", as_stream([b"age,town\n1,x\n2,y\n"])))

    with pytest.raises(NotFound):
        own.runs.get(second, run.id)
    with pytest.raises(NotFound):
        own.runs.cancel(second, run.id)


def test_after_a_restart_runs_that_were_under_way_are_interrupted_and_start_again(tmp_path, wait):
    first = Workbench(tmp_path / "store", processes=1)
    project = first.projects.create_from_sample("patients").id
    kept = wait(first, project, first.runs.start(project, "rmerge-r", {"delta": 0.4, "items": "pcta", "seed": 1}).id)
    cut = first.runs.start(project, "rmerge-r", {"delta": 0.5, "items": "pcta", "seed": 1})
    first.workers.runs.close()  # as if the server had died: nobody hears of the run any more
    first.close()

    second = Workbench(tmp_path / "store", processes=1)
    try:
        assert second.runs.get(project, kept.id).state == "done"
        assert second.runs.get(project, cut.id).state == "interrupted"
        assert second.inspection.verdict(project, kept.id).holds
        second.runs.restart(project, cut.id)
        assert wait(second, project, cut.id).state == "done"
    finally:
        second.close()


def test_an_address_that_is_none_says_so_without_the_password(tmp_path):
    with pytest.raises(InputError) as raised:
        Store("postgresql+nothing://me:secret@nowhere/x", tmp_path)
    assert "secret" not in str(raised.value)


def test_jobs_are_kept_as_plain_rows(own):
    assert {column.name for column in JOBS.columns} >= {"id", "project", "key", "state", "request", "result"}
