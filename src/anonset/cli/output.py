"""What a command prints: results on standard output, progress and notes on standard error; and its log."""

import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset import __version__
from anonset.cli.errors import with_flags
from anonset.errors import InputError, ParameterError, unknown
from anonset.model.progress import Phases, Progress, unheard

if TYPE_CHECKING:
    from anonset.model.verdict import Verdict


COMPILING = "compiling, once per installation, about 20 s"  # what a command compiles at most, on an ordinary machine
LEVELS = ("debug", "info", "warning", "error")
LOG = logging.getLogger("anonset")
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_watched: list[str] = []  # what was registered with Numba, and printed


def announce_compiling(*, quiet: bool) -> None:
    """Print a note as soon as the first kernel compiles; call it again where Numba may have been loaded since."""
    if quiet or _watched or "numba" not in sys.modules:
        return
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            if COMPILING not in _watched:
                _watched.append(COMPILING)
                print(COMPILING, file=sys.stderr, flush=True)

        def on_end(self, event: object) -> None:
            pass

    _watched.append("listener")
    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def start_log(command: str, level: str | None, file: Path | None) -> None:
    """Log to a file, or to standard error where only a level is given; not at all where neither is."""
    for old in LOG.handlers[1:]:  # of a command before this one; the first is the silent one
        LOG.removeHandler(old)
        old.close()
    if level is None and file is None:
        return
    if level is not None and level not in LEVELS:
        raise ParameterError(unknown("log level", level, LEVELS))
    try:
        handler = logging.StreamHandler() if file is None else logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None
    handler.setFormatter(logging.Formatter(FORMAT))
    LOG.addHandler(handler)
    LOG.setLevel((level or "info").upper())
    LOG.info("anonset %s: %s", __version__, command)


def _logged(phases: Phases, *, quiet: bool) -> Phases:
    """Return the phases, which also log when they begin and end, and announce that kernels compile."""

    def phase(name: str) -> Progress:
        announce_compiling(quiet=quiet)
        report, began = phases(name), time.perf_counter()
        LOG.info("%s begins", name)

        def report_and_log(done: float) -> None:
            report(done)
            announce_compiling(quiet=quiet)
            LOG.debug("%s: %.0f %%", name, 100 * done)
            if done >= 1.0:
                LOG.info("%s took %.3f s", name, time.perf_counter() - began)

        return report_and_log

    return phase


def print_json(value: Any) -> None:
    """Print one JSON object on standard output."""
    from anonset.model.serialization import to_builtins

    print(json.dumps(to_builtins(value, with_flags), ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Print rows in aligned columns; the last column is not padded."""
    lines = [[with_flags(cell) for cell in line] for line in ([header, *rows] if header else rows)]
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]) - 1)] if lines else []
    for line in lines:
        print("  ".join([*(text.ljust(width) for text, width in zip(line, widths, strict=False)), line[-1]]).rstrip())


def print_verdict(verdict: "Verdict") -> None:
    """Print a line for each finding, with witnesses below those that do not hold."""
    for finding in verdict.findings:
        state = "holds" if finding.holds and finding.checked else "not checked" if not finding.checked else "DOES NOT HOLD"
        print(f"{finding.guarantee}: {state}" + (f" ({finding.worst})" if finding.worst else ""))
        for witness in finding.witnesses if not finding.holds else ():
            print(f"  {witness}")
    if verdict.counted:
        print(verdict.counted)


def note(text: str, *, quiet: bool = False) -> None:
    """Print a remark on standard error."""
    if not quiet:
        print(with_flags(text), file=sys.stderr)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Phases]:
    """Give phases that draw a progress bar each on standard error; none where it is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield _logged(unheard, quiet=quiet)
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:

        def step(name: str) -> Progress:
            bar = bars.add_task(name, total=1.0)
            return lambda done: bars.update(bar, completed=done)

        yield _logged(step, quiet=quiet)
