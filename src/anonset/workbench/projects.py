"""Projects and their data: apart from each other, each in a folder of its own; how its file is read, and pages of its copy."""

import os
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import select

from anonset.errors import InputError, ParameterError
from anonset.workbench.journal import Journal, SetRoles, State
from anonset.workbench.runs import NotFound
from anonset.workbench.store import PROJECTS, UPLOADS, Store, new_id, now
from anonset.workbench.values import Column, DataFile, Problem, Rows
from anonset.workbench.worker_requests import ITEMS, Reading

LONGEST_NAME = 120
GZIPPED = b"\x1f\x8b"


class TooLarge(InputError):
    """More bytes came than are taken."""


def shown_name(name: str) -> str:
    """A file's name as it is shown: its last part, without what does not print."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    clean = "".join(sign for sign in last if sign.isprintable()).strip()
    return clean[-LONGEST_NAME:] or "file"


async def save_stream(chunks: AsyncIterator[bytes], file: Path, limit: int) -> int:
    """Write what comes to a new private file, and say how much it was; what is too large or breaks off is not kept."""
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


async def pieces(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Bytes that are at hand, as a stream."""
    for part in parts:
        yield part


def packed_suffix(file: Path) -> str:
    """What the name of a gzipped file must end in."""
    with file.open("rb") as opened:
        return ".gz" if opened.read(2) == GZIPPED else ""


def rows_of_copy(copy: Path, start: int, count: int) -> list[dict[str, Any]]:
    """The rows from `start` on, at most so many: fields are c0, c1, ..., sets are lists."""
    return pl.scan_parquet(copy).slice(start, count).collect().to_dicts()


Facts = Mapping[str, Any]
PUBLISHED_ROLES = ("quasi", "sensitive", "identifier", "other")


def roles_of(facts: Facts, state: State) -> dict[str, str]:
    """The role of each column: as decided, else as guessed."""
    return {name: state.roles.get(name, guess[0]) for name, guess in facts["guess"].items()}


def columns_of(facts: Facts, state: State) -> tuple[Column, ...]:
    """The columns of the file with their roles."""
    found, names = [], facts["columns"]
    for name, role in roles_of(facts, state).items():
        _, kind, reason = facts["guess"][name]
        given = name in state.roles
        place = names.index(name) if name in names else len(names)
        found.append(Column(f"c{place}", name, role, kind, given, "decided" if given else reason))
    return tuple(found)


def unconfirmed(facts: Facts, state: State) -> tuple[str, ...]:
    """The columns whose role is only guessed; a file of nothing but item sets leaves nothing to guess."""
    if len(facts["guess"]) == 1:
        return ()
    return tuple(name for name in facts["guess"] if name not in state.roles)


def reading_of(file: Path, folder: Path, facts: Facts, state: State) -> Reading:
    """How the file is read under a state."""
    roles = roles_of(facts, state)
    items = tuple(name for name, role in roles.items() if role == ITEMS)
    guessed = {name: value for name, value in facts["reading"].items() if value}
    settings: dict[str, Any] = {role: tuple(n for n, r in roles.items() if r == role) for role in PUBLISHED_ROLES}
    settings |= {"format": facts["format"], "items": items}
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
    linkable = {*settings["quasi"], *((ITEMS,) if items else ())}
    chosen = {column: choice for column, choice in state.hierarchies.items() if column in linkable}
    return Reading(file, folder, settings, chosen, facts["sha256"])


LONGEST_PROJECT_NAME = 100
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
    if not 0 < len(clean) <= LONGEST_PROJECT_NAME:
        raise InputError(f"a project's name has 1 to {LONGEST_PROJECT_NAME} characters")
    return clean


SAMPLES = {"patients": "2,000 made-up patients with age, sex, town, schooling and diagnoses"}
ROLES = SetRoles(
    {
        "patient_id": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "town": "quasi",
        "schooling": "quasi",
        "diagnoses": "items",
    }
)


def write(sample: str, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write a sample to a folder: its table, and its hierarchies by column."""
    if sample not in SAMPLES:
        raise ParameterError(f"there is no sample of this name; there are {', '.join(SAMPLES)}")
    from anonset.samples import write_sample

    table = write_sample(folder)
    return table, {name: folder / "hierarchies" / f"{name}.csv" for name in ("town", "items")}
