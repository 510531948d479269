"""A word while kernels compile, which they do once per installation."""

import sys

SECONDS = 20  # what a command compiles at most, on an ordinary machine
_told: list[str] = []


def watch(*, quiet: bool) -> None:
    """Say it on standard error as soon as the first kernel compiles; call again where numba may have been loaded since."""
    if quiet or _told or "numba" not in sys.modules:
        return
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            tell()

        def on_end(self, event: object) -> None:
            pass

    _told.append("watching")
    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def tell() -> None:
    """Say that kernels compile, once."""
    if "told" not in _told:
        _told.append("told")
        print(f"compiling, once per installation, about {SECONDS} s", file=sys.stderr, flush=True)
