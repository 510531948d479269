"""Commands that measure releases: measure, workload, query, report, and compare for many settings on the same data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonset.cli.app import command
from anonset.cli.checks import aligned_option, original_option, release_argument
from anonset.cli.options import (
    PATH,
    SOURCE,
    CoverOptions,
    InputOptions,
    LargeDataOptions,
    OutputOptions,
    names,
    option,
    pairs,
)
from anonset.cli.output import note, print_json, print_table, progress

if TYPE_CHECKING:
    from anonset.tasks.compare import Compared
    from anonset.tasks.measure import Measured

KINDS = "random: values and items of random records; frequent: itemsets in a share of the records; generalized: items behind \
different published items (needs --release); presence: items that are present, then items that are absent"
SHARE = click.FloatRange(min=0.0, max=1.0)


@command(
    "Measure what a release lost and what it still risks.", inputs=InputOptions, large=LargeDataOptions, show=OutputOptions
)
@release_argument
@original_option
@option("--measure", multiple=True, metavar="ID", help="A measure; may be repeated. All that apply if not given.")
@option("--workload", type=PATH, metavar="FILE.json", help="Queries: adds their average relative error, `are`.")
@option("--worst", type=click.IntRange(min=0), metavar="N", default=0, help="Print the N queries with the largest errors.")
@option("--frequent", type=SHARE, metavar="SHARE", help="Add how well itemsets in this share of records survive.")
@option(
    "--estimator",
    metavar="HOW",
    default="subsets",
    help="How items behind labels are counted: subsets, expanded, uniform or calibrated.",
)
@option("--predict", metavar="COLUMN", help="Train a model for this column on the release.")
@aligned_option
def measure(
    release: Path,
    original: str,
    measure: tuple[str, ...],
    workload: Path | None,
    worst: int,
    frequent: float | None,
    estimator: str,
    predict: str | None,
    aligned: bool,
    inputs: InputOptions,
    large: LargeDataOptions,
    show: OutputOptions,
) -> None:
    """Measure the release in OUT against its original."""
    from anonset.tasks.measure import MeasureRequest
    from anonset.tasks.measure import run as run_task

    what = (list(measure) or None, workload, worst, frequent, estimator, predict, aligned)
    request = MeasureRequest(release, inputs.of(original), *what, large.limits())
    with progress(quiet=show.quiet) as phases:
        result = run_task(request, phases)
    if show.json:
        print_json(result)
        return
    meanings = result.meanings
    print_table([[id, f"{value:.6g}", meanings[id]] for id, value in result.values.items()])
    _print_counts(result)
    if result.not_measured:
        print(f"\nNot measured at this size: {', '.join(result.not_measured)}")
    print("\nWhat it is still good for")
    for sentence in result.usefulness.sentences:
        print(f"  {sentence}")


def _print_counts(result: "Measured") -> None:
    """The error by the size of queries, and the worst of them."""
    if result.counts is None:
        return
    print()
    rows = [[name, str(n), f"{error:.4g}"] for name, (n, error) in result.counts.errors_by_size().items()]
    print_table(rows, ["records counted", "queries", "mean relative error"])
    if result.worst:
        print()
        found = result.counts.worst(result.worst)
        print_table(
            [[f"{actual:g}", f"{estimate:.4g}", f"{error:.4g}", str(q)] for q, actual, estimate, error in found],
            ["actual", "estimate", "relative error", "query"],
        )


@command("Draw queries from the data, to measure releases with.", inputs=InputOptions, show=OutputOptions)
@click.argument("data", type=SOURCE, help="The data to count in.")
@option("--output", "-o", required=True, type=PATH, metavar="FILE.json", help="The workload to write.")
@option("--kind", metavar="KIND", default="random", help=KINDS + ".")
@option("-n", type=click.IntRange(min=1), help="Number of queries; presence: of each type.")
@option("--draw", metavar="PART", help="random: relational, items or both; all that the data have if not given.")
@option("--size", type=click.IntRange(min=1), help="Items in a query; frequent: at most.")
@option("--values", type=click.IntRange(min=0), help="random: quasi columns in a query.")
@option("--width", type=SHARE, help="random: a range, as a share of its span.")
@option("--support", type=SHARE, help="frequent: the share of records.")
@option("--absent", type=click.IntRange(min=1), help="presence: items in a query of the second type.")
@option("--release", type=PATH, metavar="OUT", help="generalized: the release.")
@option("--seed", type=int, default=0, help="Another seed draws other queries.")
@option("--overwrite", is_flag=True, help="Replace a file that exists already.")
def workload(
    data: str,
    output: Path,
    kind: str,
    size: int | None,
    release: Path | None,
    overwrite: bool,
    inputs: InputOptions,
    show: OutputOptions,
    **given: Any,
) -> None:
    """Draw counting queries for `measure`, `report`, `compare` and `recommend`."""
    from anonset.tasks.workload import WorkloadRequest
    from anonset.tasks.workload import run as run_task

    given["longest" if kind == "frequent" else "items"] = size
    settings = {name: value for name, value in given.items() if value is not None}
    drawn = run_task(WorkloadRequest(inputs.of(data), output, kind, settings, release, overwrite))
    if show.json:
        print_json({"output": output, "queries": len(drawn)})
    else:
        print(f"{output}: {len(drawn)} queries, e.g. {drawn.queries[0]}")


@command("Deprecated: use count.", show=OutputOptions)
@click.argument("release", metavar="OUT", type=PATH, help="A nonreciprocal release, or its published folder.")
@option("--present", metavar="A,B", default="", show_default=False, help="Items that are all in a record.")
@option("--absent", metavar="A,B", default="", show_default=False, help="Items of which none is in a record.")
@option("--where", multiple=True, metavar="COLUMN=VALUE", help="Only records with this value; may be repeated.")
def query(release: Path, present: str, absent: str, where: tuple[str, ...], show: OutputOptions) -> None:
    """Deprecated: `anonset count` answers for all releases. Count the records of OUT that hold some items and not others."""
    from anonset.tasks.query import QueryRequest
    from anonset.tasks.query import run as run_task

    note("deprecated: `anonset count` answers for all releases", quiet=show.quiet)
    answer = run_task(QueryRequest(release, names(present), names(absent), pairs(where, {}, flag="--where")))
    if show.json:
        print_json(answer._asdict())
        return
    rows = [
        ["certain", f"{answer.certain:,}", "records at least"],
        ["expected", f"{answer.expected:,.1f}", "records, if all sets that a record may represent are equally likely"],
        ["possible", f"{answer.possible:,}", "records at most"],
        ["base", f"{answer.base:,}", "records by their published items"],
    ]
    print_table(rows)


@command(
    "Write the report of a release again, e.g. with a study.",
    inputs=InputOptions,
    large=LargeDataOptions,
    cover=CoverOptions,
    show=OutputOptions,
)
@click.argument("release", metavar="OUT", type=PATH, help="A release folder; its report.html is replaced.")
@original_option
@option("--study", type=PATH, metavar="DIR", help="A study on the same data: adds its map.")
@option("--workload", type=PATH, metavar="FILE.json", help="The queries that matter.")
@option("-m", type=click.IntRange(min=1), help="Items an attacker knows, at most.")
@option("--attackers", type=click.IntRange(min=1), default=1000, help="Sampled attackers of each kind.")
@option("--seed", type=int, help="Makes the sample repeatable.")
@option(
    "--for",
    "framework",
    type=click.Choice(("opinion-05-2014", "iso-27559", "hipaa", "ema", "sp-800-188")),
    help="Write a page of its own with the same figures under the headings of this document.",
)
def report(
    release: Path,
    original: str,
    study: Path | None,
    workload: Path | None,
    m: int | None,
    attackers: int,
    seed: int | None,
    framework: Any,
    inputs: InputOptions,
    large: LargeDataOptions,
    cover: CoverOptions,
    show: OutputOptions,
) -> None:
    """Make the report of OUT again. It is for the data owner; the published files stay as they are."""
    from anonset.tasks.report import ReportRequest
    from anonset.tasks.report import run as run_task

    what = (study, workload, m, attackers, seed, dict(cover.given), large.limits(), framework)
    request = ReportRequest(release, inputs.of(original), *what)
    with progress(quiet=show.quiet) as phases:
        page = run_task(request, phases)
    if show.json:
        print_json({"output": page})
    else:
        print(page)


@command("Compare many algorithms and parameters on the same data.", inputs=InputOptions, show=OutputOptions)
@click.argument("source", type=PATH, metavar="PLAN.toml|DATA", help="A plan; or data, with --plan.")
@option(
    "--output", "-o", required=True, type=PATH, metavar="OUT", help="The folder for trials and map; continued if it exists."
)
@option("--plan", type=PATH, metavar="PLAN.toml", help="The plan to run on DATA.")
@option("--loss", metavar="ID", help="The measure behind utility; the error of queries if not given.")
@option(
    "--risk",
    metavar="ID",
    help="The measure of risk: risk, risk-protected, risk-p95, ...; if not given, as the guarantees have it.",
)
@option("--max-risk", metavar="RISK", default="0.2", help="The limit drawn into the map: 0.2, 0.09, k=11, ...")
@option("--processes", type=click.IntRange(min=1), help="Runs at the same time.")
def compare(
    source: Path,
    output: Path,
    plan: Path | None,
    loss: str | None,
    risk: str | None,
    max_risk: str,
    processes: int | None,
    inputs: InputOptions,
    show: OutputOptions,
) -> None:
    """Run a plan: every setting verified and measured, resumable, with a map of risk against utility at the end."""
    from anonset.tasks.compare import CompareRequest
    from anonset.tasks.compare import run as run_task

    given = None if plan is None else inputs.of(source)
    with progress(quiet=show.quiet) as phases:
        result = run_task(CompareRequest(plan or source, output, given, loss, max_risk, processes, risk), phases)
    if show.json:
        print_json(result)
        return
    _print_trials(result)
    for remark in result.remarks:
        note(remark)
    _print_maps(result, max_risk)
    note("\n".join(["written:", *(f"  {path}" for path in result.files)]), quiet=show.quiet)


def _print_trials(result: "Compared") -> None:
    ids = sorted({id for trial in result.trials for id in trial.measures})
    several = len(result.maps) > 1
    rows = [
        [
            *([trial.data] if several else []),
            trial.label,
            trial.outcome,
            *(f"{trial.measures[id]:.4g}" if id in trial.measures else "" for id in ids),
            trial.reason or trial.refusal,
        ]
        for trial in result.trials
    ]
    print_table(rows, [*(["data"] if several else []), "setting", "outcome", *ids, ""])


def _print_maps(result: "Compared", limit: str) -> None:
    for name, best in result.best.items():
        where = f" on {name}" if len(result.maps) > 1 else ""
        for series, knee in result.knees(name).items():
            print(f"knee of {series}{where}: {knee.label if knee else 'none'}")
        print(f"best under a risk of {limit}{where}: {best.described if best else 'none'}")
