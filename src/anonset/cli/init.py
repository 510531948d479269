"""anonset init: a guided start that ends in a project file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.dialogue import Dialogue, ask_hierarchies, ask_promise, ask_roles
from anonset.cli.options import DATA, OutputOptions, Reading, Signing, flags
from anonset.cli.printing import print_json, progress


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
