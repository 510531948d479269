"""A steward's decisions in one project file (anonset.toml): its shape, proposed for new data, written as commented
TOML, and run.
"""

import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from anonset.algorithms import ALGORITHMS
from anonset.data.files import fingerprint, write_text
from anonset.data.formats import release_formats
from anonset.data.hierarchies import read_hierarchy, write_hierarchy
from anonset.data.read import attach, hierarchies_in
from anonset.errors import Advice, Fix, InputError, NewValuesError, Set, unknown
from anonset.measure.risk import identifiability
from anonset.model.cover import SAID, Cover
from anonset.model.dataset import Column, Dataset
from anonset.model.ends import Ends
from anonset.model.guarantees import GUARANTEES
from anonset.model.hierarchy import plant
from anonset.model.parameters import parameters
from anonset.model.progress import Phases, unheard
from anonset.model.release import Accepted
from anonset.model.release_files import Recoding, read_release_file
from anonset.model.schema import NO_ROLE, ROLES, Fate, Kind, Schema, left_out_sentence, with_key
from anonset.model.serialization import Strict, read_toml, shaped
from anonset.releases.folder import read_manifest
from anonset.releases.gates import gathering, naming_columns
from anonset.releases.staging import unchanged
from anonset.report.words import languages
from anonset.tasks import anonymize
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import Anonymized, AnonymizeRequest
from anonset.tasks.inputs import Input
from anonset.tasks.verify import Promise

Names = tuple[str, ...]
Count = Annotated[int, Meta(ge=1)]
ELSEWHERE = frozenset({*ROLES, "items", "kinds", "hierarchies", "item_hierarchy", "sensitive_items"})  # have their own part
SETTINGS = tuple(f.name for f in fields(Schema) if f.name not in ELSEWHERE)
USUAL_GUARANTEE = {(True, False): "k-anonymity", (False, True): "km-anonymity", (True, True): "k-km"}  # by quasi, items
IN_POPULATION = {"k-anonymity": "k-map", "km-anonymity": "km-map", "k-km": "kkm-map"}


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
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    policy: str | None = None
    format: str = "csv"
    report: bool = True
    margins: bool = False
    ends: Ends = "auto"
    like: str | None = None
    accept_exposure: Names = ()
    accept_loss: bool = False
    accept_repeats: bool = False
    accept_earlier: bool = False


class ProjectFile(Strict, frozen=True, kw_only=True):
    """All decisions about one dataset. `data` is a path with settings for reading it; paths are relative to the file."""

    version: Literal[1] = 1
    data: dict[str, Any]
    roles: ProjectRoles
    kinds: dict[str, Kind] = msgspec.field(default_factory=dict)
    hierarchies: dict[str, str] = msgspec.field(default_factory=dict)
    promise: ProjectPromise
    cover: dict[str, str] = msgspec.field(default_factory=lambda: Cover().said)
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
        """Return the promise as a sentence."""
        known = [", ".join(self.roles.quasi)] if self.roles.quasi else []
        known += [f"up to {self.promise.m or 'all'} items of {', '.join(self.roles.items)}"] if self.roles.items else []
        unit = "people who" if {"id", "key"} & self.data.keys() else "records that"
        if self.data.keys() & {"population", "sampling"}:
            unit = "people of the population that fit, and fewer records if it is known that the person is in the file"
            return f"Someone who knows {' and '.join(known)} of a person finds at least {self.promise.k} {unit}."
        return f"Someone who knows {' and '.join(known)} of a person finds at least {self.promise.k} {unit} fit."

    @property
    def guarantee(self) -> str:
        """Return the id of the promised guarantee; empty if there is nothing to protect."""
        usual = USUAL_GUARANTEE.get((bool(self.roles.quasi), bool(self.roles.items)), "")
        return self.promise.guarantee or (
            IN_POPULATION.get(usual, usual) if self.data.keys() & {"population", "sampling"} else usual
        )

    def schema(self, folder: Path) -> Schema:
        """Return the schema of the data; file names are relative to the folder."""
        settings = with_key({name: value for name, value in self.data.items() if name != "path"})
        roles = {role: getattr(self.roles, role) for role in (*ROLES, "items")}
        more: dict[str, Any] = {
            "kinds": self.kinds,
            "hierarchies": self.hierarchies or None,
            "sensitive_items": self.roles.sensitive_items or None,
        }
        return Schema(**settings, **roles, **more).beside(folder)

    def source(self, folder: Path) -> str | Path:
        """Return the data: a file relative to the folder, or an address."""
        path: str = self.data["path"]
        return path if "://" in path else folder / path


def read_project(path: str | Path) -> ProjectFile:
    """Read a project file; an error is one line with the file and the key."""
    if not Path(path).exists():
        raise InputError("there is no such file; `anonset init DATA` writes one", file=path)
    values = read_toml(path)
    try:
        return shaped(values, ProjectFile)
    except InputError as error:
        raise InputError(error.advice, file=path) from None


CHOICES = ("identifier", "quasi", "sensitive", "other", "items", "left_out")
NEARLY_ALL = 0.9  # share of distinct values from which on a text column is taken for an identifier
FEW = 20  # most values without a hierarchy, and least records for a guess about a column
USUAL_K, USUAL_M = 5, 2


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal for one column, or for the items: a role or a hierarchy ('' for none), the facts, and the reason."""

    column: str
    answer: str
    facts: str
    why: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """The data as read by default, and a proposed role for each column."""

    data: Dataset
    source: Input
    roles: tuple[Proposed, ...]

    def decided(self, roles: Mapping[str, str], phases: Phases = unheard) -> Dataset:
        """Return the data, read again if these roles differ from the proposed ones."""
        if all(roles[p.column] == _role(fate) for p, fate in zip(self.roles, self.data.fates, strict=True)):
            return self.data
        named = {role: tuple(c for c, chosen in roles.items() if chosen == role) for role in (*ROLES, "items")}
        if (gathered := self.data.gathered) is not None:  # with the column names of the input
            named = {role: tuple(c for c in gathered.original_names(columns)) for role, columns in named.items()}
            named["identifier"] = tuple(c for c in named["identifier"] if c != gathered.key)
        reading = {name: value for name, value in self.data.reading.items() if name in SETTINGS}
        return Input(self.source.data, {**reading, **named, "kinds": self.source.wanted().kinds}).read(phases("Reading"))


def propose(source: Input, phases: Phases = unheard) -> Proposal:
    """Read the data and propose a role for each column; given roles are kept.

    If people have several rows, these are gathered into one record for each person.
    """
    bare = replace(source.wanted(), hierarchies=None, item_hierarchy=None)
    data = Input(source.data, {}, bare).read(phases("Reading"))
    if data.tied and bare.id is None:
        with suppress(InputError):  # rows without a person's id cannot be gathered; the run reports the error
            named = {role: tuple(n for n in getattr(bare, role) or () if n != data.tied[0]) or None for role in ROLES}
            data = Input(source.data, {}, replace(bare, id=data.tied[0], **named)).read(phases("Reading"))  # type: ignore[arg-type]
    return Proposal(data, source, tuple(_proposed(data, fate) for fate in data.fates))


def propose_hierarchies(data: Dataset, source: Input) -> tuple[Proposed, ...]:
    """Return a hierarchy for the items and for each quasi column: a given one, one in the folder of the data, or a builder."""
    files = _files(data, source)
    found = [_for_column(data, column, files.get(column.name)) for column in data.quasi]
    if data.transactions is not None:
        facts = f"{int((data.transactions.supports > 0).sum()):,} items"
        builder = "learned:5", "groups items that replace each other in the records"
        found.append(Proposed("items", *_answer(data, "items", files.get("items"), *builder, facts)))
    return tuple(found)


def tied_sentence(data: Dataset) -> str:
    """Return a sentence on how several rows of a person are, or should be, treated; empty if no person has several."""
    if data.gathered is not None and not data.tied and data.gathered.sentence:
        return f"People have several rows: {data.gathered.sentence}."
    if not data.tied:
        return ""
    return Advice(
        f"Values of {', '.join(data.tied)} repeat: k records may all be one person's, and a run refuses that. ",
        Fix("Begin again with {}", gathering(data.tied[0])),
        ", or let accept_repeats of the run be true.",
    )


def named_sentence(data: Dataset) -> str:
    """Return remarks about columns and items that name people, which no run publishes; empty where none does."""
    found = naming_columns(data).values()
    removed = [f"Items like {pattern} name people and will be removed." for e in found for pattern in e.patterns]
    refused = [f"{exposure}: a run refuses that." for exposure in found if not exposure.patterns]
    return " ".join((*removed, *refused))


def unique_sentence(data: Dataset) -> str:
    """Return a sentence about how many people are unique in the data by what attackers may know."""
    unique = identifiability(data)
    share, known = unique.quasi, "what is quasi"
    if unique.items:
        share, known = unique.items[0], "one item"
    if unique.both:
        share, known = unique.both[0], "what is quasi and one item"
    return f"As they stand, {share or 0:.0%} of the {data.unit} are the only ones that fit, to somebody who knows {known}."


def covers(data: Dataset, column: str, how: str) -> str | None:
    """Return what is wrong with a hierarchy for a column, or for the `items`; None if it is right."""
    try:
        attach(data, Schema(hierarchies={column: how}))
    except InputError as error:
        return error.advice
    return None


def project_of(
    data: Dataset,
    source: Input,
    folder: Path,
    *,
    hierarchies: Mapping[str, str],
    k: int,
    m: int | None,
    output: str,
    cover: Mapping[str, str],
) -> ProjectFile:
    """Return the project file for these decisions; its paths are relative to the folder."""
    read, usual = Schema(**data.reading), Schema()
    settings = {name: getattr(read, name) for name in SETTINGS if getattr(read, name) != getattr(usual, name)}
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in settings.items()}
    if not data.fates or len(data.fates) == 1:  # a file of item sets alone
        settings.pop("item_separator", None)
    for name in settings.keys() & {"long", "population"}:
        settings[name] = _relative(settings[name], folder)
    found = [exposure.patterns for exposure in naming_columns(data).values()]
    if patterns := [*settings.get("drop_items", ()), *(pattern for patterns in found for pattern in patterns)]:
        settings["drop_items"] = patterns
    given = source.wanted()
    roles = {role: tuple(getattr(read, role) or ()) for role in (*ROLES, "items")}
    left_out = tuple(fate.column for fate in data.fates if fate.role == NO_ROLE)
    coded = {column.name for column in data.columns}
    return ProjectFile(
        data={"path": _relative(source.data, folder), **settings},
        roles=ProjectRoles(**roles, left_out=left_out, sensitive_items=_sensitive_items(given, folder)),
        kinds={name: kind for name, kind in read.kinds.items() if name in coded},
        hierarchies={name: _relative(how, folder) for name, how in hierarchies.items() if how},
        promise=ProjectPromise(k=k, m=m if data.transactions is not None else None),
        cover=Cover(**cover).said,
        run=(ProjectRun(output=output),),
    )


KIND_WORDS = {"numeric": "numbers", "ordered": "texts in order", "categorical": "texts"}


def _proposed(data: Dataset, fate: Fate) -> Proposed:
    column = next((c for c in data.columns if c.name == fate.column), None)
    role = _role(fate)
    if column is None:
        return Proposed(fate.column, role, "sets of items" if fate.kind == "items" else "texts", fate.reason, fate.given)
    there = column.codes[column.codes >= 0]
    values, n = len(np.unique(there)), len(there)
    gone = f", {1 - n / len(column):.1%} missing" if n < len(column) else ""
    facts = f"{KIND_WORDS[column.kind]}, {values:,} different{gone}"
    if not fate.given and role == "quasi":
        if values <= 1:
            return Proposed(fate.column, "other", facts, "it is the same for everybody")
        if column.kind == "categorical" and n >= FEW and values >= NEARLY_ALL * n and covers(data, column.name, "dates"):
            return Proposed(fate.column, "identifier", facts, "nearly everybody has a value of their own")
    return Proposed(fate.column, role, facts, fate.reason, fate.given)


def _role(fate: Fate) -> str:
    return "left_out" if fate.role == NO_ROLE else fate.role


def _files(data: Dataset, source: Input) -> Mapping[str, str | Path]:
    """Return the hierarchies that are given, or those in the folder `hierarchies` next to the data."""
    schema, found = source.wanted(), dict[str, str | Path]()
    folder = schema.hierarchies or Path(str(source.data)).parent / "hierarchies"
    if isinstance(folder, Mapping):
        found = dict(folder)
    elif schema.hierarchies or Path(folder).is_dir():
        names = () if data.transactions is None else ("items", data.item_column)
        with nullcontext() if schema.hierarchies else suppress(InputError):
            found = hierarchies_in(Path(folder), [column.name for column in data.quasi], names)
    return found | ({"items": schema.item_hierarchy} if schema.item_hierarchy else {})


def _for_column(data: Dataset, column: Column, file: str | Path | None) -> Proposed:
    values = len(np.unique(column.codes[column.codes >= 0]))
    facts = f"{KIND_WORDS[column.kind]}, {values:,} different"
    return Proposed(column.name, *_answer(data, column.name, file, *_builder(data, column), facts))


def _answer(data: Dataset, name: str, file: str | Path | None, builder: str, reason: str, facts: str) -> tuple[str, str, str]:
    """Return the file if it covers the data, else the builder; the facts; and the reason."""
    if file is None:
        return builder, facts, reason
    if covers(data, name, str(file)) is None:
        return str(file), facts, "it is there and covers all values"
    return builder, facts, f"{reason}; {file} does not cover all values"


def _builder(data: Dataset, column: Column) -> tuple[str, str]:
    if column.kind == "numeric":
        return "", "ranges come from the data"
    if column.kind == "ordered":
        return "", "neighbours in the order of its words"
    if len(column.domain) <= FEW:
        return "", "so few values need none"
    if covers(data, column.name, "dates") is None:
        return "dates", "days under months, years and decades"
    lengths = {len(text) for text in column.domain}
    if len(lengths) == 1 and all(text.isdigit() for text in column.domain) and (size := lengths.pop()) > 1:
        return f"prefixes:{','.join(str(n) for n in range(size - 1, 0, -1))}", "codes under their first digits"
    return "balanced:5", "values in their order, in fives: a file of your own says more"


def _relative(path: object, folder: Path) -> str:
    """Return a path relative to the folder; builders and addresses stay as they are."""
    text = str(path)
    return Path(os.path.relpath(text, folder)).as_posix() if Path(text).exists() else text


def _sensitive_items(schema: Schema, folder: Path) -> tuple[str, ...] | str:
    given = schema.sensitive_items
    if given is None or isinstance(given, tuple):
        return given or ()
    return _relative(given, folder) if os.path.isfile(given) else tuple(name.strip() for name in str(given).split(","))


@dataclass(frozen=True, slots=True)
class Seen:
    """The number of input records of a release, and the values of its columns and items."""

    records: int
    values: Mapping[str, frozenset[str]]


def seen(folder: Path) -> Seen:
    """Read facts about the input of a release from its private half."""
    recoding = read_release_file(folder / "private" / "recoding.json", Recoding)
    values = {name: _members(labels) for name, labels in recoding["columns"].items() if isinstance(labels, dict)}
    values["items"] = _members(recoding["items"]) | frozenset(recoding["suppressed"])
    return Seen((read_manifest(folder) or {}).get("input_records", 0), values)


def since(before: Seen, now: Seen) -> tuple[str, ...]:
    """Return remarks on what is new in the data since the release before."""
    remarks = [f"{before.records:,} records before, {now.records:,} now"] if before.records != now.records else []
    for name, values in now.values.items():
        if more := len(values - before.values.get(name, frozenset())):
            remarks.append(f"{name}: {more:,} value{'s' if more > 1 else ''} that the release before did not have")
    return tuple(remarks)


def new_columns(project: ProjectFile, result: Anonymized) -> tuple[str, ...]:
    """Return remarks about columns that the project file does not name: they are left out."""
    unknown = [fate.column for fate in result.columns if fate.role == NO_ROLE and fate.column not in project.roles.left_out]
    return tuple(f"{name} is a new column: left out until [roles] of the project file names it" for name in unknown)


def uncovered(source: Input) -> InputError:
    """Return the error that names every hierarchy that does not cover the data, with its fix."""
    refused = "; ".join(str(error) for _, error in _refused(source))
    below = Fix("run it with {} to put them below its root", Set("add_values", True))
    return NewValuesError(refused, fix=[Fix("add them to the file"), below])


def add_values(source: Input) -> tuple[str, ...]:
    """Put values that a hierarchy file does not cover directly below its root, where they generalize to anything at once."""
    remarks = []
    for column, error in _refused(source):
        file, new = Path(_hierarchies(source)[column]), error.values
        tree = read_hierarchy(file)
        labels, parent = [*tree.labels, *new], [*tree.parent.tolist(), *[tree.root] * len(new)]
        write_hierarchy(plant(labels, parent, tree.root), file)
        remarks.append(f"{column}: {len(new):,} new value{'s' if len(new) > 1 else ''} put below the root of {file.name}")
    return tuple(remarks)


def _refused(source: Input) -> list[tuple[str, NewValuesError]]:
    """Return the columns whose hierarchy does not cover the data, with the error of each."""
    bare = replace(source.wanted(), hierarchies=None, item_hierarchy=None, sensitive_items=None)
    data, found = Input(source.data, schema=bare).read(), []
    for column, file in _hierarchies(source).items():
        try:
            attach(data, Schema(hierarchies={column: file}, kinds=source.wanted().kinds))
        except NewValuesError as error:
            found.append((column, error))
    return found


def _hierarchies(source: Input) -> Mapping[str, str | Path]:
    given = source.wanted().hierarchies
    return given if isinstance(given, Mapping) else {}


def _members(labels: Mapping[str, list[str]]) -> frozenset[str]:
    return frozenset(name for members in labels.values() for name in members)


OPENING = """\
# What `anonset run` does. Keep this file under version control: it holds every decision about these data.
# Paths are relative to this file. docs/project.md explains each key.
"""
DATA = {"id": "tells people apart: the rows of each become one record", "key": "tells people apart: one record each"}
ROLE_COMMENTS = {
    "identifier": "names people: left out",
    "quasi": "somebody may know it: generalized until enough people look alike",
    "sensitive": "worth protecting, not known to others: published as it is",
    "other": "nobody could find a person by it: published as it is",
    "items": "the sets of items, of which somebody may know a few: generalized",
    "left_out": "known, and not published; a column that is not in this part at all is left out too, and every run says so",
    "sensitive_items": "items protected against inference instead of linking: names, or a file with one name a line",
}
HIERARCHIES = """\
# How values generalize: a file, or a builder such as learned:5, balanced:5, ranges:10, prefixes:3,2 or dates.
# `items` is the name for the items. A column that is not here gets ranges or sets of its values.
"""
RUN = {
    "output": "the folder of the release; replaced by the next run on other data",
    "algorithm": "see `anonset algorithms`; without it the one that fits the data is taken",
    "format": release_formats(),
    "report": "report.html, for you alone",
    "policy": "privacy and utility constraints",
    "margins": "also publish how often items occur in the whole data, rounded",
    "ends": "of numeric ranges: auto (rounded from four digits on), rounded or exact",
    "like": "an earlier release whose settings, hierarchies and global rules are taken over, so that labels stay the same",
    "accept_exposure": "columns published although they are refused otherwise",
    "accept_loss": "publish even what says next to nothing",
    "accept_repeats": "count records although several are one person's",
    "accept_earlier": "publish although an earlier release leaves people with fewer than k candidates",
}
ALWAYS = frozenset({"output", "format", "report"})


def write_project(project: ProjectFile, path: Path) -> None:
    """Write the project file atomically, replacing an existing one."""
    write_text(path, project_toml(project))


def project_toml(project: ProjectFile) -> str:
    """Return the project as TOML with comments, from which `read_project` reads the same project."""
    return "\n".join([OPENING + "version = 1\n", *(f"{part}\n" for part in _parts(project))])


def _parts(project: ProjectFile) -> Iterator[str]:
    yield _table("data", project.data, DATA)
    roles = {name: value for name, value in msgspec.to_builtins(project.roles).items() if value or name != "sensitive_items"}
    yield _table("roles", roles, ROLE_COMMENTS)
    if project.kinds:
        yield "# Numbers, codes that only look like numbers (categorical), or words that have an order.\n" + _table(
            "kinds", project.kinds
        )
    yield HIERARCHIES + _table("hierarchies", project.hierarchies)
    promise = {name: value for name, value in msgspec.to_builtins(project.promise).items() if value is not None}
    words = "".join(c if c.isprintable() else " " for c in project.sentence)  # a column's name may hold anything
    yield f"# {words}\n" + _table("promise", promise)
    yield "# The first page of report and certificate.\n" + _table("cover", project.cover)
    for run in project.run:
        yield _run(run)


def _run(run: ProjectRun) -> str:
    values = msgspec.to_builtins(run)
    usual = msgspec.to_builtins(ProjectRun(output=run.output))
    settings = {n: v for n, v in values.items() if n != "parameters" and (n in ALWAYS or v != usual[n])}
    said = _table("run", settings, RUN, array=True)
    if not run.algorithm:
        said += '\n# algorithm = "..."  # ' + RUN["algorithm"]
    return said + ("\n" + _table("run.parameters", run.parameters) if run.parameters else "")


def _table(name: str, values: Mapping[str, Any], notes: Mapping[str, str] | None = None, *, array: bool = False) -> str:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in values.items()]
    said = [(notes or {}).get(key, "") for key in values]
    width = min(50, max((len(line) for line in lines), default=0))
    body = [f"{line.ljust(width)}  # {text}" if text else line for line, text in zip(lines, said, strict=True)]
    return "\n".join([f"[[{name}]]" if array else f"[{name}]", *body])


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _value(name)


def _value(value: Any) -> str:
    """Return a value in TOML; texts as in JSON, of which TOML accepts all characters but one."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


LEDGER = ".ledger"


def ledger_of(file: Path) -> Path:
    """Return the folder in which a project keeps a copy of every release that it made."""
    return file.absolute().with_suffix(LEDGER)


def entries(ledger: Path) -> tuple[Path, ...]:
    """Return the releases in a ledger, in the order in which they were made."""
    return tuple(sorted(found for found in ledger.glob("[0-9]*-*") if found.is_dir()))


def enter(output: Path, ledger: Path) -> None:
    """Copy a release into a ledger, unless the same records are there already; its owner alone can read it."""
    manifest = read_manifest(output) or {}
    records = sorted((name, sha256) for name, sha256 in manifest.get("files", {}).items() if name.startswith("published/rec"))
    mark = hashlib.sha256(json.dumps(records).encode()).hexdigest()[:8]
    if any(entry.name.endswith(f"-{mark}") for entry in entries(ledger)):
        return
    ledger.mkdir(mode=0o700, exist_ok=True)
    number = max((int(number) for entry in entries(ledger) if (number := entry.name.split("-")[0]).isdecimal()), default=0) + 1
    place = ledger / f"{number:04d}-{output.name}-{mark}"
    with tempfile.TemporaryDirectory(prefix=".entry-", dir=ledger) as stage:
        for half in ("published", "private"):
            shutil.copytree(output / half, Path(stage) / "entry" / half)
        (Path(stage) / "entry").rename(place)


PROJECT = "anonset.toml"


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """A project file; `data` are other data of the same columns, `again` makes what is up to date too.

    `add_values` puts values that a hierarchy file does not cover directly below its root, in that file. `cover` is said on the
    first page instead of what the file says.
    """

    file: Path = Path(PROJECT)
    data: str | Path | None = None
    again: bool = False
    add_values: bool = False
    command: str = ""
    cover: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run, None if its release is up to date; and remarks on what is new."""

    output: Path
    made: Anonymized | None
    news: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the remarks, and the result if there is one."""
        made = {} if self.made is None else self.made.as_json()
        return {"output": self.output, "done": self.made is not None, "news": self.news} | made


@dataclass(frozen=True, slots=True)
class ProjectResult:
    """The result of each run of a project, and the promise as a sentence."""

    promise: str
    runs: tuple[RunResult, ...]


def run(request: ProjectRequest, phases: Phases = unheard) -> ProjectResult:
    """Make the releases of a project file; those that are up to date stay untouched."""
    project = read_project(request.file)
    project = msgspec.structs.replace(project, cover=Cover(**{**project.cover, **request.cover}).said)
    folder = request.file.absolute().parent
    source = Input(request.data or project.source(folder), schema=project.schema(folder))
    added = add_values(source) if request.add_values else ()
    return ProjectResult(
        project.sentence, tuple(_make_release(request, project, run, source, added, phases) for run in project.run)
    )


def _make_release(
    request: ProjectRequest, project: ProjectFile, run: ProjectRun, source: Input, added: Sequence[str], phases: Phases
) -> RunResult:
    folder = request.file.absolute().parent
    output = Path(run.output) if Path(run.output).is_absolute() else request.file.parent / run.output
    manifest = _manifest_before(output)
    digest = digest_of(project, run, source, folder)
    if manifest is not None and not request.again and digest is not None and manifest["project"].get("digest") == digest:
        finding = unchanged(output)
        if finding is not None and finding.holds:
            return RunResult(output, None)
    before = None if manifest is None else seen(output)
    ledger = ledger_of(request.file)
    try:
        result = anonymize.run(_request(request, project, run, source, output, digest), phases)
    except NewValuesError:
        raise uncovered(source) from None
    enter(output, ledger)
    return _with_news(project, result, before, added)


def digest_of(project: ProjectFile, run: ProjectRun, source: Input, folder: Path) -> str | None:
    """Return a hash of the decisions and the bytes of the data; None where the data are no files."""
    if not Path(str(source.data)).exists():
        return None
    named = [
        source.data,
        project.data.get("long"),
        project.data.get("population"),
        project.roles.sensitive_items,
        run.policy,
        run.like,
        *run.parameters.values(),
    ]
    paths = (folder / str(name) for name in (*named, *project.hierarchies.values()) if isinstance(name, str | Path))
    bytes_of = [fingerprint(file).sha256 for path in paths for file in _release_files(path)]
    decided = msgspec.to_builtins(project) | {"run": msgspec.to_builtins(run)}
    return hashlib.sha256(json.dumps([decided, bytes_of], sort_keys=True, default=str).encode()).hexdigest()


def _release_files(path: Path) -> list[Path]:
    return sorted(inner for inner in path.rglob("*") if inner.is_file()) if path.is_dir() else [path] if path.is_file() else []


def _manifest_before(output: Path) -> Mapping[str, Any] | None:
    """Return the manifest of an earlier release of a run; raise InputError for any other file or folder."""
    if not output.exists():
        return None
    manifest = read_manifest(output) if output.is_dir() else None
    if manifest is None or not isinstance(manifest.get("project"), dict):
        raise InputError("is there already and no `anonset run` made it: choose another output, or move it away", file=output)
    return manifest


def _request(
    request: ProjectRequest, project: ProjectFile, run: ProjectRun, source: Input, output: Path, digest: str | None
) -> AnonymizeRequest:
    folder = request.file.absolute().parent
    policy = None if run.policy is None else folder / run.policy
    if run.like is not None:
        source = replace(source, schema=replace(source.wanted(), hierarchies=None, item_hierarchy=None))
    values = project.promise.values
    if run.algorithm is not None and run.algorithm in ALGORITHMS:
        declared = {p.name for p in parameters(ALGORITHMS[run.algorithm])}
        values = {name: value for name, value in values.items() if name in declared}
    return AnonymizeRequest(
        source,
        output,
        AlgorithmChoice(run.algorithm, values | run.parameters, policy),
        format=run.format,
        overwrite=output.exists(),
        report=run.report,
        margins=run.margins,
        ends=run.ends,
        accepted=Accepted(run.accept_exposure, run.accept_loss, run.accept_repeats, run.accept_earlier),
        earlier=entries(ledger_of(request.file)),
        like=None if run.like is None else folder / run.like,
        command=request.command,
        promise=Promise(project.guarantee, project.promise.values, policy),
        cover=Cover(**project.cover),
        project={"file": request.file.name, "digest": digest},
    )


def _with_news(project: ProjectFile, result: Anonymized, before: Seen | None, added: Sequence[str]) -> RunResult:
    """Return the result with its news, and without the remark about columns without a role."""
    remarks = tuple(text for text in result.remarks if text != left_out_sentence(result.columns))
    news = (*added, *new_columns(project, result), *(() if before is None else since(before, seen(result.output))))
    return RunResult(result.output, replace(result, remarks=remarks), news)
