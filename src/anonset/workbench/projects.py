"""Projects and their data: apart from each other, each in a folder of its own."""

import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import select

from anonset.errors import InputError
from anonset.workbench.copies import rows_of_copy
from anonset.workbench.journal import Journal
from anonset.workbench.orders import Reading
from anonset.workbench.readings import Facts, columns_of, reading_of
from anonset.workbench.runs import NotFound
from anonset.workbench.state import State
from anonset.workbench.store import PROJECTS, UPLOADS, Store, new_id, now
from anonset.workbench.uploads import packed_suffix, save_stream, shown_name
from anonset.workbench.values import Column, DataFile, Problem, Rows

LONGEST_NAME = 100
MOST_ROWS = 200  # in one answer


class Projects:
    """What there is in a store, project by project."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self.store, self.journal = store, journal

    def ids(self) -> list[str]:
        """The projects, the newest first."""
        rows = self.store.rows(select(PROJECTS.c.id, PROJECTS.c.created).order_by(PROJECTS.c.created.desc(), PROJECTS.c.id))
        return [row["id"] for row in rows]

    def row(self, project: str) -> Mapping[str, Any]:
        """A project as the store has it."""
        found = self.store.one(PROJECTS, project)
        if found is None:
            raise NotFound("there is no such project")
        return found

    def create(self, name: str) -> str:
        """A new project, and its id."""
        id = new_id()
        self.store.change(PROJECTS.insert().values(id=id, name=_checked(name), created=now(), facts={}))
        self.store.project_folder(id)
        return id

    def rename(self, project: str, name: str) -> None:
        """Give a project another name."""
        self.row(project)
        self.store.change(PROJECTS.update().where(PROJECTS.c.id == project).values(name=_checked(name)))

    def note(self, project: str, **facts: Any) -> None:
        """Keep facts about a project."""
        known = dict(self.row(project)["facts"])
        self.store.change(PROJECTS.update().where(PROJECTS.c.id == project).values(facts=known | facts))

    def facts(self, project: str) -> Facts:
        """What is known of the file of a project that can be used."""
        facts: Facts | None = self.row(project)["facts"].get("file")
        if facts is None or not facts["columns"]:
            raise InputError("this project has no data yet that can be read")
        return facts

    def file(self, project: str) -> DataFile | None:
        """The file of a project, if there is one."""
        facts = self.row(project)["facts"].get("file")
        if facts is None:
            return None
        problems = tuple(Problem(**problem) for problem in facts["problems"])
        told = {name: facts[name] for name in ("name", "format", "bytes", "sha256", "rows", "problem_count")}
        sheets, sheet = tuple(facts.get("sheets", ())), facts["reading"].get("sheet")
        return DataFile(columns=tuple(facts["columns"]), problems=problems, sheets=sheets, sheet=sheet, **told)

    def path(self, project: str) -> Path:
        """Where the file of a project lies."""
        return self.store.project_folder(project) / str(self.facts(project)["file"])

    def copied(self, project: str) -> Path:
        """A draft with what is in the file of a project, whether it could be read or not."""
        folder = self.store.project_folder(project)
        return Path(shutil.copyfile(folder / self.row(project)["facts"]["file"]["file"], folder / f"upload-{new_id()}"))

    def columns(self, project: str) -> tuple[Column, ...]:
        """The columns with their roles."""
        return columns_of(self.facts(project), self.journal.state(project))

    def reading(self, project: str, state: State | None = None) -> Reading:
        """How the data are read under the decisions that hold, or under others."""
        folder = self.store.project_folder(project)
        return reading_of(self.path(project), folder, self.facts(project), state or self.journal.state(project))

    def rows(self, project: str, start: int, count: int) -> Rows:
        """A page of the records as they were uploaded."""
        facts = self.facts(project)
        found = rows_of_copy(self.store.project_folder(project) / "copy.parquet", start, min(count, MOST_ROWS))
        return Rows(facts["rows"], start, tuple(facts["columns"]), tuple(found))

    async def save(self, project: str, name: str, chunks: AsyncIterator[bytes], limit: int) -> tuple[Path, int, str]:
        """Stream an upload to a private file: where it is, how large, and the name it came with."""
        folder = self.store.project_folder(self.row(project)["id"])
        draft = folder / f"upload-{new_id()}"
        size = await save_stream(chunks, draft, limit)
        if not size:
            draft.unlink()
            raise InputError("the file is empty")
        return draft, size, shown_name(name)

    def keep(self, project: str, draft: Path, size: int, name: str, found: Mapping[str, Any], origin: Any = None) -> None:
        """Make an upload that was taken in the file of the project; what there was before goes."""
        folder = self.store.project_folder(project)
        for old in folder.glob("input.*"):
            old.unlink()
        file = f"input{found['suffix']}"
        draft.rename(folder / file)
        self.note(project, file=dict(found) | {"name": name, "bytes": size, "file": file, "origin": origin}, look=None)

    def keep_hierarchy(self, project: str, draft: Path, name: str) -> str:
        """Keep an uploaded hierarchy beside the data, and its id."""
        plain = name.lower().removesuffix(".gz")
        ending = ".json" if plain.endswith(".json") else ".csv"
        return self.keep_upload(project, draft, name, "hierarchy", ending + packed_suffix(draft))

    def keep_upload(self, project: str, draft: Path, name: str, kind: str, ending: str) -> str:
        """Keep a file beside the data, and its id."""
        id, folder = new_id(), self.store.project_folder(project) / "uploads"
        folder.mkdir(exist_ok=True, mode=0o700)
        draft.rename(folder / f"{id}{ending}")
        self.store.change(UPLOADS.insert().values(id=id, project=project, kind=kind, name=name, facts={}))
        return id

    def upload_path(self, project: str, upload: str) -> Path:
        """Where a file that was kept lies."""
        self.upload_name(project, upload)
        return next(iter(sorted((self.store.project_folder(project) / "uploads").glob(f"{upload}.*"))))

    def drop_upload(self, project: str, upload: str) -> None:
        """Delete a file that was kept."""
        self.upload_path(project, upload).unlink()
        self.store.change(UPLOADS.delete().where(UPLOADS.c.id == upload))

    def upload_name(self, project: str, upload: str) -> str:
        """The name that an upload came with."""
        found = self.store.one(UPLOADS, upload, project)
        if found is None:
            raise NotFound("there is no such upload")
        return str(found["name"])


def _checked(name: str) -> str:
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not 0 < len(clean) <= LONGEST_NAME:
        raise InputError(f"a project's name has 1 to {LONGEST_NAME} characters")
    return clean
