"""Results go to standard output, progress and notes to standard error."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anonset.model.progress import Phases, Progress, unheard

if TYPE_CHECKING:
    from anonset.model.verdict import Verdict


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    from anonset.model.plain_json import to_plain

    print(json.dumps(to_plain(value), ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Columns as wide as they need be; the last one may be as long as it likes."""
    lines = [header, *rows] if header else list(rows)
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]) - 1)] if lines else []
    for line in lines:
        print("  ".join([*(text.ljust(width) for text, width in zip(line, widths, strict=False)), line[-1]]).rstrip())


def print_verdict(verdict: "Verdict") -> None:
    """One line a finding, and witnesses below those that do not hold."""
    for finding in verdict.findings:
        state = "holds" if finding.holds and finding.checked else "not checked" if not finding.checked else "DOES NOT HOLD"
        print(f"{finding.guarantee}: {state}" + (f" ({finding.worst})" if finding.worst else ""))
        for witness in finding.witnesses if not finding.holds else ():
            print(f"  {witness}")
    if verdict.counted:
        print(verdict.counted)


def note(text: str, *, quiet: bool = False) -> None:
    """A remark on standard error."""
    if not quiet:
        print(text, file=sys.stderr)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Phases]:
    """Bars on standard error, one a step; none where it is not a terminal."""
    from anonset.cli.logs import logged

    if quiet or not sys.stderr.isatty():
        yield logged(unheard, quiet=quiet)
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:

        def step(name: str) -> Progress:
            bar = bars.add_task(name, total=1.0)
            return lambda done: bars.update(bar, completed=done)

        yield logged(step, quiet=quiet)
