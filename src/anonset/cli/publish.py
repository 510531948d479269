"""Commands that make releases: init and run with a project file, anonymize with options, recommend by trying algorithms."""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonset.cli.app import command, typed_line
from anonset.cli.errors import with_flags
from anonset.cli.options import (
    ACCEPTED,
    DATA,
    ENDS,
    OUTPUT,
    PATH,
    SOURCE,
    AcceptOptions,
    AlgorithmOptions,
    CoverOptions,
    InputOptions,
    LargeDataOptions,
    OptionGroup,
    OutputOptions,
    member,
    option,
)
from anonset.cli.output import note, print_json, print_table, print_verdict, progress
from anonset.errors import InputError

if TYPE_CHECKING:
    from anonset.model.dataset import Dataset
    from anonset.tasks.anonymize import Anonymized
    from anonset.tasks.inputs import Input
    from anonset.tasks.project import ProjectFile, Proposed, RunResult


# anonymize


@dataclass(frozen=True, slots=True)
class ReleaseOptions(OptionGroup):
    """Where a release is written and what is in it."""

    output: Path = member(
        "--output",
        "-o",
        required=True,
        type=PATH,
        metavar="OUT",
        help="The folder to write; - prints the verified records alone.",
    )
    format: str | None = member(
        "--format",
        panel=OUTPUT,
        metavar="FORMAT",
        help="csv, parquet, feather, jsonl, xlsx or fimi; csv if not given, parquet for data read in batches (no xlsx).",
    )
    into: str | None = member("--into", panel=OUTPUT, metavar="TABLE", help="Also write the records into a new table.")
    database: str | None = member(
        "--database", panel=OUTPUT, metavar="URL", help="The database of --into, if it is not that of DATA."
    )
    overwrite: bool = member(
        "--overwrite", panel=ACCEPTED, is_flag=True, default=False, help="Replace a release that exists already."
    )
    margins: bool = member(
        "--margins",
        panel=OUTPUT,
        is_flag=True,
        default=False,
        help="Also publish how often items occur in the whole data, rounded to k.",
    )
    earlier: tuple[Path, ...] = member(
        "--earlier",
        panel=OUTPUT,
        multiple=True,
        type=PATH,
        metavar="OUT",
        help="An earlier release of the same people: who holds both must be left with k candidates. May be repeated.",
    )
    like: Path | None = member(
        "--like",
        panel=OUTPUT,
        type=PATH,
        metavar="OUT",
        help="An earlier release whose settings, hierarchies and global rules are taken over, so that labels stay the same.",
    )
    accept_earlier: bool = member(
        "--accept-earlier",
        panel=ACCEPTED,
        is_flag=True,
        default=False,
        help="Publish although who holds an --earlier release too is left with fewer than k candidates; recorded.",
    )
    ends: str = member("--ends", panel=OUTPUT, metavar="HOW", default="auto", help=ENDS)
    report: bool = member(
        "--report/--no-report",
        default=True,
        help="Write report.html (needs the report extra), and print what the data are good for.",
    )


@command(
    "Anonymize a file and write a verified release folder.",
    release=ReleaseOptions,
    algorithm=AlgorithmOptions,
    inputs=InputOptions,
    accept=AcceptOptions,
    large=LargeDataOptions,
    cover=CoverOptions,
    show=OutputOptions,
)
@click.argument("data", type=SOURCE, help=DATA)
def anonymize(
    data: str,
    release: ReleaseOptions,
    algorithm: AlgorithmOptions,
    inputs: InputOptions,
    accept: AcceptOptions,
    large: LargeDataOptions,
    cover: CoverOptions,
    show: OutputOptions,
) -> None:
    """Anonymize DATA and write a release to OUT, once the written files are proven to keep the guarantee."""
    from anonset.tasks.anonymize import AnonymizeRequest, run_to_stream
    from anonset.tasks.anonymize import run as run_task

    request = AnonymizeRequest(
        inputs.of(data),
        release.output,
        algorithm.choice(),
        format=release.format,
        overwrite=release.overwrite,
        report=release.report,
        margins=release.margins,
        accepted=replace(accept.accepted(), earlier=release.accept_earlier),
        command=typed_line(),
        into=release.into,
        database=release.database,
        cover=cover.cover(),
        ends=release.ends,
        limits=large.limits(),
        earlier=release.earlier,
        like=release.like,
    )
    is_streamed = str(request.output) == "-" and request.limits is None
    with progress(quiet=show.quiet) as phases:
        result = run_to_stream(request, sys.stdout.buffer, phases) if is_streamed else run_task(request, phases)
    for remark in result.remarks:
        note(remark, quiet=show.quiet)
    with redirect_stdout(sys.stderr) if is_streamed else nullcontext():
        _print_release(result, request.into, as_json=show.json)


def _print_release(result: "Anonymized", into: str | None, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    gone = f", {result.suppressed_records} suppressed" if result.suppressed_records else ""
    parts = "" if result.parts is None else f" in {result.parts} parts"
    print(f"{result.output}: {result.records} records{gone}{parts}, by {result.algorithm}")
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


# recommend


@command(
    "Try the algorithms that fit and write the best release.",
    inputs=InputOptions,
    accept=AcceptOptions,
    cover=CoverOptions,
    show=OutputOptions,
)
@click.argument("data", type=SOURCE, help="The data to publish.")
@option("--output", "-o", required=True, type=PATH, metavar="OUT", help="The folder for release/ and study/.")
@option("--risk", metavar="ID", help="The measure of risk: risk (if not given), risk-p95, risk-p99, risk-mean, ...")
@option("--max-risk", metavar="RISK", default="0.2", help="The largest risk allowed: 0.2, 0.09 (means 1/11), k=11, ...")
@option("-m", type=click.IntRange(min=1), default=2, help="Items an attacker may know.")
@option("--workload", type=PATH, metavar="FILE.json", help="The queries that matter.")
@option("--seconds", type=click.FloatRange(min=1.0), default=120.0, help="How long it may try.")
@option("--processes", type=click.IntRange(min=1), default=1, help="Trials at the same time.")
@option("--ends", metavar="HOW", default="auto", help=ENDS)
def recommend(
    data: str,
    output: Path,
    risk: str | None,
    max_risk: str,
    m: int,
    workload: Path | None,
    seconds: float,
    processes: int,
    ends: str,
    inputs: InputOptions,
    accept: AcceptOptions,
    cover: CoverOptions,
    show: OutputOptions,
) -> None:
    """Try the algorithms made for DATA, take the one whose release answers queries best within the risk, and write it."""
    from anonset.tasks.recommend import RecommendRequest
    from anonset.tasks.recommend import run as run_task

    def line(algorithm: str, parameters: dict[str, Any], out: Path) -> str:
        """Return the command line that makes the release again."""
        words = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
        words += [] if ends == "auto" else ["--ends", ends]
        words = [*inputs.words(), *cover.words(), *words]
        return shlex.join(["anonset", "anonymize", str(data), *words, "--algorithm", algorithm, "-o", str(out)])

    more = (accept.accepted(), cover.cover(), ends, risk)
    request = RecommendRequest(inputs.of(data), output, max_risk, m, workload, seconds, processes, *more)
    with progress(quiet=show.quiet) as phases:
        result = run_task(request, phases, command=line)
    if show.json:
        print_json(result)
        return
    print(f"{result.published.folder}: {result.setting}")
    for reason in result.found.reasons:
        print(f"  {with_flags(reason)}")
    print_verdict(result.published.verdict)


# run


@command("Make the releases of a project file.", cover=CoverOptions, show=OutputOptions)
@click.argument(
    "file", type=PATH, metavar="[FILE.toml]", default="anonset.toml", help="A project file, as `anonset init` writes it."
)
@option("--data", type=PATH, metavar="DATA", help="Other data with the same columns, instead of those in the file.")
@option("--again", is_flag=True, help="Also make releases again whose data and decisions have not changed.")
@option(
    "--add-values",
    is_flag=True,
    help="Add values that a hierarchy file does not cover below its root, in the file; they count as public.",
)
def run(file: Path, data: Path | None, again: bool, add_values: bool, cover: CoverOptions, show: OutputOptions) -> None:
    """Make the releases of a project file where data or decisions changed, verify them, and print what is new."""
    from anonset.tasks.project import ProjectRequest
    from anonset.tasks.project import run as run_task

    with progress(quiet=show.quiet) as phases:
        result = run_task(ProjectRequest(file, data, again, add_values, typed_line(), dict(cover.given)), phases)
    if show.json:
        print_json(result)
        return
    print(result.promise)
    for done in result.runs:
        _print_run(done, quiet=show.quiet)


def _print_run(done: "RunResult", *, quiet: bool) -> None:
    for text in done.news:
        print(f"new: {text}")
    if done.made is None:
        print(f"{done.output}: nothing has changed, nothing was done")
        return
    for remark in done.made.remarks:
        note(remark, quiet=quiet)
    print(f"{done.output}: {done.made.records} records, by {done.made.algorithm}")
    print_verdict(done.made.verdict)
    for sentence in done.made.usefulness.sentences if done.made.usefulness is not None else ():
        print(f"  {sentence}")


# init

NONE = "none"
ROLES = """
What is each column? Enter accepts the answer in brackets; the first letters of another answer are enough.
  identifier  names people: left out              sensitive  attackers do not know it: published unchanged
  quasi       attackers may know it: generalized  other      nobody finds a person by it: published unchanged
  items       a set; attackers may know some      left_out   not published
"""
HIERARCHIES = (
    f"\nHow are values generalized? By a file, a builder (learned:5, balanced:5, ranges:10, prefixes:3,2, dates), or {NONE}."
)
PROMISE = "\nWhich guarantee? k {unit} look alike to anybody who knows the quasi columns{and_items}."


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Questions on the terminal; where it does not ask, every proposal is accepted."""

    asks: bool
    shows: bool

    def say(self, text: str) -> None:
        """Print a text, unless nothing is to be printed."""
        if self.shows or self.asks:
            print(with_flags(text))

    def answer(self, question: str, proposed: str, good: Callable[[str], str]) -> str:
        """Return the answer to a question, as `good` reads it; ask again while that raises an InputError."""
        if not self.asks:
            self.say(f"  {question}: {proposed}")
            return good(proposed)
        while True:
            try:
                return good(click.prompt(f"  {question}", default=proposed).strip())
            except InputError as error:
                print(f"    {with_flags(error)}")


def ask_roles(dialogue: Dialogue, proposals: "Sequence[Proposed]") -> dict[str, str]:
    """Return the role of each column; those given as options are not asked for."""
    dialogue.say(ROLES)
    roles = {}
    for p in proposals:
        question = f"{p.column} ({p.facts}; {p.why})"
        roles[p.column] = p.answer if p.given else dialogue.answer(question, p.answer, _role)
    return roles


def ask_hierarchies(dialogue: Dialogue, data: "Dataset", proposals: "Sequence[Proposed]") -> dict[str, str]:
    """Return the hierarchy of each quasi column and of the items; ask again where one does not cover the data."""
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
    """Return the project with the guarantee that the user confirmed."""
    from anonset.tasks.project import USUAL_K, USUAL_M, project_of

    with_items = data.transactions is not None
    dialogue.say(PROMISE.format(unit=data.unit, and_items=" and m items" if with_items else ""))
    while True:
        k = int(dialogue.answer(f"k, the {data.unit} that look alike", str(USUAL_K), _count))
        m = int(dialogue.answer("m, the items that attackers may know", str(USUAL_M), _count)) if with_items else None
        project = project_of(data, source, folder, hierarchies=hierarchies, k=k, m=m, output="release", cover=cover)
        dialogue.say(f"\n  {project.sentence}")
        if not dialogue.asks or click.confirm("  Is this the guarantee that you want?", default=True):
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


@command(
    "Answer questions about the data and write a project file.", inputs=InputOptions, cover=CoverOptions, show=OutputOptions
)
@click.argument("data", type=SOURCE, help=DATA)
@option("--output", "-o", type=PATH, metavar="FILE.toml", default="anonset.toml", help="The project file to write.")
@option("--yes", "-y", is_flag=True, help="Accept every proposal and ask nothing.")
@option("--overwrite", is_flag=True, help="Replace a project file that exists already.")
def init(
    data: str, output: Path, yes: bool, overwrite: bool, inputs: InputOptions, cover: CoverOptions, show: OutputOptions
) -> None:
    """Read DATA, propose the role of each column and a guarantee, ask, and write the answers to a project file."""
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
        raise InputError("init asks questions and there is no terminal; --yes accepts every proposal")
    if output.exists() and not overwrite and not (asks and click.confirm(f"{output} exists already. Replace it?")):
        raise InputError("exists already; choose another name or pass --overwrite", file=output)
    source = inputs.of(data)
    with progress(quiet=show.quiet) as phases:
        proposal = propose(source, phases)
    dialogue = Dialogue(asks, shows=not show.json)
    dialogue.say(f"{data}: {len(proposal.data):,} records, {len(proposal.roles)} columns")
    decided = proposal.decided(ask_roles(dialogue, proposal.roles))
    dialogue.say(f"\n{unique_sentence(decided)}")
    for sentence in filter(None, (tied_sentence(decided), named_sentence(decided))):
        dialogue.say(sentence)
    hierarchies = ask_hierarchies(dialogue, decided, propose_hierarchies(decided, source))
    project = ask_promise(dialogue, decided, source, output.absolute().parent, hierarchies, cover.given)
    write_project(project, output)
    if show.json:
        print_json({"output": output, "toml": project_toml(project)})
    else:
        print(f"\n{output}: written. `anonset run{'' if output.name == 'anonset.toml' else f' {output}'}` makes the release.")
