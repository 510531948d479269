"""anonset anonymize: a file in, a verified release folder out."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import ACCEPTING, ASKING, COMMAND, SHOWING, Accepting, Asking, Reading, Showing, flags
from anonset.cli.printing import note, print_json, print_table, print_verdict, progress


@flags(asking=Asking, accepting=Accepting, reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, JSON lines, FIMI or SPMF, also gzipped.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The folder to write.")],
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
        str, typer.Option("--format", metavar="FORMAT", rich_help_panel=SHOWING, help="csv, parquet, jsonl or fimi.")
    ] = "csv",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", rich_help_panel=ACCEPTING, help="Replace a release that is there already.")
    ] = False,
    margins: Annotated[
        bool,
        typer.Option(
            "--margins", rich_help_panel=SHOWING, help="Also publish how often items occur in the whole data, rounded to k."
        ),
    ] = False,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html (needs the report extra).")] = True,
    *,
    asking: Asking,
    accepting: Accepting,
    reading: Reading,
    showing: Showing,
) -> None:
    """Anonymize DATA and write a release to OUT, once the written files are proven to keep the promise."""
    from anonset.tasks import anonymize

    request = anonymize.AnonymizeRequest(
        reading.of(data),
        output,
        asking.wanted(algorithm),
        format=format,
        overwrite=overwrite,
        report=report,
        margins=margins,
        accepted=accepting.accepted(),
        command=COMMAND.get(),
    )
    with progress(quiet=showing.quiet) as phases:
        result = anonymize.run(request, phases)
    for remark in result.remarks:
        note(remark, quiet=showing.quiet)
    if showing.json:
        print_json(result.as_json())
        return
    gone = f", {result.suppressed_records} suppressed" if result.suppressed_records else ""
    print(f"{output}: {result.records} records{gone}, by {result.algorithm}")
    print_verdict(result.verdict)
    if len(result.columns) > 1:
        print_table([[fate.column, fate.role, fate.fate] for fate in result.columns], ("column", "role", "what becomes of it"))
    print_table([[id, f"{value:.6g}"] for id, value in result.measures.items()])
    print("\nWhat it is still good for")
    for sentence in result.usefulness.sentences:
        print(f"  {sentence}")
