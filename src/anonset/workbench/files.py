"""The files of projects: the data and how they are read, the copy that pages show, and the uploads that belong to them."""

import os
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from anonset.errors import InputError
from anonset.model.serialization import shaped, to_builtins
from anonset.workbench.journal import Journal, State
from anonset.workbench.store import PROJECTS, UPLOADS, NotFound, Store, new_id
from anonset.workbench.values import DataFile, FileColumn, FileFacts, RecordPage
from anonset.workbench.worker_requests import ITEMS, Reading

LONGEST_NAME = 120
MOST_ROWS = 200  # in one answer
GZIPPED = b"\x1f\x8b"
PUBLISHED_ROLES = ("quasi", "sensitive", "identifier", "other")
ROLES_WITH_KIND = ("quasi", "sensitive", "other")


class TooLarge(InputError):
    """An upload has more bytes than the server accepts."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An upload in a private file, with its size and the name it came with."""

    path: Path
    size: int
    name: str

    def with_suffix(self, suffix: str) -> Path:
        """Rename the file, so that readers recognize it; a gzipped one also gets .gz."""
        return self.path.rename(self.path.with_suffix(suffix + packed_suffix(self.path)))


class ProjectFiles:
    """The files of all projects in a store, and how each project's data are read under its decisions."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self.store, self.journal = store, journal

    def folder(self, project: str) -> Path:
        """The private folder of a project."""
        return self.store.project_folder(self.store.project(project)["id"])

    def facts(self, project: str) -> FileFacts:
        """The facts about the file of a project; an error where there is none that can be read."""
        facts = self.known_facts(project)
        if facts is None or not facts.columns:
            raise InputError("this project has no data yet that can be read")
        return facts

    def known_facts(self, project: str) -> FileFacts | None:
        """The facts about the file of a project, whether it can be read or not; None if there is no file."""
        stored = self.store.project(project)["facts"].get("file")
        return None if stored is None else shaped(stored, FileFacts)

    def names(self, project: str) -> frozenset[str]:
        """The names that errors about a project may quote: those of its columns."""
        return frozenset((*self.facts(project).columns, ITEMS))

    def file(self, project: str) -> DataFile | None:
        """The file of a project, if there is one."""
        facts = self.known_facts(project)
        if facts is None:
            return None
        return DataFile(
            facts.name,
            facts.format,
            facts.bytes,
            facts.sha256,
            facts.rows,
            facts.columns,
            facts.problems,
            facts.problem_count,
            facts.sheets,
            facts.reading.get("sheet"),
        )

    def columns(self, project: str) -> tuple[FileColumn, ...]:
        """The columns with their roles as decided or guessed."""
        return columns_of(self.facts(project), self.journal.state(project))

    def reading(self, project: str, state: State | None = None) -> Reading:
        """How the data are read under the current decisions, or under others."""
        folder, facts = self.store.project_folder(project), self.facts(project)
        return reading_of(folder / facts.file, folder, facts, state or self.journal.state(project))

    def rows(self, project: str, start: int, count: int) -> RecordPage:
        """A page of at most 200 records as they were uploaded."""
        facts = self.facts(project)
        copy = self.store.project_folder(project) / "copy.parquet"
        rows = pl.scan_parquet(copy).slice(start, min(count, MOST_ROWS)).collect().to_dicts()
        return RecordPage(facts.rows, start, facts.columns, tuple(rows))

    def set_facts(self, project: str, **facts: Any) -> None:
        """Store facts about a project; other facts stay."""
        known = dict(self.store.project(project)["facts"])
        self.store.change(PROJECTS.update().where(PROJECTS.c.id == project).values(facts=known | facts))

    async def save_upload(self, project: str, name: str, chunks: AsyncIterator[bytes], limit: int) -> Draft:
        """Stream an upload to a private file in the project's folder."""
        draft = self.folder(project) / f"upload-{new_id()}"
        size = await save_stream(chunks, draft, limit)
        if not size:
            draft.unlink()
            raise InputError("the file is empty")
        return Draft(draft, size, display_name(name))

    def draft_of_file(self, project: str) -> Path:
        """A draft with the bytes of the project's file, whether it could be read or not."""
        folder = self.store.project_folder(project)
        facts = self.known_facts(project)
        assert facts is not None
        return Path(shutil.copyfile(folder / facts.file, folder / f"upload-{new_id()}"))

    def replace_file(self, project: str, draft: Draft, found: FileFacts, origin: Mapping[str, Any] | None = None) -> None:
        """Make a draft that was read the file of the project; the file before it is deleted."""
        folder = self.store.project_folder(project)
        for old in folder.glob("input.*"):
            old.unlink()
        file = f"input{found.suffix}"
        draft.path.rename(folder / file)
        facts = replace(found, name=draft.name, bytes=draft.size, file=file, origin=origin)
        self.set_facts(project, file=to_builtins(facts), look=None)

    def keep_hierarchy(self, project: str, draft: Draft) -> str:
        """Keep an uploaded hierarchy; its id."""
        ending = ".json" if draft.name.lower().removesuffix(".gz").endswith(".json") else ".csv"
        return self.keep_upload(project, draft, "hierarchy", ending + packed_suffix(draft.path))

    def keep_upload(self, project: str, draft: Draft, kind: str, ending: str) -> str:
        """Store an upload in the project's folder; return its id."""
        id, folder = new_id(), self.store.project_folder(project) / "uploads"
        folder.mkdir(exist_ok=True, mode=0o700)
        draft.path.rename(folder / f"{id}{ending}")
        self.store.change(UPLOADS.insert().values(id=id, project=project, kind=kind, name=draft.name, facts={}))
        return id

    def upload_path(self, project: str, upload: str) -> Path:
        """The path of a kept upload."""
        self.upload_name(project, upload)
        return next(iter(sorted((self.store.project_folder(project) / "uploads").glob(f"{upload}.*"))))

    def drop_upload(self, project: str, upload: str) -> None:
        """Delete a kept upload."""
        self.upload_path(project, upload).unlink()
        self.store.change(UPLOADS.delete().where(UPLOADS.c.id == upload))

    def upload_name(self, project: str, upload: str) -> str:
        """The name that a kept upload came with."""
        found = self.store.one(UPLOADS, upload, project)
        if found is None:
            raise NotFound("there is no such upload")
        return str(found["name"])


def display_name(name: str) -> str:
    """A file's name for display: its last part, printable characters only."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    clean = "".join(sign for sign in last if sign.isprintable()).strip()
    return clean[-LONGEST_NAME:] or "file"


async def save_stream(chunks: AsyncIterator[bytes], file: Path, limit: int) -> int:
    """Write a stream to a new private file and return its size; a file that is too large or incomplete is deleted."""
    size = 0
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise TooLarge(f"the file is larger than {limit // 1_000_000:,} MB, the most that is taken here")
                out.write(chunk)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    return size


async def as_stream(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Bytes in memory as an upload."""
    for part in parts:
        yield part


def packed_suffix(file: Path) -> str:
    """The suffix .gz for a gzipped file, else nothing."""
    with file.open("rb") as opened:
        return ".gz" if opened.read(2) == GZIPPED else ""


def roles_of(facts: FileFacts, state: State) -> dict[str, str]:
    """The role of each column: as decided, else as guessed."""
    return {name: state.roles.get(name, guess[0]) for name, guess in facts.guess.items()}


def columns_of(facts: FileFacts, state: State) -> tuple[FileColumn, ...]:
    """The columns of the file with their roles."""
    found, names = [], facts.columns
    for name, role in roles_of(facts, state).items():
        _, kind, reason = facts.guess[name]
        given = name in state.roles
        place = names.index(name) if name in names else len(names)
        kind = state.kinds.get(name, kind) if role in ROLES_WITH_KIND else kind
        found.append(FileColumn(f"c{place}", name, role, kind, given, "decided" if given else reason))
    return tuple(found)


def unconfirmed(facts: FileFacts, state: State) -> tuple[str, ...]:
    """The columns whose role is only guessed; a file of nothing but item sets leaves nothing to guess."""
    if len(facts.guess) == 1:
        return ()
    return tuple(name for name in facts.guess if name not in state.roles)


def reading_of(file: Path, folder: Path, facts: FileFacts, state: State) -> Reading:
    """How the file is read under a state."""
    roles = roles_of(facts, state)
    items = tuple(name for name, role in roles.items() if role == ITEMS)
    guessed = {name: value for name, value in facts.reading.items() if value}
    settings: dict[str, Any] = {role: tuple(n for n, r in roles.items() if r == role) for role in PUBLISHED_ROLES}
    settings |= {"format": facts.format, "items": items}
    kinds = {name: kind for name, kind in sorted(state.kinds.items()) if roles.get(name) in ROLES_WITH_KIND}
    settings |= {"kinds": kinds} if kinds else {}
    settings |= {"sheet": guessed["sheet"]} if "sheet" in guessed else {}
    if person := state.items.person or (guessed.get("repeated") and guessed["id"]):
        settings |= {role: tuple(name for name in settings[role] if name != person) for role in PUBLISHED_ROLES}
        settings |= {"repeated": True, "id": person}
    if items:
        separator = state.items.separator or guessed.get("item_separator")
        settings |= {"item_separator": separator} if separator else {}
        settings |= {"multiset": True} if state.items.multiset else {}
        settings |= {"drop_items": state.items.drop} if state.items.drop else {}
        settings |= {"sensitive_items": state.items.sensitive} if state.items.sensitive else {}
    if state.population.upload is not None:
        settings |= {"population": state.population.upload}  # the worker knows its path
    if state.population.sampling is not None:
        settings |= {"sampling": state.population.sampling}
    linkable = {*settings["quasi"], *((ITEMS,) if items else ())}
    chosen = {column: choice for column, choice in state.hierarchies.items() if column in linkable}
    return Reading(file, folder, settings, chosen, facts.sha256)
