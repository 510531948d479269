"""anonset reproduce: repeat the papers' experiments and say which claims hold."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonset.cli.app import command
from anonset.cli.options import PATH, OutputOptions, option
from anonset.cli.output import note, print_json, print_table, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset_papers.claims import Result


@command("Run the papers' experiments and check their claims.", show=OutputOptions)
@click.argument("papers", nargs=-1, metavar="[PAPER]...", help="Numbers of papers, e.g. 001 003; all if not given.")
@option("--output", "-o", type=PATH, metavar="OUT", default="reproduction", help="The folder for report.html and results.json.")
@option(
    "--data",
    type=PATH,
    metavar="DIR",
    help="The papers' datasets; ANONSET_DATA or ../shared/data if not given. Look-alikes for what is not there.",
)
@option("--quick", is_flag=True, help="Use small subsets, to see that it runs.")
@option("--seconds", type=click.FloatRange(min=1.0), default=900.0, help="How long it may take.")
@option("--processes", type=click.IntRange(min=1), default=2, help="Experiments at the same time.")
def run(
    papers: tuple[str, ...],
    output: Path,
    data: Path | None,
    quick: bool,
    seconds: float,
    processes: int,
    show: OutputOptions,
) -> None:
    """Run the papers' experiments again and say of every claim whether it holds, with our figures beside it."""
    from anonset.errors import InputError
    from anonset_papers.materials import check_folder, default_folder
    from anonset_papers.page import count_answers
    from anonset_papers.papers import claims_of
    from anonset_papers.run import reproduce

    claims = claims_of(papers)
    if data is not None:
        check_folder(data)
    folder = data if data is not None else default_folder()
    if output.exists() and not output.is_dir():
        raise InputError("is a file; a folder is needed", file=output)
    note(f"data: {folder}" if folder is not None else "no data folder: seeded look-alikes", quiet=show.quiet)
    with progress(quiet=show.quiet) as step:
        results = reproduce(
            claims,
            folder,
            quick=quick,
            processes=processes,
            seconds=seconds,
            progress=step("Experiments"),
            tell=lambda name, took: note(f"{took:6.1f} s  {name}", quiet=show.quiet),
        )
    line = shlex.join(["anonset", "reproduce", *papers, *(["--quick"] if quick else []), "-o", str(output)])
    files = _write(results, output, quick=quick, command=line, quiet=show.quiet)
    if show.json:
        print_json({"counts": count_answers(results), "answers": {r.id: r.answer for r in results}, "files": files})
        return
    print_table(
        [[r.id, r.answer, r.parts, r.text] for r in results], ["claim", "answer", "parts that hold", "what the paper says"]
    )
    print("; ".join(f"{n} {answer}" for answer, n in count_answers(results).items()))
    note("\n".join(["written:", *(f"  {path}" for path in files)]), quiet=show.quiet)


def _write(results: "Sequence[Result]", output: Path, *, quick: bool, command: str, quiet: bool) -> list[Path]:
    """Write the figures and, if the extra is installed, the page; return the files."""
    from anonset_papers.page import write_page, write_results
    from anonset_papers.papers import PAPERS

    output.mkdir(parents=True, exist_ok=True)
    figures, page = output / "results.json", output / "report.html"
    write_results(results, figures, quick=quick)
    try:
        write_page(results, page, titles={name: paper.title for name, paper in PAPERS.items()}, quick=quick, command=command)
    except ImportError:
        note("the page needs the extra: pip install 'anonset[report]'", quiet=quiet)
        return [figures]
    return [figures, page]
