"""anonset anonymize: a file in, a verified release folder out."""

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import (
    ACCEPTING,
    ASKING,
    COMMAND,
    DATA,
    ENDS,
    SHOWING,
    Accepting,
    Asking,
    Larger,
    OutputOptions,
    Reading,
    Signing,
    flags,
)
from anonset.cli.output import note, print_json, print_table, print_verdict, progress

if TYPE_CHECKING:
    from anonset.tasks.anonymize import Anonymized
    from anonset.tasks.anonymize_large import LargeRequest


@flags(larger=Larger, asking=Asking, accepting=Accepting, reading=Reading, signing=Signing, showing=OutputOptions)
def run(
    data: Annotated[str, typer.Argument(help=DATA)],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The folder to write; - prints the verified records alone.")
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="ID",
            rich_help_panel=ASKING,
            help="See `anonset algorithms`; the one that fits the data, if none.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            rich_help_panel=SHOWING,
            help="csv, parquet, feather, jsonl, xlsx or fimi; csv if none, parquet for data in pieces.",
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="TABLE", rich_help_panel=SHOWING, help="Also write the records into a new table."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="URL", rich_help_panel=SHOWING, help="Where --into writes, if not where DATA is."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", rich_help_panel=ACCEPTING, help="Replace a release that is there already.")
    ] = False,
    margins: Annotated[
        bool,
        typer.Option(
            "--margins", rich_help_panel=SHOWING, help="Also publish how often items occur in the whole data, rounded to k."
        ),
    ] = False,
    ends: Annotated[str, typer.Option("--ends", metavar="HOW", rich_help_panel=SHOWING, help=ENDS)] = "auto",
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write report.html (needs the report extra), and tell what it is good for."),
    ] = True,
    *,
    larger: Larger,
    asking: Asking,
    accepting: Accepting,
    reading: Reading,
    signing: Signing,
    showing: OutputOptions,
) -> None:
    """Anonymize DATA and write a release to OUT, once the written files are proven to keep the promise."""
    from anonset.errors import ParameterError
    from anonset.model.cover import Cover
    from anonset.tasks import anonymize

    if larger.asked:
        if margins or format not in (None, "parquet"):
            raise ParameterError("data in pieces are published as Parquet, and without margins")
        from anonset.tasks import anonymize_large  # with the engine, which other runs do not need

        where = (reading.of(data), output, asking.wanted(algorithm))
        _in_pieces(
            anonymize_large.LargeRequest(
                *where,
                larger.memory,
                larger.jobs,
                larger.scheduler,
                overwrite,
                accepting.accepted(),
                COMMAND.get(),
                into,
                database,
                report,
                Cover(**signing.given()),
                ends,
            ),
            showing,
        )
        return
    request = anonymize.AnonymizeRequest(
        reading.of(data),
        output,
        asking.wanted(algorithm),
        format=format or "csv",
        overwrite=overwrite,
        report=report,
        margins=margins,
        accepted=accepting.accepted(),
        command=COMMAND.get(),
        into=into,
        database=database,
        cover=Cover(**signing.given()),
        ends=ends,
    )
    streamed = str(output) == "-"
    with progress(quiet=showing.quiet) as phases:
        result = anonymize.run_to_stream(request, sys.stdout.buffer, phases) if streamed else anonymize.run(request, phases)
    for remark in result.remarks:
        note(remark, quiet=showing.quiet)
    with redirect_stdout(sys.stderr) if streamed else nullcontext():
        _print(result, into, as_json=showing.json)


def _print(result: "Anonymized", into: str | None, *, as_json: bool) -> None:
    if as_json:
        print_json(result.as_json())
        return
    gone = f", {result.suppressed_records} suppressed" if result.suppressed_records else ""
    print(f"{result.output}: {result.records} records{gone}, by {result.algorithm}")
    if into is not None:
        print(f"the same records are in the new table {into}, read back and verified")
    print_verdict(result.verdict)
    if len(result.columns) > 1:
        print_table([[fate.column, fate.role, fate.fate] for fate in result.columns], ("column", "role", "what becomes of it"))
    print_table([[id, f"{value:.6g}"] for id, value in result.measures.items()])
    if result.usefulness is not None:
        print("\nWhat it is still good for")
        for sentence in result.usefulness.sentences:
            print(f"  {sentence}")


def _in_pieces(request: "LargeRequest", showing: OutputOptions) -> None:
    """The same for data that are read in pieces and published in parts."""
    from anonset.tasks import anonymize_large

    with progress(quiet=showing.quiet) as phases:
        result = anonymize_large.run(request, phases)
    for remark in result.remarks:
        note(remark, quiet=showing.quiet)
    if showing.json:
        print_json(result.as_json())
        return
    print(f"{result.output}: {result.records} records in {result.parts} parts, by {result.algorithm}")
    print_verdict(result.verdict)
    print_table([[id, f"{value:.6g}"] for id, value in result.measures.items()])
