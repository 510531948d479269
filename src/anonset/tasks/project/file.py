"""The shape of a project file (anonset.toml): data, roles, hierarchies, promise, runs; whatever else is in it is an error."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from anonset.errors import InputError, unknown
from anonset.model.checked_files import Strict, read_toml, shaped
from anonset.model.cover import SAID, Cover
from anonset.model.ends import Ends
from anonset.model.guarantees import GUARANTEES
from anonset.model.schema import ROLES, Kind, Schema, with_key
from anonset.report.words import languages

Names = tuple[str, ...]
Count = Annotated[int, Meta(ge=1)]
ELSEWHERE = frozenset({*ROLES, "items", "kinds", "hierarchies", "item_hierarchy", "sensitive_items"})  # have their own part
SETTINGS = tuple(f.name for f in fields(Schema) if f.name not in ELSEWHERE)
USUAL_GUARANTEE = {(True, False): "k-anonymity", (False, True): "km-anonymity", (True, True): "k-km"}  # by quasi, items


class ProjectRoles(Strict, frozen=True, kw_only=True):
    """The part that each column plays; `left_out` are those that are known and not published."""

    identifier: Names = ()
    quasi: Names = ()
    sensitive: Names = ()
    other: Names = ()
    items: Names = ()
    left_out: Names = ()
    sensitive_items: Names | str = ()


class ProjectPromise(Strict, frozen=True, kw_only=True):
    """What everybody in the release is promised; the guarantee that covers the roles, if none is named."""

    k: Count = 5
    m: Count | None = None
    l: Count | None = None  # noqa: E741 - the field's letter
    guarantee: str | None = None

    @property
    def values(self) -> dict[str, int]:
        """The numbers that are given, by name."""
        return {name: value for name in ("k", "m", "l") if (value := getattr(self, name)) is not None}


class ProjectRun(Strict, frozen=True, kw_only=True):
    """One release: where it goes and how it is made; the algorithm that fits the data, if none is named."""

    output: Annotated[str, Meta(min_length=1)]
    algorithm: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    policy: str | None = None
    format: str = "csv"
    report: bool = True
    margins: bool = False
    ends: Ends = "auto"
    accept_exposure: Names = ()
    accept_loss: bool = False
    accept_repeats: bool = False


class ProjectFile(Strict, frozen=True, kw_only=True):
    """All decisions about one dataset. `data` is a path beside settings of how it is read; paths are relative to the file."""

    version: Literal[1] = 1
    data: dict[str, Any]
    roles: ProjectRoles
    kinds: dict[str, Kind] = field(default_factory=dict)
    hierarchies: dict[str, str] = field(default_factory=dict)
    promise: ProjectPromise
    cover: dict[str, str] = field(default_factory=lambda: Cover().said)
    run: Annotated[tuple[ProjectRun, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        path = self.data.get("path")
        if not isinstance(path, str) or not path:
            raise InputError("data: a `path` is needed, the file that is to be anonymized")
        for part, given, known in (("data", self.data, ("path", "key", *SETTINGS)), ("cover", self.cover, SAID)):
            if odd := [key for key in given if key not in known]:
                raise InputError(f"{part}: there is " + unknown("key", odd[0], known, choose="there are"))
        if (language := self.cover.get("language", "en")) not in languages():
            raise InputError("cover.language: there is " + unknown("language", language, languages(), choose="there are"))
        if len({run.output for run in self.run}) < len(self.run):
            raise InputError("run: every run needs an `output` of its own")
        self._check_promise()
        schema = self.schema(Path())  # says what is wrong with roles and settings
        twice = next((name for name in self.roles.left_out if schema.role(name) or name in self.roles.items), None)
        if twice is not None:
            raise InputError(f"roles.left_out: {twice!r} has another role too")

    def _check_promise(self) -> None:
        if not self.guarantee:
            raise InputError("roles: there is nothing to protect: no column is quasi and there are no items")
        if self.guarantee not in GUARANTEES:
            raise InputError(
                "promise.guarantee: there is " + unknown("guarantee", self.guarantee, GUARANTEES, choose="there are")
            )
        known = {f.name for f in fields(GUARANTEES[self.guarantee])}
        if odd := [name for name in self.promise.values if name not in known]:
            raise InputError(f"promise.{odd[0]}: {self.guarantee} has none")
        if "m" in known and self.promise.m is None:
            raise InputError(f"promise.m: is missing: how many items may somebody know? ({self.guarantee})")

    @property
    def sentence(self) -> str:
        """The promise in plain words."""
        known = [", ".join(self.roles.quasi)] if self.roles.quasi else []
        known += [f"up to {self.promise.m or 'all'} items of {', '.join(self.roles.items)}"] if self.roles.items else []
        unit = "people who" if {"id", "key"} & self.data.keys() else "records that"
        return f"Someone who knows {' and '.join(known)} of a person finds at least {self.promise.k} {unit} fit."

    @property
    def guarantee(self) -> str:
        """The id of the guarantee that is promised; empty where there is nothing to protect."""
        return self.promise.guarantee or USUAL_GUARANTEE.get((bool(self.roles.quasi), bool(self.roles.items)), "")

    def schema(self, folder: Path) -> Schema:
        """How the data are read; file names are taken from the folder."""
        settings = with_key({name: value for name, value in self.data.items() if name != "path"})
        roles = {role: getattr(self.roles, role) for role in (*ROLES, "items")}
        more: dict[str, Any] = {
            "kinds": self.kinds,
            "hierarchies": self.hierarchies or None,
            "sensitive_items": self.roles.sensitive_items or None,
        }
        return Schema(**settings, **roles, **more).beside(folder)

    def source(self, folder: Path) -> str | Path:
        """The data: a file, or an address as it is."""
        path: str = self.data["path"]
        return path if "://" in path else folder / path


def read_project(path: str | Path) -> ProjectFile:
    """The project in a file; whatever is wrong with it is one line with the file and the key."""
    if not Path(path).exists():
        raise InputError("there is no such file; `anonset init DATA` writes one", file=path)
    values = read_toml(path)
    try:
        return shaped(values, ProjectFile)
    except InputError as error:
        raise InputError(str(error), file=path) from None
