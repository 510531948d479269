"""The same store in PostgreSQL; needs its server's programs and psycopg, and skips without them."""

import asyncio

import pytest

from anonset.workbench import Workbench
from anonset.workbench.files import as_stream
from anonset.workbench.journal import SetPromise, SetRoles

pytestmark = pytest.mark.web
pytest.importorskip("psycopg", reason="needs psycopg")


def test_a_project_lives_and_dies_in_postgresql(postgres, tmp_path, wait):
    first = Workbench(postgres.url(), files=tmp_path / "files", processes=1)
    project = first.projects.create("team").id
    rows = b"".join(b"%d,t%d\n" % (20 + i % 40, i % 3) for i in range(200))
    asyncio.run(first.data.upload(project, "people.csv", as_stream([b"age,town\n", rows])))
    first.journal.apply(project, SetRoles({"age": "quasi", "town": "quasi"}))
    first.journal.apply(project, SetPromise(k=7))
    first.journal.undo(project)
    run = wait(first, project, first.runs.start(project, "mondrian", key="once").id)
    first.close()

    second = Workbench(postgres.url(), files=tmp_path / "files", processes=1)
    try:
        assert run.state == "done", run.reason
        assert second.runs.get(project, run.id).holds
        assert second.runs.start(project, "mondrian", key="once").id == run.id
        assert [entry.undone for entry in second.journal.entries(project)] == [False, True]
        second.projects.delete(project)
        assert second.projects.page() == ()
        assert not (tmp_path / "files" / "projects" / project).exists()
    finally:
        second.close()
