from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from anonset.cli.program import QuickCommand, QuickGroup


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (["x"], ("x", None, None, 3, False)),
        (["x", "--file", "a/b", "--set", "k=1", "--set", "m=2"], ("x", Path("a/b"), ["k=1", "m=2"], 3, False)),
        (["x", "--number", "5", "--switch"], ("x", None, None, 5, True)),
    ],
)
def test_values_come_as_they_are_declared(words, seen):
    found = []
    app = typer.Typer(cls=QuickGroup)
    app.callback()(lambda: None)

    @app.command(cls=QuickCommand)
    def run(
        text: str,
        file: Path | None = None,
        set: Annotated[list[str] | None, typer.Option()] = None,
        number: int = 3,
        switch: Annotated[bool, typer.Option("--switch")] = False,
    ) -> None:
        found.append((text, file, set or None, number, switch))

    assert CliRunner().invoke(app, ["run", *words]).exit_code == 0
    assert found == [seen]
    assert CliRunner().invoke(app, ["run", "x", "--number", "many"]).exit_code == 2
