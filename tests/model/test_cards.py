from html.parser import HTMLParser

from anonset.model.cards import LONGEST, bullets, card, heading, line, side_by_side, table


class Page(HTMLParser):
    """The text of a page whose tags are all closed, in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts, self.tags = [], [], set()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_everything_is_escaped_and_closed():
    odd = "<script>&"
    parts = (line(odd, mark="!"), heading(odd), bullets([odd]), table([odd], [[odd], [None]], caption=odd))

    page = Page(card(odd, side_by_side(*parts)))

    assert "script" not in page.tags
    assert page.texts.count(odd) == 6
    assert f"! {odd}" in page.texts


def test_cells_are_numbers_or_texts_of_some_length():
    page = Page(table(["a"], [[1234567], [0.123456], ["x" * (LONGEST + 1)], [True]]))

    assert page.texts == ["a", "1,234,567", "0.1235", "x" * (LONGEST - 1) + "…", "True"]


def test_an_empty_list_is_nothing():
    assert bullets([]) == ""
