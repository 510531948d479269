"""anonset reproduce: the experiments of the papers again, and which of their claims hold."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import OutputOptions, flags
from anonset.cli.output import note, print_json, print_table, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset_papers.claims import Result


@flags(showing=OutputOptions)
def run(
    papers: Annotated[
        list[str] | None, typer.Argument(metavar="PAPER...", help="Numbers of papers, e.g. 001 003. All, if none.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Gets report.html and results.json.")] = Path(
        "reproduction"
    ),
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="The papers' datasets; ANONSET_DATA or ../shared/data if not given. Look-alikes for what is not there.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small subsets: to see that it runs.")] = False,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, help="How long it may take.")] = 900.0,
    processes: Annotated[int, typer.Option("--processes", min=1, help="Experiments at the same time.")] = 2,
    *,
    showing: OutputOptions,
) -> None:
    """Run the papers' experiments again and say of every claim whether it holds, with our figures beside it."""
    from anonset.errors import InputError
    from anonset_papers.materials import check_folder, default_folder
    from anonset_papers.page import count_answers
    from anonset_papers.papers import claims_of
    from anonset_papers.run import reproduce

    claims = claims_of(tuple(papers or ()))
    if data is not None:
        check_folder(data)
    folder = data if data is not None else default_folder()
    if output.exists() and not output.is_dir():
        raise InputError("is a file; a folder is needed", file=output)
    note(f"data: {folder}" if folder is not None else "no data folder: seeded look-alikes", quiet=showing.quiet)
    with progress(quiet=showing.quiet) as step:
        results = reproduce(
            claims,
            folder,
            quick=quick,
            processes=processes,
            seconds=seconds,
            progress=step("Experiments"),
            tell=lambda name, took: note(f"{took:6.1f} s  {name}", quiet=showing.quiet),
        )
    command = shlex.join(["anonset", "reproduce", *(papers or ()), *(["--quick"] if quick else []), "-o", str(output)])
    files = _write(results, output, quick=quick, command=command, quiet=showing.quiet)
    if showing.json:
        print_json({"counts": count_answers(results), "answers": {r.id: r.answer for r in results}, "files": files})
        return
    print_table(
        [[r.id, r.answer, r.parts, r.text] for r in results], ["claim", "answer", "parts that hold", "what the paper says"]
    )
    print("; ".join(f"{n} {answer}" for answer, n in count_answers(results).items()))
    note("\n".join(["written:", *(f"  {path}" for path in files)]), quiet=showing.quiet)


def _write(results: "Sequence[Result]", output: Path, *, quick: bool, command: str, quiet: bool) -> list[Path]:
    """Write the figures and, where the extra is installed, the page; return the files."""
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
