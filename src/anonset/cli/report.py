"""anonset report: the page of a release once more, with a study, other queries or more attackers."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json

if TYPE_CHECKING:
    from anonset.study.ru_map import Point


@flags(reading=Reading, showing=Showing)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder; its report.html is replaced.")],
    original: Annotated[Path, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    study: Annotated[
        Path | None, typer.Option("--study", metavar="DIR", help="A study on the same data: adds its map.")
    ] = None,
    workload: Annotated[Path | None, typer.Option("--workload", metavar="FILE.json", help="The queries that matter.")] = None,
    m: Annotated[int | None, typer.Option("-m", min=1, help="Items an attacker knows, at most.")] = None,
    attackers: Annotated[int, typer.Option("--attackers", min=1, help="Sampled attackers of each kind.")] = 1000,
    seed: Annotated[int | None, typer.Option("--seed", help="Makes the sample repeatable.")] = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Make the report of OUT again. It is for the data owner; what is published stays as it is."""
    from anonset.api import load, read_workload
    from anonset.errors import InputError
    from anonset.releases.originals import read_manifest
    from anonset.releases.publish import verify_folder

    try:
        from anonset.report.release_page import release_page
        from anonset.report.writing import findings
    except ImportError:
        raise InputError("reports need the extra: pip install 'anonset[report]'") from None
    found = load(release, original, reading.given())
    measures = found.measure()
    manifest = read_manifest(release) or {}
    told = findings(
        found.original,
        found,
        verify_folder(found.original, release),
        measures,
        folder=release,
        command=manifest.get("command", ""),
        inputs={source["name"]: source["sha256"] for source in manifest.get("inputs", ())},
        map=() if study is None else _points(study, original.name),
        workload=None if workload is None else read_workload(workload),
        attackers=attackers,
        m=m,
        seed=seed,
    )
    page, new = release / "report.html", release / f".report.html.{os.getpid()}"
    try:
        new.write_text(release_page(found.original, found, told), encoding="utf-8")
        new.replace(page)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=page) from None
    if showing.json:
        print_json({"output": page})
    else:
        print(page)


def _points(study: Path, name: str) -> "tuple[Point, ...]":
    """The map of a study, of the dataset of that name where there are several."""
    from anonset.errors import InputError
    from anonset.study.ru_map import by_data, ru_points
    from anonset.study.trial import read_trials

    trials = by_data(list(read_trials(study / "trials.jsonl")))
    if not trials:
        raise InputError("is no study: there are no trials in it", file=study)
    if len(trials) > 1 and name not in trials:
        raise InputError(f"has trials of {', '.join(trials)}, and none of {name}", file=study)
    return ru_points(trials[name] if name in trials else next(iter(trials.values())))
