"""anonset completion: a script that makes a shell complete commands and flags."""

from typing import Annotated

import typer

SHELLS = ("bash", "zsh", "fish")


def run(shell: Annotated[str, typer.Argument(help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}.")]) -> None:
    """Print what makes a shell complete commands and flags, e.g. for ~/.bashrc: eval "$(anonset completion bash)"."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    from anonset.cli import COMPLETING
    from anonset.cli.errors import PROGRAM
    from anonset.errors import ParameterError, unknown

    if shell not in SHELLS:
        raise ParameterError(unknown("shell", shell, SHELLS))
    print(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETING, shell=shell))
