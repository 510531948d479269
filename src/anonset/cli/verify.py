"""anonset verify: re-read what is published, next to its original, and check the promise."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import Larger, OutputOptions, Promising, Reading, flags
from anonset.cli.output import print_json, print_verdict, progress

UNALIGNED = "not asked for: it is not known which input row is behind each record"
Aligned = Annotated[bool, typer.Option("--aligned", help="Row r of another tool's file is row r of the original.")]


@flags(larger=Larger, promising=Promising, reading=Reading, showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder, or any anonymized file.")],
    original: Annotated[str, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    aligned: Aligned = False,
    accept_repeats: Annotated[
        bool, typer.Option("--accept-repeats", help="Count records although several are one person's.")
    ] = False,
    *,
    larger: Larger,
    promising: Promising,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Check the guarantee of OUT against the ORIGINAL: exit code 0 where it holds, 3 where it does not.

    A file that another tool wrote needs --guarantee, e.g. --guarantee km-anonymity -k 5 -m 2; with --aligned it is also
    checked whether its values are true.
    """
    from anonset.tasks.verify import VerifyRequest
    from anonset.tasks.verify import run as run_task

    with progress(quiet=showing.quiet) as phases:
        where = (release, reading.of(original), promising.promise())
        result = run_task(VerifyRequest(*where, aligned, larger.pieces(), accept_repeats), phases)
    if showing.json:
        print_json(result.as_json())
        if not result.verdict.holds:
            raise typer.Exit(3)
        return
    print_verdict(result.verdict)
    if not result.truth_checked:
        print(f"truthful: {UNALIGNED}")
    result.verdict.require()
