"""anonset policy: make privacy and utility constraints for a file, and check them against it."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.errors import with_flags
from anonset.cli.options import OutputOptions, Reading, flags
from anonset.cli.output import print_json

app = typer.Typer(no_args_is_help=True, help="Make and check privacy and utility constraints.")


@app.command("make")
@flags(reading=Reading, showing=OutputOptions)
def make_one(
    data: Annotated[str, typer.Argument(help="The file whose items they are about.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .toml, .json or .csv.")],
    privacy: Annotated[
        str | None, typer.Option("--privacy", metavar="WHICH", help="all:M, transactions, pairs:SHARE, or PR1 to PR9.")
    ] = None,
    utility: Annotated[
        str | None, typer.Option("--utility", metavar="WHICH", help="level:N, neighbours:N, or UR1 to UR5.")
    ] = None,
    suppression: Annotated[
        float, typer.Option("--suppression", metavar="X", min=0, max=1, help="Share of the items that may be suppressed.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of what is drawn: pairs and PR1 to PR9.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Write privacy constraints, utility constraints, or both, for the items of DATA."""
    from anonset.tasks.policy import MakeRequest, run_make

    made = run_make(MakeRequest(reading.of(data), output, privacy, utility, suppression, seed, overwrite))
    n = len(getattr(made.privacy, "itemsets", ()))
    groups = 0 if made.utility is None else len(made.utility.groups)
    if showing.json:
        print_json({"output": output, "itemsets": n, "groups": groups})
    else:
        print(f"{output}: {n} itemsets listed, {groups} utility constraints")


@app.command("check")
@flags(reading=Reading, showing=OutputOptions)
def check_one(
    file: Annotated[Path, typer.Argument(help="A policy file: .toml or .json.")],
    data: Annotated[str, typer.Argument(help="The file it is for.")],
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Records no attacker can tell apart.")] = 5,
    m: Annotated[int, typer.Option("-m", min=1, metavar="N", help="Items an attacker may know, if it does not say.")] = 2,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Say what is wrong with a policy on DATA and which constraints are open; exit code 2 for errors, 4 if it cannot be met."""
    from anonset.errors import InfeasibleError, InputError
    from anonset.tasks.policy import PolicyCheckRequest, run_check

    remarks = run_check(PolicyCheckRequest(file, reading.of(data), k, m))
    if showing.json:
        print_json({"remarks": [{"level": remark.level, "text": remark.text} for remark in remarks]})
    else:
        for remark in remarks:
            print(f"{remark.level}: {with_flags(remark.text)}")
    if any(remark.level == "error" for remark in remarks):
        raise InputError("cannot be used on these data", file=file)
    if any(remark.level == "infeasible" for remark in remarks):
        raise InfeasibleError(f"{file}: cannot be met on these data for k={k}")
