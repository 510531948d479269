"""anonset recommend: try what fits in the time, and hand back the best release with the reasons."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.errors import with_flags
from anonset.cli.options import ENDS, Accepting, OutputOptions, Reading, Signing, flags
from anonset.cli.output import print_json, print_verdict, progress


@flags(reading=Reading, signing=Signing, showing=OutputOptions, accepting=Accepting)
def run(
    data: Annotated[str, typer.Argument(help="What is to be published.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Gets release/ and study/.")],
    max_risk: Annotated[
        str, typer.Option("--max-risk", metavar="RISK", help="The largest risk allowed: 0.2, 0.09, k=11, ...")
    ] = "0.2",
    m: Annotated[int, typer.Option("-m", min=1, help="Items an attacker may know.")] = 2,
    workload: Annotated[Path | None, typer.Option("--workload", metavar="FILE.json", help="The queries that matter.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, help="How long it may try.")] = 120.0,
    processes: Annotated[int, typer.Option("--processes", min=1, help="Trials at the same time.")] = 1,
    ends: Annotated[str, typer.Option("--ends", metavar="HOW", help=ENDS)] = "auto",
    *,
    reading: Reading,
    signing: Signing,
    showing: OutputOptions,
    accepting: Accepting,
) -> None:
    """Try the algorithms made for DATA, take the one whose release answers queries best within the risk, and write it."""
    from anonset.model.cover import Cover
    from anonset.tasks.recommend import RecommendRequest
    from anonset.tasks.recommend import run as run_task

    def command(algorithm: str, parameters: dict[str, Any], out: Path) -> str:
        asked = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
        asked += [] if ends == "auto" else ["--ends", ends]
        said = [*reading.words(), *signing.words(), *asked]
        return shlex.join(["anonset", "anonymize", str(data), *said, "--algorithm", algorithm, "-o", str(out)])

    more = (accepting.accepted(), Cover(**signing.given()), ends)
    request = RecommendRequest(reading.of(data), output, max_risk, m, workload, seconds, processes, *more)
    with progress(quiet=showing.quiet) as phases:
        result = run_task(request, phases, command=command)
    if showing.json:
        print_json(result.as_json())
        return
    print(f"{result.published.folder}: {result.setting}")
    for reason in result.found.reasons:
        print(f"  {with_flags(reason)}")
    print_verdict(result.published.verdict)
