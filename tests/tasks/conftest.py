"""Tiny inputs of the tasks, and a release of each."""

import pytest

from anonset.tasks import anonymize
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.inputs import Input

TABLE = "name,age,city,illness,codes\n" + "".join(
    f"P{n},{30 + 10 * (n % 2)},{('Rome', 'Oslo')[n % 2]},{('flu', 'cold')[n // 2 % 2]},{('a b', 'c')[n % 2]}\n"
    for n in range(8)
)
ROLES = {"identifier": ("name",), "quasi": ("age", "city"), "sensitive": ("illness",), "items": ("codes",)}
BASKETS = "1 2\n" * 3 + "3 4\n" * 3 + "5\n" * 2 + "6\n" * 2  # from k = 3 on, 5 and 6 are published as one


@pytest.fixture
def people(tmp_path):
    """Eight people: columns and items."""
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return Input(path, ROLES)


@pytest.fixture
def shop(tmp_path):
    """Ten baskets."""
    path = tmp_path / "shop.dat"
    path.write_text(BASKETS)
    return Input(path)


@pytest.fixture
def made(tmp_path):
    """Publish an input under an algorithm, without pages; the result of the task."""

    def make(source, algorithm, name="out", **parameters):
        request = anonymize.AnonymizeRequest(source, tmp_path / name, AlgorithmChoice(algorithm, parameters), report=False)
        return anonymize.run(request)

    return make


@pytest.fixture
def phases():
    """A listener of phases, and what it heard."""
    heard = []

    def listen(phase):
        return lambda done: heard.append((phase, done))

    listen.heard = heard
    return listen
