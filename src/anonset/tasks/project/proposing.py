"""A project proposed for data that nobody has decided about yet: roles with reasons, hierarchies, a promise, a release."""

import os
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from anonset.data.read import attach, hierarchies_in
from anonset.errors import InputError
from anonset.measure.risk import identifiability
from anonset.model.cover import Cover
from anonset.model.dataset import Column, Dataset
from anonset.model.progress import Phases, unheard
from anonset.model.schema import NO_ROLE, ROLES, Fate, Schema
from anonset.releases.gates import gathering, naming_columns
from anonset.tasks.inputs import Input
from anonset.tasks.project.file import SETTINGS, ProjectFile, ProjectPromise, ProjectRoles, ProjectRun

CHOICES = ("identifier", "quasi", "sensitive", "other", "items", "left_out")
NEARLY_ALL = 0.9  # of the records with a value of their own: a text that names people
FEW = 20  # values that need no hierarchy, and records that say nothing about a column
USUAL_K, USUAL_M = 5, 2


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal for one column, or for the items: a role or a hierarchy ('' for none), what is known, and why."""

    column: str
    answer: str
    facts: str
    why: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """Data as they would be read, and a role for each column."""

    data: Dataset
    source: Input
    roles: tuple[Proposed, ...]

    def decided(self, roles: Mapping[str, str], phases: Phases = unheard) -> Dataset:
        """The data, read again with these roles where they differ."""
        if all(roles[p.column] == _role(fate) for p, fate in zip(self.roles, self.data.fates, strict=True)):
            return self.data
        named = {role: tuple(c for c, chosen in roles.items() if chosen == role) for role in (*ROLES, "items")}
        if (gathered := self.data.gathered) is not None:  # in the names that the input has
            named = {role: tuple(c for c in gathered.original_names(columns)) for role, columns in named.items()}
            named["identifier"] = tuple(c for c in named["identifier"] if c != gathered.key)
        kept = {name: value for name, value in self.data.reading.items() if name in SETTINGS}
        return Input(self.source.data, {**kept, **named, "kinds": self.source.wanted().kinds}).read(phases("Reading"))


def propose(source: Input, phases: Phases = unheard) -> Proposal:
    """The data with a role for each of their columns; roles that were given are taken.

    Where people have several rows, these are gathered: one record a person.
    """
    bare = replace(source.wanted(), hierarchies=None, item_hierarchy=None)
    data = Input(source.data, {}, bare).read(phases("Reading"))
    if data.tied and bare.id is None:
        with suppress(InputError):  # rows of nobody known cannot be gathered; then the run says what is wrong
            named = {role: tuple(n for n in getattr(bare, role) or () if n != data.tied[0]) or None for role in ROLES}
            data = Input(source.data, {}, replace(bare, id=data.tied[0], **named)).read(phases("Reading"))  # type: ignore[arg-type]
    return Proposal(data, source, tuple(_proposed(data, fate) for fate in data.fates))


def propose_hierarchies(data: Dataset, source: Input) -> tuple[Proposed, ...]:
    """A hierarchy for the items and for each quasi column: one that is given or lies beside the data, or a builder."""
    files = _files(data, source)
    found = [_for_column(data, column, files.get(column.name)) for column in data.quasi]
    if data.transactions is not None:
        facts = f"{int((data.transactions.supports > 0).sum()):,} items"
        builder = "learned:5", "groups items that replace each other in the records"
        found.append(Proposed("items", *_answer(data, "items", files.get("items"), *builder, facts)))
    return tuple(found)


def tied_sentence(data: Dataset) -> str:
    """What was done, or is to be done, where people have several rows; empty where that cannot be seen."""
    if data.gathered is not None and not data.tied and data.gathered.sentence:
        return f"People have several rows: {data.gathered.sentence}."
    if not data.tied:
        return ""
    return (
        f"Values of {', '.join(data.tied)} repeat: k records may all be one person's, and a run refuses that. Begin again with "
        f"{gathering(data.tied[0])}, or let accept_repeats of the run be true."
    )


def named_sentence(data: Dataset) -> str:
    """What to say of columns and items that name people, which no run publishes; empty where none does."""
    found = naming_columns(data).values()
    removed = [f"Items like {pattern} name people and will be removed." for e in found for pattern in e.patterns]
    refused = [f"{exposure}: a run refuses that." for exposure in found if not exposure.patterns]
    return " ".join((*removed, *refused))


def unique_sentence(data: Dataset) -> str:
    """How many people are unique as the data stand, to somebody who knows what the roles say is known."""
    unique = identifiability(data)
    share, known = unique.quasi, "what is quasi"
    if unique.items:
        share, known = unique.items[0], "one item"
    if unique.both:
        share, known = unique.both[0], "what is quasi and one item"
    return f"As they stand, {share or 0:.0%} of the {data.unit} are the only ones that fit, to somebody who knows {known}."


def covers(data: Dataset, column: str, how: str) -> str | None:
    """What is wrong with a hierarchy for a column, or for the `items`; None where nothing is."""
    try:
        attach(data, Schema(hierarchies={column: how}))
    except InputError as error:
        return str(error)
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
    """The project file for these decisions; it will lie in the folder."""
    read, usual = Schema(**data.reading), Schema()
    settings = {name: getattr(read, name) for name in SETTINGS if getattr(read, name) != getattr(usual, name)}
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in settings.items()}
    if not data.fates or len(data.fates) == 1:  # a file of item sets alone
        settings.pop("item_separator", None)
    if "long" in settings:
        settings["long"] = _relative(settings["long"], folder)
    found = [exposure.patterns for exposure in naming_columns(data).values()]
    if patterns := [*settings.get("drop_items", ()), *(pattern for patterns in found for pattern in patterns)]:
        settings["drop_items"] = patterns
    wanted = source.wanted()
    roles = {role: tuple(getattr(read, role) or ()) for role in (*ROLES, "items")}
    left_out = tuple(fate.column for fate in data.fates if fate.role == NO_ROLE)
    coded = {column.name for column in data.columns}
    return ProjectFile(
        data={"path": _relative(source.data, folder), **settings},
        roles=ProjectRoles(**roles, left_out=left_out, sensitive_items=_sensitive_items(wanted, folder)),
        kinds={name: kind for name, kind in read.kinds.items() if name in coded},
        hierarchies={name: _relative(how, folder) for name, how in hierarchies.items() if how},
        promise=ProjectPromise(k=k, m=m if data.transactions is not None else None),
        cover=Cover(**cover).said,
        run=(ProjectRun(output=output),),
    )


def _proposed(data: Dataset, fate: Fate) -> Proposed:
    column = next((c for c in data.columns if c.name == fate.column), None)
    role = _role(fate)
    if column is None:
        return Proposed(fate.column, role, "sets of items" if fate.kind == "items" else "texts", fate.reason, fate.given)
    there = column.codes[column.codes >= 0]
    values, n = len(np.unique(there)), len(there)
    gone = f", {1 - n / len(column):.1%} missing" if n < len(column) else ""
    facts = f"{'numbers' if column.kind == 'numeric' else 'texts'}, {values:,} different{gone}"
    if not fate.given and role == "quasi":
        if values <= 1:
            return Proposed(fate.column, "other", facts, "it is the same for everybody")
        if column.kind == "categorical" and n >= FEW and values >= NEARLY_ALL * n and covers(data, column.name, "dates"):
            return Proposed(fate.column, "identifier", facts, "nearly everybody has a value of their own")
    return Proposed(fate.column, role, facts, fate.reason, fate.given)


def _role(fate: Fate) -> str:
    return "left_out" if fate.role == NO_ROLE else fate.role


def _files(data: Dataset, source: Input) -> Mapping[str, str | Path]:
    """Hierarchies that are given, or in the folder `hierarchies` beside the data."""
    wanted, found = source.wanted(), dict[str, str | Path]()
    folder = wanted.hierarchies or Path(str(source.data)).parent / "hierarchies"
    if isinstance(folder, Mapping):
        found = dict(folder)
    elif wanted.hierarchies or Path(folder).is_dir():
        names = () if data.transactions is None else ("items", data.item_column)
        with nullcontext() if wanted.hierarchies else suppress(InputError):
            found = hierarchies_in(Path(folder), [column.name for column in data.quasi], names)
    return found | ({"items": wanted.item_hierarchy} if wanted.item_hierarchy else {})


def _for_column(data: Dataset, column: Column, file: str | Path | None) -> Proposed:
    values = len(np.unique(column.codes[column.codes >= 0]))
    facts = f"{'numbers' if column.kind == 'numeric' else 'texts'}, {values:,} different"
    return Proposed(column.name, *_answer(data, column.name, file, *_builder(data, column), facts))


def _answer(data: Dataset, name: str, file: str | Path | None, builder: str, reason: str, facts: str) -> tuple[str, str, str]:
    """The file where it covers the data, else the builder; the facts; and why."""
    if file is None:
        return builder, facts, reason
    if covers(data, name, str(file)) is None:
        return str(file), facts, "it is there and covers all values"
    return builder, facts, f"{reason}; {file} does not cover all values"


def _builder(data: Dataset, column: Column) -> tuple[str, str]:
    if column.kind == "numeric":
        return "", "ranges come from the data"
    if len(column.domain) <= FEW:
        return "", "so few values need none"
    if covers(data, column.name, "dates") is None:
        return "dates", "days under months, years and decades"
    lengths = {len(text) for text in column.domain}
    if len(lengths) == 1 and all(text.isdigit() for text in column.domain) and (size := lengths.pop()) > 1:
        return f"prefixes:{','.join(str(n) for n in range(size - 1, 0, -1))}", "codes under their first digits"
    return "balanced:5", "values in their order, in fives: a file of your own says more"


def _relative(path: object, folder: Path) -> str:
    """A file's place as seen from the folder; builders and addresses as they are."""
    text = str(path)
    return Path(os.path.relpath(text, folder)).as_posix() if Path(text).exists() else text


def _sensitive_items(schema: Schema, folder: Path) -> tuple[str, ...] | str:
    given = schema.sensitive_items
    if given is None or isinstance(given, tuple):
        return given or ()
    return _relative(given, folder) if os.path.isfile(given) else tuple(name.strip() for name in str(given).split(","))
