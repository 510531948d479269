"""Bars of progress: HTML in a notebook, a line in a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Literal

from anonset.model.progress import Progress, silent

Listener = Progress | Literal["bar"] | bool  # who hears of progress: a function of the share done, or a bar


@contextmanager
def listening(listener: Listener, title: str) -> Iterator[Progress]:
    """The listener as a function: what was given, a bar where one is asked for, or nobody."""
    if callable(listener):
        yield listener
    elif not listener:
        yield silent
    else:
        with _notebook_bar(title) if in_notebook() else _terminal_bar(title) as bar:
            yield bar


def in_notebook() -> bool:
    """Whether this runs in a kernel whose output is HTML."""
    module: Any = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _notebook_bar(title: str) -> Iterator[Progress]:
    shown_by: Any = import_module("IPython.display")

    handle = shown_by.display(shown_by.HTML(bar_html(title, 0)), display_id=True)
    shown = 0

    def update(done: float) -> None:
        nonlocal shown
        if int(100 * done) != shown:
            shown = int(100 * done)
            handle.update(shown_by.HTML(bar_html(title, shown)))

    try:
        yield update
    finally:
        handle.update(shown_by.HTML(""))


def bar_html(title: str, percent: int) -> str:
    """A bar as HTML has it."""
    name = escape(title)
    return f'<label>{name} <progress max="100" value="{percent}" aria-label="{name}">{percent} %</progress> {percent} %</label>'


@contextmanager
def _terminal_bar(title: str) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=1.0)
        yield lambda done: bars.update(bar, completed=done)
