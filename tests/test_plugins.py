"""Algorithms of other distributions: found, checked, recorded in releases; and anonset without any of them."""

import doctest
import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest

import anonset
import anonset.testing
from anonset.algorithms import ALGORITHMS, BUILT_IN, COMPARATORS, make
from anonset.cli import main
from anonset.errors import ParameterError, PluginError
from anonset.measure import MEASURES
from anonset.model.guarantees import GUARANTEES
from anonset.plugins import ALGORITHM_GROUP, GUARANTEE_GROUP, MEASURE_GROUP, PluginWarning, _warn, plugins
from anonset.releases.folder import read_folder

METHOD = '''
from dataclasses import dataclass
from typing import ClassVar
from anonset.algorithms.identity import Identity

@dataclass(frozen=True, slots=True)
class Method(Identity):
    """A frozen dataclass with all facts."""
    name: ClassVar[str] = "method"
    title: ClassVar[str] = "A method of somebody else"

class Bare:
    name = "bare"
    def anonymize(self, data, *, progress=None): ...

@dataclass
class Loose(Identity if False else object):
    name: ClassVar[str] = "another"
    title: ClassVar[str] = "No frozen dataclass"
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a distribution with these entry points."""

    def installed(name, points, group=ALGORITHM_GROUP):
        folder = tmp_path / f"{name}-1.2.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (folder / "entry_points.txt").write_text(f"[{group}]\n" + "".join(f"{id} = {to}\n" for id, to in points.items()))
        plugins.cache_clear()

    (tmp_path / "somebody.py").write_text(METHOD)
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "somebody", raising=False)
    yield installed
    plugins.cache_clear()
    _warn.cache_clear()


def test_the_comparators_of_the_papers_are_plugins():
    found = {plugin.id: plugin.distribution for plugin in plugins(ALGORITHM_GROUP)}

    assert found == dict.fromkeys(COMPARATORS, "anonset-papers")
    assert list(ALGORITHMS) == [*BUILT_IN, *sorted(COMPARATORS)]
    assert len(ALGORITHMS) == len(BUILT_IN) + len(COMPARATORS)


@pytest.mark.parametrize("module", [anonset.plugins, anonset.algorithms, anonset.testing])
def test_examples_for_authors_run(module):
    failed, tried = doctest.testmod(module)

    assert (failed, tried > 0) == (0, True)


def test_an_algorithm_of_another_distribution_is_one_like_all_others(install, tmp_path, capsys):
    install("acme-methods", {"method": "somebody:Method"})
    data = tmp_path / "sets.dat"
    data.write_text("1 2\n" * 4)

    assert "method" in ALGORITHMS
    assert make("method", {"k": "3"}).k == 3
    assert main(["algorithms", "method"]) == 0
    assert "A method of somebody else" in capsys.readouterr().out
    assert main(["anonymize", str(data), "-o", str(tmp_path / "out"), "-a", "method", "-k", "3", "--no-report"]) == 0
    assert json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())["plugin"] == "acme-methods 1.2"
    assert read_folder(tmp_path / "out", anonset.read(data)).provenance.plugin == "acme-methods 1.2"


def test_releases_of_built_in_algorithms_name_no_plugin(tmp_path):
    data = tmp_path / "sets.dat"
    data.write_text("1 2\n" * 4)

    assert main(["anonymize", str(data), "-o", str(tmp_path / "out"), "-a", "identity", "-k", "3", "--no-report"]) == 0
    assert "plugin" not in json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())


def test_an_id_that_two_distributions_register_is_used_by_neither(install):
    install("acme-methods", {"method": "somebody:Method"})
    install("other-methods", {"method": "somebody:Method"})

    with pytest.raises(ParameterError, match=r"'method' is registered twice, by acme-methods 1\.2 and by other-methods 1\.2"):
        make("method", {"k": 3})
    with pytest.warns(PluginWarning, match="registered twice"):
        assert "method" not in list(ALGORITHMS)


def test_a_plugin_replaces_nothing_that_is_built_in(install):
    install("acme-methods", {"aa": "somebody:Method"})

    with pytest.warns(PluginWarning, match=r"'aa' is registered twice, by anonset and by acme-methods 1\.2"):
        assert list(ALGORITHMS).count("aa") == 1
    assert ALGORITHMS["aa"].__module__ == "anonset.algorithms.transactions.aa"


@pytest.mark.parametrize(
    ("id", "target", "reason"),
    [
        ("wreck", "broken:Method", r"cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("wreck", "somebody:Nobody", r"cannot be loaded: AttributeError"),
        ("wreck", "somebody:Method", r"is not valid: its name is 'method'"),
        ("wreck", "somebody:METHOD_OF_NOBODY.x", r"cannot be loaded"),
        ("bare", "somebody:Bare", r"it declares no title, it declares no paper.*it is not a frozen dataclass"),
        ("another", "somebody:Loose", r"it declares no paper.*it has no method anonymize, it is not a frozen dataclass"),
        ("os", "os:sep", r"it is not a class"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named_and_stops_nothing_else(install, id, target, reason):
    install("acme-methods", {id: target, "method": "somebody:Method"})

    with pytest.raises(ParameterError, match=rf"algorithm '{id}' of the plug-in acme-methods 1\.2 .*{reason}"):
        make(id, {"k": 3})
    with pytest.warns(PluginWarning, match=reason) as warned:
        names = list(ALGORITHMS)
    assert id not in names
    assert {"aa", "oa", "method"} <= set(names)
    assert [str(warning.message).count("\n") for warning in warned] == [0]
    assert list(ALGORITHMS) == names, "it is named once"


HIDE = """
import importlib.metadata

every = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **of: () if of.get("group", "").startswith("anonset.") else every(**of)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A function that runs Python where no plug-in is installed: exit code, output and errors."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "sitecustomize.py").write_text(HIDE)
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"}

    def run(*words):
        return subprocess.run([sys.executable, *map(str, words)], env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    file = tmp_path_factory.mktemp("people") / "people.csv"
    file.write_text("age,town\n" + "".join(f"{20 + n % 9},{'ab'[n % 2]}\n" for n in range(40)))
    return file


@pytest.mark.parametrize("id", COMPARATORS)
def test_a_comparator_that_is_not_installed_is_named_with_its_extra(alone, id):
    done = alone("-m", "anonset", "anonymize", "nowhere.csv", "-o", "out", "-a", id, "-k", "3")

    assert done.returncode == 2
    assert f"algorithm '{id}' comes with anonset[papers], which is not installed: pip install 'anonset[papers]'" in done.stderr


def test_commands_work_without_plugins(alone, people, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(f'[data]\npath = "{people}"\n[[run]]\nalgorithm = "mondrian"\nk = [2, 3]\n')
    listed = alone("-m", "anonset", "algorithms", "--json")
    best = alone(
        *("-m", "anonset", "recommend", people, "-o", tmp_path / "best", "--seconds", "3", "--quasi", "age,town", "--json"),
    )
    compared = alone("-m", "anonset", "compare", plan, "-o", tmp_path / "c", "--json")

    assert list(json.loads(listed.stdout)) == list(BUILT_IN)
    assert (best.returncode, compared.returncode) == (0, 0), best.stderr + compared.stderr


def test_workbench_and_rest_work_without_plugins(alone, tmp_path):
    code = """
    import sys
    from pathlib import Path
    from starlette.testclient import TestClient
    from anonset.rest import create_api
    from anonset.workbench import Workbench

    if __name__ == "__main__":
        bench = Workbench(Path(sys.argv[1]), processes=1)
        print(*TestClient(create_api(bench)).get("/algorithms").json())
        bench.close()
    """
    script = tmp_path / "script.py"
    script.write_text(dedent(code))
    done = alone("-W", "ignore", script, tmp_path / "store")

    assert done.stdout.split() == list(BUILT_IN), done.stderr


def test_the_conformance_suite_collects_without_plugins(alone):
    done = alone("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/conformance")

    assert done.returncode == 0, done.stdout
    assert "[aa-" in done.stdout
    assert not [id for id in COMPARATORS if f"[{id}-" in done.stdout]


KINDS = """
from dataclasses import dataclass
from typing import ClassVar
from anonset.measure import Measure
from anonset.model.guarantees import KmAnonymity

def fails(original, release):
    raise ValueError("Ann Smith, 42")

FAILS = Measure(fails, "", "a measure that fails")
ODD = Measure(fails, "colours", "a measure that needs what no release has")

@dataclass(frozen=True, slots=True)
class Unchecked(KmAnonymity):
    id: ClassVar[str] = "unchecked"
"""


@pytest.fixture
def kinds(install, tmp_path):
    (tmp_path / "kinds.py").write_text(KINDS)
    yield install
    sys.modules.pop("kinds", None)


def test_a_failing_measure_names_its_plugin_and_none_of_the_data(kinds, sets):
    kinds("acme-measures", {"fails": "kinds:FAILS"}, MEASURE_GROUP)
    release = anonset.anonymize(sets, "aa", k=2, m=2)

    with pytest.raises(
        PluginError, match=r"^the plug-in acme-measures 1.2 failed in its measure 'fails': ValueError$"
    ) as failed:
        release.measure("fails")

    assert "Ann" not in str(failed.value)


def test_a_measure_that_needs_what_no_release_has_is_not_used(kinds):
    kinds("acme-measures", {"odd": "kinds:ODD"}, MEASURE_GROUP)

    with pytest.warns(PluginWarning, match=r"it needs 'colours'"):
        assert "odd" not in list(MEASURES)


def test_a_guarantee_without_a_check_is_not_used(kinds):
    kinds("acme-promises", {"unchecked": "kinds:Unchecked"}, GUARANTEE_GROUP)

    with pytest.raises(ParameterError, match=r"'unchecked' of the plug-in acme-promises 1.2 is not valid: it has no check"):
        GUARANTEES.find("unchecked")


def test_a_guarantee_without_a_check_is_one_line(sets):
    class Nothing:
        id = "nothing"
        covers = frozenset()

    with pytest.raises(ParameterError, match=r"^nothing has no check, so nothing can be promised$"):
        anonset.anonymize(sets, "aa", k=2, m=2).verify([Nothing()])


def test_a_function_is_measured_like_a_measure(sets):
    def left(original, release):
        return len(release) / len(original)

    release = anonset.anonymize(sets, "aa", k=2, m=2)

    assert release.measure([left, "exact-items"]) == {"left": 1.0, "exact-items": release.measure("exact-items")["exact-items"]}
    assert release.measure(left) == {"left": 1.0}


@pytest.fixture
def sets(tmp_path):
    (tmp_path / "sets.dat").write_text("1 2\n" * 4 + "1\n" * 3)
    return anonset.read(tmp_path / "sets.dat", item_hierarchy="balanced:2")
