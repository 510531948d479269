import pytest

pytest.importorskip("matplotlib")

from anonset.errors import InputError
from anonset.model.builders import build
from anonset.model.material import Material
from anonset.study.ru_map import ru_points
from anonset.study.trial import Trial
from anonset.tasks import anonymize, plots

POINTS = ru_points([Trial(str(k), "x", "pcta", {"k": k}, "done", measures={"are": 0.1 * k, "risk": 1 / k}) for k in (2, 3)])


def test_a_release_a_map_and_a_tree_are_drawn(people):
    data = people.read()
    release = anonymize.of_dataset(data, "identity", {"k": 4})
    tree = build("balanced:2", Material.of_items(data.transactions))

    assert plots.of_release(data, release).axes
    assert plots.of_points(POINTS, limit=0.2, loss="are", title="t").axes
    assert plots.of_hierarchy(tree).axes
    assert "<svg" in plots.svg_of_points(POINTS, limit=None, loss="are", title="t")


def test_without_the_extra_it_is_said_or_left_out(monkeypatch):
    monkeypatch.setattr(plots, "find_spec", lambda name: None)

    with pytest.raises(InputError, match=r"anonset\[report\]"):
        plots.of_points(POINTS, limit=None, loss="are", title="t")
    assert plots.svg_of_points(POINTS, limit=None, loss="are", title="t") == ""
