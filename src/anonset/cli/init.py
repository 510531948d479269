"""anonset init: a guided start, questions with proposed answers, that ends in a project file."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.errors import with_flags
from anonset.cli.options import DATA, OutputOptions, Reading, Signing, flags
from anonset.cli.output import print_json, progress
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
            print(with_flags(text))

    def answer(self, question: str, proposed: str, good: Callable[[str], str]) -> str:
        """The answer to a question; asked again while it is not good."""
        if not self.asks:
            self.say(f"  {question}: {proposed}")
            return good(proposed)
        while True:
            try:
                return good(typer.prompt(f"  {question}", default=proposed).strip())
            except InputError as error:
                print(f"    {with_flags(error)}")


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


@flags(reading=Reading, signing=Signing, showing=OutputOptions)
def run(
    data: Annotated[str, typer.Argument(help=DATA)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.toml", help="The project file to write.")] = Path(
        "anonset.toml"
    ),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take every proposal and ask nothing.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a project file that is there already.")] = False,
    *,
    reading: Reading,
    signing: Signing,
    showing: OutputOptions,
) -> None:
    """Look at DATA, propose what each column is and what to promise, ask, and write it all to a project file."""
    from anonset.errors import InputError
    from anonset.tasks.project import (
        named_sentence,
        project_toml,
        propose,
        propose_hierarchies,
        tied_sentence,
        unique_sentence,
        write_project,
    )

    asks = not yes
    if asks and not sys.stdin.isatty():
        raise InputError("init asks questions and there is no terminal; --yes takes every proposal")
    if output.exists() and not overwrite and not (asks and typer.confirm(f"{output} is there already. Replace it?")):
        raise InputError("exists already; choose another name or pass --overwrite", file=output)
    source = reading.of(data)
    with progress(quiet=showing.quiet) as phases:
        proposal = propose(source, phases)
    dialogue = Dialogue(asks, shows=not showing.json)
    dialogue.say(f"{data}: {len(proposal.data):,} records, {len(proposal.roles)} columns")
    decided = proposal.decided(ask_roles(dialogue, proposal.roles))
    dialogue.say(f"\n{unique_sentence(decided)}")
    for said in filter(None, (tied_sentence(decided), named_sentence(decided))):
        dialogue.say(said)
    hierarchies = ask_hierarchies(dialogue, decided, propose_hierarchies(decided, source))
    project = ask_promise(dialogue, decided, source, output.absolute().parent, hierarchies, signing.given())
    write_project(project, output)
    if showing.json:
        print_json({"output": output, "toml": project_toml(project)})
    else:
        print(f"\n{output}: written. `anonset run{'' if output.name == 'anonset.toml' else f' {output}'}` makes the release.")
