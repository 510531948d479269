from itertools import combinations
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from anonset.report.drawings import MARK, Box, draw_ru_map, place_labels, short_label
from anonset.report.svg import look
from anonset.study.ru_map import MapPoint

MAP = tuple(MapPoint(name, f"{name} k={k}", 10 / k, 1 / k, k / 10, True) for name in ("aa", "pcta") for k in (2, 3, 5, 9))
INSIDE = Box(0, 0, 400, 300)


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300)), max_size=25))
def test_no_label_covers_another_or_a_point_or_leaves_the_map(points):
    placed = [box for box in place_labels(points, [f"k={n}" for n in range(len(points))], INSIDE) if box is not None]

    marks = [Box(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in points]
    assert not any(one.meets(other) for one, other in combinations(placed, 2))
    assert not any(box.meets(mark) for box in placed for mark in marks)
    assert all(box.left >= 0 and box.top >= 0 and box.right <= 400 and box.bottom <= 300 for box in placed)


def test_a_lonely_point_has_its_label_above():
    (box,) = place_labels([(200, 150)], ["k=5"], INSIDE)

    assert box.bottom < 150
    assert box.left < 200 < box.right


def test_every_point_tells_what_it_is_and_the_knee_is_named_with_its_method():
    svg = str(draw_ru_map(MAP, here=MAP[2]))

    ElementTree.fromstring(svg)
    assert svg.count('tabindex="0"') == len(MAP)
    assert "aa k=5, utility 2, are 0.5, risk 0.2" in svg
    assert "this release" in svg
    curve = [MapPoint("x", f"x k={k}", u, r, 1 / u, True) for k, u, r in ((9, 1, 0.1), (5, 5, 0.2), (2, 6, 0.9))]
    assert "x, knee by angle: k=5" in str(draw_ru_map(curve))


def test_a_map_without_points_or_with_one_is_drawn():
    for points in ((), MAP[:1]):
        svg = ElementTree.fromstring(str(draw_ru_map(points, limit=None)))
        assert svg.tag.endswith("svg")


def test_names_are_shown_not_run_and_infinite_axes_are_none():
    hostile = MapPoint("<script>", "<img onerror=x> k=2", 1e6, 0.5, 1e-6, True)

    svg = str(draw_ru_map([hostile, hostile._replace(utility=1.0)]))

    assert "<script>" not in svg
    assert "<img" not in svg
    ElementTree.fromstring(svg)


def test_what_tells_points_of_a_curve_apart_is_written_beside_them():
    assert [short_label(p, MAP[:4]) for p in MAP[:4]] == ["k=2", "k=3", "k=5", "k=9"]


def test_many_series_all_look_different():
    assert len({look(s) for s in range(32)}) == 32
