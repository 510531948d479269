from anonset.model.builders import Material, build
from anonset.study.ru_map import ru_points
from anonset.study.trial import Trial
from anonset.tasks import anonymize, views

POINTS = ru_points([Trial(str(k), "x", "pcta", {"k": k}, "done", measures={"are": 0.1 * k, "risk": 1 / k}) for k in (2, 3)])


def test_a_release_a_map_and_a_tree_are_drawn(people):
    data = people.read()
    release = anonymize.of_dataset(data, "identity", {"k": 4})
    tree = build("balanced:2", Material.of_items(data.transactions))

    assert "Loss by attribute" in str(views.of_release(data, release))
    assert "t</text>" in str(views.of_points(POINTS, limit=0.2, loss="are", title="t"))
    assert "3 values in 3 groups" in str(views.of_hierarchy(tree))
