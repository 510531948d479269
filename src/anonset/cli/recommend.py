"""anonset recommend: try what fits in the time, and hand back the best release with the reasons."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_verdict, progress


@flags(reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="What is to be published.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Gets release/ and study/.")],
    max_risk: Annotated[
        float, typer.Option("--max-risk", min=1e-6, max=1.0, help="The largest risk allowed; 0.2 is k = 5.")
    ] = 0.2,
    m: Annotated[int, typer.Option("-m", min=1, help="Items an attacker may know.")] = 2,
    workload: Annotated[Path | None, typer.Option("--workload", metavar="FILE.json", help="The queries that matter.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, help="How long it may try.")] = 120.0,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Try the algorithms made for DATA, take the one whose release answers queries best within the risk, and write it."""
    from anonset import api
    from anonset.publish import check_output
    from anonset.study.recommendation import recommend

    check_output(output / "release", overwrite=False)
    wanted: dict[str, Any] | None = None if workload is None else {"kind": "file", "file": str(workload)}
    with progress(quiet=showing.quiet) as step:
        found = recommend(
            data,
            output / "study",
            schema=reading.given(),
            max_risk=max_risk,
            m=m,
            workload=wanted,
            seconds=seconds,
            progress=step("Trying"),
        )
        dataset = api.read(data, reading.given())
        chosen = {name: value for name, value in found.best.parameters.items() if name != "seed"}
        published = api.anonymize(dataset, found.best.algorithm, **chosen).write(output / "release")
    if showing.json:
        print_json(
            {
                "setting": found.best.label,
                "reasons": found.reasons,
                "measures": published.measures,
                "output": output / "release",
            }
        )
        return
    print(f"{output / 'release'}: {found.best.label}")
    for reason in found.reasons:
        print(f"  {reason}")
    print_verdict(published.verdict)
