"""The questions of `anonset init`, each with a proposed answer and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from anonset.errors import InputError

if TYPE_CHECKING:
    from anonset.model.dataset import Dataset
    from anonset.tasks.inputs import Input
    from anonset.tasks.project import ProjectFile, Proposed

NONE = "none"
ROLES = """
What is each column? Enter takes what is in brackets; the beginning of another answer will do.
  identifier  names people: left out          sensitive  not known to others: published as it is
  quasi       somebody may know it            other      nobody finds a person by it: published as it is
  items       a set, of which some are known  left_out   not published
"""
HIERARCHIES = (
    f"\nHow do values generalize? A file, a builder (learned:5, balanced:5, ranges:10, prefixes:3,2, dates), or {NONE}."
)
PROMISE = "\nWhat is promised? k {unit} look alike to anybody who knows what is quasi{and_items}."


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A terminal to ask at; where it does not ask, every proposal is taken."""

    asks: bool
    shows: bool

    def say(self, text: str) -> None:
        """Show a text."""
        if self.shows or self.asks:
            print(text)

    def answer(self, question: str, proposed: str, good: Callable[[str], str]) -> str:
        """The answer to a question; asked again while it is not good."""
        if not self.asks:
            self.say(f"  {question}: {proposed}")
            return good(proposed)
        while True:
            try:
                return good(typer.prompt(f"  {question}", default=proposed).strip())
            except InputError as error:
                print(f"    {error}")


def ask_roles(dialogue: Dialogue, proposals: "Sequence[Proposed]") -> dict[str, str]:
    """The role of each column; one that was given is not asked for."""
    dialogue.say(ROLES)
    roles = {}
    for p in proposals:
        question = f"{p.column} ({p.facts}; {p.why})"
        roles[p.column] = p.answer if p.given else dialogue.answer(question, p.answer, _role)
    return roles


def ask_hierarchies(dialogue: Dialogue, data: "Dataset", proposals: "Sequence[Proposed]") -> dict[str, str]:
    """The hierarchy of each quasi column and of the items; what does not cover the data is asked for again."""
    from anonset.tasks.project import covers

    dialogue.say(HIERARCHIES)
    found = {}
    for p in proposals:

        def good(answer: str, column: str = p.column) -> str:
            how = "" if answer == NONE else answer
            if how and (wrong := covers(data, column, how)):
                raise InputError(wrong)
            return how

        found[p.column] = dialogue.answer(f"{p.column} ({p.facts}; {p.why})", p.answer or NONE, good)
    return found


def ask_promise(
    dialogue: Dialogue,
    data: "Dataset",
    source: "Input",
    folder: Path,
    hierarchies: Mapping[str, str],
    cover: Mapping[str, str],
) -> "ProjectFile":
    """The project with the promise that was agreed to, in plain words."""
    from anonset.tasks.project import USUAL_K, USUAL_M, project_of

    with_items = data.transactions is not None
    dialogue.say(PROMISE.format(unit=data.unit, and_items=" and m items" if with_items else ""))
    while True:
        k = int(dialogue.answer(f"k, the {data.unit} that look alike", str(USUAL_K), _count))
        m = int(dialogue.answer("m, the items somebody may know", str(USUAL_M), _count)) if with_items else None
        project = project_of(data, source, folder, hierarchies=hierarchies, k=k, m=m, output="release", cover=cover)
        dialogue.say(f"\n  {project.sentence}")
        if not dialogue.asks or typer.confirm("  Is this what you promise?", default=True):
            return project


def _role(answer: str) -> str:
    from anonset.tasks.project import CHOICES

    fitting = [role for role in CHOICES if role.startswith(answer.lower().replace(" ", "_"))]
    if len(fitting) != 1:
        raise InputError(f"please answer one of {', '.join(CHOICES)}")
    return fitting[0]


def _count(answer: str) -> str:
    if not answer.isdecimal() or int(answer) < 1:
        raise InputError("please answer a whole number from 1")
    return answer
