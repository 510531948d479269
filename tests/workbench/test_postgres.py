"""The same store in PostgreSQL; needs its server's programs and psycopg, and skips without them."""

import asyncio

import pytest

from anonset.workbench import Workbench
from anonset.workbench.journal import SetPromise, SetRoles
from anonset.workbench.projects import pieces

pytestmark = pytest.mark.web
pytest.importorskip("psycopg", reason="needs psycopg")


def test_a_project_lives_and_dies_in_postgresql(postgres, tmp_path, wait):
    first = Workbench(postgres.url(), files=tmp_path / "files", processes=1)
    project = first.create("team").id
    rows = b"".join(b"%d,t%d\n" % (20 + i % 40, i % 3) for i in range(200))
    asyncio.run(first.upload(project, "people.csv", pieces([b"age,town\n", rows])))
    first.apply(project, SetRoles({"age": "quasi", "town": "quasi"}))
    first.apply(project, SetPromise(k=7))
    first.undo(project)
    run = wait(first, project, first.start(project, "mondrian", key="once").id)
    first.close()

    second = Workbench(postgres.url(), files=tmp_path / "files", processes=1)
    try:
        assert run.state == "done", run.reason
        assert second.run(project, run.id).holds
        assert second.start(project, "mondrian", key="once").id == run.id
        assert [entry.undone for entry in second.history(project)] == [False, True]
        second.delete(project)
        assert second.projects() == ()
        assert not (tmp_path / "files" / "projects" / project).exists()
    finally:
        second.close()
