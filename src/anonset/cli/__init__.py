"""The command line: parse, call a task, print.

`app` is the program, `options` has the options that commands share, `output` prints, `errors` ends a command; the commands
are in `publish`, `inputs`, `checks`, `measures` and `service`. Imports wait until a command runs.
"""

import gc
import os
import shlex
import sys
from collections.abc import Sequence

from anonset import __version__
from anonset.cli.errors import PROGRAM, print_error, run_interruptibly
from anonset.errors import Cancelled, without_password
from anonset.runtime.native_panics import guard_process

COLLECT_RARELY = (100_000, 50, 50)  # a command loads many objects that stay: collecting them takes a third of its time
COMPLETION = f"_{PROGRAM.upper()}_COMPLETE"  # set by a shell that completes a line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 done, 2 bad input, 3 no guarantee, 4 infeasible, 130 interrupted.

    Without arguments it is the process of the program: only then are signals and standard error taken over.
    """
    if arguments is not None:
        return _main(list(arguments))
    guard_process()
    words = sys.argv[1:]
    if words[:1] == ["serve"]:  # a server handles signals itself and shuts down in order
        return _main(words)
    gc.set_threshold(*COLLECT_RARELY)
    code = run_interruptibly(lambda: _main(words), Cancelled.exit_code)
    gc.freeze()  # nothing that is left needs to be collected before the process ends
    return code


def _main(words: list[str]) -> int:
    """Run a command line in this thread."""
    if words == ["--version"]:
        print(f"{PROGRAM} {__version__}")
        return 0
    from anonset.cli.app import complete, run

    if COMPLETION in os.environ:
        return complete(os.environ[COMPLETION], COMPLETION)
    try:
        return run(words, shlex.join([PROGRAM, *map(without_password, words)]))
    except (Exception, KeyboardInterrupt) as error:
        if "--traceback" in words:
            raise
        return print_error(error, as_json="--json" in words)
