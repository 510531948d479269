"""anonset anonymize: a file in, a verified release folder out."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonset.cli.options import ASKING, COMMAND, SHOWING, Asking, Reading, Showing, flags
from anonset.cli.printing import note, print_json, print_table, print_verdict, progress, verdict_json

if TYPE_CHECKING:
    from anonset.algorithms.base import Algorithm
    from anonset.data.guessing import Guess
    from anonset.model.dataset import Dataset


@flags(asking=Asking, reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, JSON lines, FIMI or SPMF, also gzipped.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The folder to write.")],
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", metavar="ID", rich_help_panel=ASKING, help="See `anonset algorithms`.")
    ] = "aa",
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", rich_help_panel=SHOWING, help="csv, parquet, jsonl or fimi.")
    ] = "csv",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a release that is there already.")] = False,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html (needs the report extra).")] = True,
    *,
    asking: Asking,
    reading: Reading,
    showing: Showing,
) -> None:
    """Anonymize DATA and write a release to OUT, once the written files are proven to keep the promise."""
    from anonset.api import report_pages
    from anonset.data import read_and_guess
    from anonset.releases.folder import check_format
    from anonset.releases.publish import check_output, publish

    check_output(output, overwrite=overwrite)
    check_format(format)
    chosen = make_algorithm(algorithm, asking)
    with progress(quiet=showing.quiet) as step:
        start = time.perf_counter()
        dataset, guess = read_and_guess(data, schema=reading.given(), progress=step("Reading"))
        loaded = time.perf_counter()
        remarks = tell_remarks(chosen, dataset, quiet=showing.quiet)
        asked = time.perf_counter()
        release = chosen.anonymize(dataset, progress=step("Anonymizing"))
        done = time.perf_counter()
        timings = {"read": round(loaded - start, 4), "anonymize": round(done - asked, 4)}
        command = COMMAND.get()
        pages = report_pages(dataset, command) if report else None
        more: dict[str, Any] = {"timings": timings, "reading": guess.schema, "pages": pages, "command": command}
        found = publish(
            dataset, release, output, format=format, overwrite=overwrite, progress=step("Writing and checking"), **more
        )
    tell_guesses(guess, quiet=showing.quiet)
    gone = len(dataset) - len(release)
    if showing.json:
        result = {"output": output, "records": len(release), "suppressed_records": gone, **verdict_json(found.verdict)}
        print_json({**result, "measures": found.measures, "remarks": remarks})
        return
    print(f"{output}: {len(release)} records" + (f", {gone} suppressed" if gone else ""))
    print_verdict(found.verdict)
    print_table([[id, f"{value:.6g}"] for id, value in found.measures.items()])


def make_algorithm(id: str, asking: Asking) -> "Algorithm":
    """The algorithm with the parameters and policies that were asked for; all of it checked before any data are read."""
    from anonset.algorithms import ALGORITHMS, make
    from anonset.data import read_policies
    from anonset.data.policies import read_named
    from anonset.errors import ParameterError
    from anonset.model.parameters import parameters
    from anonset.model.policy import PrivacyPolicy, UtilityPolicy

    values = asking.values()
    if id in ALGORITHMS:
        values |= read_named(ALGORITHMS[id], values, Path())
    if asking.policy is not None and id in ALGORITHMS:
        policies = read_policies(asking.policy)
        for kind, policy in (PrivacyPolicy, policies.privacy), (UtilityPolicy, policies.utility):
            names = [p.name for p in parameters(ALGORITHMS[id]) if p.kind == kind]
            if policy is not None and not names:
                raise ParameterError(f"{id} takes no {'utility' if kind is UtilityPolicy else 'privacy'} policy")
            values |= {name: policy for name in names if policy is not None and name not in values}
    return make(id, values)


def tell_remarks(algorithm: "Algorithm", dataset: "Dataset", *, quiet: bool) -> list[str]:
    """Say what is worth knowing about the policies before a run; what stops the run is left to its own error."""
    from anonset.algorithms.constraints.lint import lint_request

    if quiet:
        return []
    said = [f"{remark.level}: {remark.text}" for remark in lint_request(algorithm, dataset) if not remark.stops]
    for text in said:
        note(text)
    return said


def tell_guesses(guess: "Guess", *, quiet: bool) -> None:
    """Say how columns were read where nobody said; a file of item sets alone leaves nothing to guess."""
    guessed = [item for item in guess.notes if not item.given]
    if guessed and len(guess.notes) > 1:
        note("guessed: " + ", ".join(f"{item.column} is {item.role}" for item in guessed), quiet=quiet)
