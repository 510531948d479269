"""anonset recommend: try what fits in the time, and hand back the best release with the reasons."""

import shlex
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.compare import write_pages
from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_verdict, progress


@flags(reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="What is to be published.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Gets release/ and study/.")],
    max_risk: Annotated[
        str, typer.Option("--max-risk", metavar="RISK", help="The largest risk allowed: 0.2, 0.09, k=11, ...")
    ] = "0.2",
    m: Annotated[int, typer.Option("-m", min=1, help="Items an attacker may know.")] = 2,
    workload: Annotated[Path | None, typer.Option("--workload", metavar="FILE.json", help="The queries that matter.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, help="How long it may try.")] = 120.0,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Try the algorithms made for DATA, take the one whose release answers queries best within the risk, and write it."""
    from anonset import api
    from anonset.data import read_and_guess
    from anonset.releases.publish import check_output, publish
    from anonset.study.recommendation import recommend, told
    from anonset.study.ru_map import risk_limit

    limit = risk_limit(max_risk)
    output.mkdir(parents=True, exist_ok=True)
    check_output(output / "release", overwrite=False)
    queries = None if workload is None else api.read_workload(workload)
    with progress(quiet=showing.quiet) as step:
        found = recommend(
            data,
            output / "study",
            schema=reading.given(),
            max_risk=limit,
            m=m,
            workload=None if workload is None else {"kind": "file", "file": str(workload)},
            seconds=seconds,
            progress=step("Trying"),
        )
        dataset, guess = read_and_guess(data, schema=reading.given())
        chosen = dict(found.best.parameters)
        command = _command(data, reading, found.best.algorithm, chosen, output / "release")
        pages = api.report_pages(dataset, command, map=found.points, workload=queries)
        release = api.anonymize(dataset, found.best.algorithm, **chosen)
        published = publish(dataset, release, output / "release", reading=guess.schema, pages=pages, command=command)
        write_pages(found.trials, output / "study", "are", limit)
    if showing.json:
        print_json(
            {
                "setting": told(found.best),
                "reasons": found.reasons,
                "measures": published.measures,
                "output": output / "release",
            }
        )
        return
    print(f"{output / 'release'}: {told(found.best)}")
    for reason in found.reasons:
        print(f"  {reason}")
    print_verdict(published.verdict)


def _command(data: Path, reading: Reading, algorithm: str, parameters: dict[str, Any], out: Path) -> str:
    """The command that makes the recommended release."""
    words = ["anonset", "anonymize", str(data)]
    for f in fields(reading):
        value = getattr(reading, f.name)
        if value is not None and value is not False:
            words += [f"--{f.name.replace('_', '-')}", *([] if value is True else [str(value)])]
    for name, value in parameters.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join([*words, "--algorithm", algorithm, "-o", str(out)])
