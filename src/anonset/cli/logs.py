"""A log for those who run commands unattended: what ran, its phases and how long they took; nothing of the data."""

import logging
import time
from pathlib import Path

from anonset import __version__
from anonset.cli.compiling import watch
from anonset.errors import InputError, ParameterError, unknown
from anonset.model.progress import Phases, Progress

LEVELS = ("debug", "info", "warning", "error")
LOG = logging.getLogger("anonset")
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def start(command: str, level: str | None, file: Path | None) -> None:
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


def logged(phases: Phases, *, quiet: bool) -> Phases:
    """The phases, told to the log as they begin and end; where kernels compile in them, that is said too."""

    def phase(name: str) -> Progress:
        watch(quiet=quiet)
        heard, began = phases(name), time.perf_counter()
        LOG.info("%s begins", name)

        def hear(done: float) -> None:
            heard(done)
            watch(quiet=quiet)
            LOG.debug("%s: %.0f %%", name, 100 * done)
            if done >= 1.0:
                LOG.info("%s took %.3f s", name, time.perf_counter() - began)

        return hear

    return phase
