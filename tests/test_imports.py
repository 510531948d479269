"""What is loaded, and what is not, before it is needed: starting costs what the task costs."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "polars", "numba", "scipy", "msgspec", "rich.console", "rich.markdown", "click", "jinja2", "kneed", "nicegui")


def loaded(statement, *names):
    """Which of the modules are loaded after a statement, in a process of its own."""
    code = f"import sys\n{statement}\nprint('loaded', *[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_the_package_loads_nothing():
    assert loaded("import anonset; anonset.InputError", *HEAVY, "logging") == []


def test_the_version_needs_no_parser():
    assert loaded("from anonset.cli import main; main(['--version'])", *HEAVY) == []


@pytest.mark.parametrize("line", ["['--help']", "['frobnicate']", "['anonymize']", "['anonymize', '--help']"])
def test_help_and_mistakes_load_no_data_libraries(line):
    assert set(loaded(f"from anonset.cli import main; main({line})", *HEAVY)) <= {"msgspec", "click"}


def test_a_command_loads_no_commands_of_other_groups():
    others = [f"anonset.cli.{name}" for name in ("publish", "inputs", "checks", "measures")]
    assert loaded("from anonset.cli import main; main(['completion', 'bash'])", *others) == []


def test_an_algorithm_is_loaded_when_it_is_asked_for():
    modules = [f"anonset.algorithms.{name}" for name in ("transactions.aa", "rt.search", "constraints.pcta", "relational.peel")]
    statement = (
        "import anonset.tasks.anonymize; from anonset.algorithms import ALGORITHMS; 'peel' in ALGORITHMS; ALGORITHMS['aa']"
    )
    assert loaded(statement, *modules) == ["anonset.algorithms.transactions.aa"]


def test_a_release_without_pages_needs_nothing_that_draws_them():
    assert loaded("import anonset.tasks.anonymize", "jinja2", "kneed", "nicegui") == []
