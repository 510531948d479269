from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.report.drawings import draw_bars, draw_charts, draw_cut
from anonset.report.points import Bar, Bars, Block
from anonset.report.svg import axis, legend, short
from anonset.report.words import words_of

EN = words_of("en")
BARS = Bars("<b>Items", "share of records", "item", (Bar("US$5 or $6", 0.5, 0.25), Bar("<img onerror=x>", None, 1.0)))


@given(st.lists(st.floats(1e-6, 1e6), min_size=1), st.booleans(), st.booleans())
def test_an_axis_holds_its_values_and_has_a_few_round_marks(values, log, zero):
    found = axis("x", values, log=log, zero=zero)

    assert all(-1e-9 <= found.place(value) <= 1 + 1e-9 for value in values)
    assert all(found.low <= tick <= found.high + 1e-9 * abs(found.high) for tick, _ in found.ticks)
    assert len(found.ticks) <= 16


def test_marks_are_round_numbers():
    assert [said for _, said in axis("x", [0.0, 1.0], zero=True).ticks] == ["0", "0.5", "1"]
    by_ratios = axis("x", [1.0, 1000.0], log=True, room=0.0)
    assert [said for _, said in by_ratios.ticks] == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000"]


def test_bars_and_hierarchies_are_whole_drawings_of_escaped_texts(tmp_path):
    blocks = (Block("root <a>", 0.0, 1.0, 1, False), Block("x", 0.0, 0.5, 0, True), Block("y", 0.5, 1.0, 0, False))
    for drawing in (draw_bars(BARS, EN), draw_charts([BARS, BARS], "both", EN), draw_cut(blocks, "tree", EN)):
        root = ElementTree.fromstring(str(drawing))
        assert {element.tag.split("}")[1] for element in root.iter()} <= {"svg", "g", "text", "rect", "path"}
        drawing.save(tmp_path / "x.svg")
        assert (tmp_path / "x.svg").read_text(encoding="utf-8") == str(drawing) + "\n"
    assert "US$5 or $6" in str(draw_bars(BARS, EN))


@pytest.mark.parametrize(("text", "room", "shown"), [("abc", 100, "abc"), ("a" * 30, 68, "a" * 9 + "…")])
def test_texts_are_cut_to_their_room(text, room, shown):
    assert short(text, room) == shown


def test_a_legend_breaks_its_lines():
    _, bottom = legend([(lambda x, y: "", "a long name of a series")] * 4, 0, 0, 300)

    assert bottom == 18 * 4
