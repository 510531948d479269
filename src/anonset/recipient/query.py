"""Conditions on records: a small language, and what it means for columns and items.

    age < 40 and diagnoses contains I10
    20 <= age < 40 and (town in (Oslo, Bergen) or not income is missing)
    diagnoses contains any of (I10, I11) and not diagnoses contains E11

A condition becomes alternatives; each is one region for every column, item sets of which one item must be in the record, and
items of which none may be.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, NoReturn

import polars as pl

from anonset.errors import InputError, unknown
from anonset.recipient.regions import FIRST, LAST, Region, Value

DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
MOST_ALTERNATIVES = 8  # all of their combinations are looked at


@dataclass(frozen=True, slots=True)
class Alternative:
    """Records whose columns are in these regions, with an item of each of `some`, and none of `absent`."""

    columns: Mapping[str, Region] = field(default_factory=dict)
    some: frozenset[frozenset[str]] = frozenset()
    absent: frozenset[str] = frozenset()

    def __and__(self, other: "Alternative") -> "Alternative":
        columns = dict(self.columns)
        for name, region in other.columns.items():
            columns[name] = columns[name] & region if name in columns else region
        return Alternative(columns, self.some | other.some, self.absent | other.absent)

    @property
    def items(self) -> frozenset[str]:
        """All items it is about."""
        return frozenset().union(self.absent, *self.some)


Condition = tuple[Alternative, ...]
ANYBODY: Condition = (Alternative(),)


class Fields(NamedTuple):
    """The columns that a condition can be about, with whether each has numbers; and the column of items."""

    numeric: Mapping[str, bool]
    items: str | None

    def value(self, name: str, value: Any) -> Value:
        """A value to compare a column with: a number for a column of numbers, else a text."""
        if self.numeric[name]:
            if isinstance(value, bool):
                raise InputError(f"{name!r} has numbers; got {value!r}")
            try:
                return float(value)
            except (TypeError, ValueError):
                raise InputError(f"{name!r} has numbers; got {value!r}") from None
        return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)

    def compared(self, name: str, sign: str, value: Any) -> Region:
        """The values that compare with a value in this way; of texts only dates have an order."""
        end = self.value(name, value)
        if sign in ("=", "!="):
            region = Region.of([end])
            return region if sign == "=" else region.inverted
        if isinstance(end, str) and not DATE.fullmatch(end):
            raise InputError(f"{name!r} has texts, and only dates such as 2024-01-31 have an order: write = or in")
        if sign in ("<", "<="):
            return Region.between(None, end, high_in=sign == "<=")
        return Region.between(end, None, low_in=sign == ">=")

    def require(self, name: str) -> None:
        """Raise unless there is such a column."""
        if name not in self.numeric and name != self.items:
            raise InputError(unknown("column", name, [*self.numeric, *([self.items] if self.items else [])]))


def both(first: Condition, second: Condition) -> Condition:
    """Records that meet two conditions."""
    return _limited([a & b for a, b in product(first, second)])


def either(first: Condition, second: Condition) -> Condition:
    """Records that meet one of two conditions; two that are about the same single thing become one."""
    found = list(first)
    for b in second:
        for place, a in enumerate(found):
            if (one := _united(a, b)) is not None:
                found[place] = one
                break
        else:
            found.append(b)
    return _limited(found)


def _united(a: Alternative, b: Alternative) -> Alternative | None:
    if a == b:
        return a
    if not (a.absent or b.absent or a.some or b.some) and len(a.columns) == 1 and a.columns.keys() == b.columns.keys():
        (name,) = a.columns
        return Alternative({name: a.columns[name] | b.columns[name]})
    if not (a.absent or b.absent or a.columns or b.columns) and len(a.some) == len(b.some) == 1:
        return Alternative(some=frozenset([frozenset().union(*a.some, *b.some)]))
    return None


def _limited(found: list[Alternative]) -> Condition:
    distinct = [a for n, a in enumerate(found) if a not in found[:n]]
    if len(distinct) > MOST_ALTERNATIVES:
        raise InputError(
            f"a condition of {len(distinct)} alternatives; at most {MOST_ALTERNATIVES} are counted together: "
            "name several values with `in (...)`, or count the alternatives one by one"
        )
    return tuple(distinct)


def column_condition(name: str, region: Region) -> Condition:
    """Records whose column is in a region."""
    return (Alternative({name: region}),)


def any_item(items: Iterable[str], *, absent: bool = False) -> Condition:
    """Records with at least one of the items, or with none of them."""
    named = frozenset(items)
    return (Alternative(absent=named),) if absent else (Alternative(some=frozenset([named])),)


def all_items(items: Iterable[str], *, absent: bool = False) -> Condition:
    """Records with all of the items, or without one of them."""
    if absent:
        return _limited([Alternative(absent=frozenset([item])) for item in dict.fromkeys(items)])
    return (Alternative(some=frozenset(frozenset([item]) for item in items)),)


def condition_of(where: Any, fields: Fields, items: Iterable[str] = (), absent: Iterable[str] = ()) -> Condition:
    """The condition of a text, of a polars expression, or of a mapping from columns to a value, a list of values or a pair
    (low, high) of numbers.
    """
    found = ANYBODY
    if isinstance(where, str):
        found = parsed(where, fields)
    elif isinstance(where, pl.Expr):
        from anonset.recipient.expressions import condition_of_expression

        found = condition_of_expression(where, fields)
    elif isinstance(where, Mapping):
        for name, wanted in where.items():
            found = both(found, column_condition(name, region_of(name, wanted, fields)))
    elif where is not None:
        raise InputError(
            "a condition is a text such as 'age < 40', a polars expression, or a mapping of columns to values; "
            f"got {type(where).__name__}"
        )
    if items := _names(items):
        found = both(found, all_items(items))
    if absent := _names(absent):
        found = both(found, any_item(absent, absent=True))
    if fields.items is None and any(alternative.items for alternative in found):
        raise InputError("the release has no items to ask for")
    return found


def _names(items: Iterable[str]) -> list[str]:
    """Names of items; one text is one item."""
    return [items] if isinstance(items, str) else [str(item) for item in items]


def region_of(name: str, wanted: Any, fields: Fields) -> Region:
    """A value, a list of values, or a pair of numbers: from one to the other, both included."""
    fields.require(name)
    if name == fields.items:
        raise InputError(f"{name!r} is the column of items: give them as items=[...]")
    if wanted is None:
        return Region(missing=True)
    if isinstance(wanted, tuple) and len(wanted) == 2 and fields.numeric[name]:
        low, high = (None if end is None else fields.value(name, end) for end in wanted)
        return Region.between(low, high)
    if isinstance(wanted, list | tuple | set | frozenset):
        return Region.of(fields.value(name, value) for value in wanted)
    return Region.of([fields.value(name, wanted)])


TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*'|`[^`]*`)|(?P<sign><=|>=|!=|<>|==|[=<>(),\[\]])|(?P<word>[^\s"'`()<>=!,\[\]]+))"""
)
SIGNS = {"==": "=", "<>": "!="}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
OPEN, CLOSE = ("(", "["), (")", "]")


class QueryToken(NamedTuple):
    """A sign, a word or a quoted text, and where it begins."""

    text: str
    kind: str
    place: int

    def says(self, *words: str) -> bool:
        """Whether it is one of these words or signs, without quotes."""
        return self.kind != "quoted" and self.text.lower() in words


def parsed(text: str, fields: Fields) -> Condition:
    """The condition that a text states."""
    return _Parser(text, fields).whole()


class _Parser:
    """Reads `or`, `and`, `not` and tests, from the loosest to the tightest."""

    def __init__(self, text: str, fields: Fields) -> None:
        self.text, self.fields, self.place = text, fields, 0
        self.tokens: list[QueryToken] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            found = TOKEN.match(text, at)
            if found is None:
                self.refuse(
                    "a quotation that does not end" if text[at:].lstrip()[:1] in "\"'`" else "a sign without meaning", at
                )
            kind = str(found.lastgroup)
            inner = found[kind][1:-1] if kind == "quoted" else found[kind]
            self.tokens.append(QueryToken(SIGNS.get(inner, inner) if kind == "sign" else inner, kind, found.start(kind)))
            at = found.end()

    def refuse(self, why: str, place: int | None = None) -> NoReturn:
        """Raise an error that names the place in the text."""
        if place is None:
            place = self.tokens[self.place].place if self.place < len(self.tokens) else len(self.text)
        raise InputError(f"{why} at character {place + 1} of the condition {self.text!r}")

    @property
    def next(self) -> QueryToken:
        """The next token; one that says nothing at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else QueryToken("", "end", len(self.text))

    def take(self, *words: str) -> bool:
        """Whether the next token is one of these; if so it is passed."""
        if self.next.kind != "end" and self.next.says(*words):
            self.place += 1
            return True
        return False

    def whole(self) -> Condition:
        """The condition of all tokens."""
        found = self.any_of(inverted=False)
        if self.next.kind != "end":
            self.refuse(f"`and`, `or` or the end is expected; got {self.next.text!r}")
        return found

    def any_of(self, *, inverted: bool) -> Condition:
        found = self.all_of(inverted=inverted)
        while self.take("or"):
            found = (both if inverted else either)(found, self.all_of(inverted=inverted))
        return found

    def all_of(self, *, inverted: bool) -> Condition:
        found = self.one(inverted=inverted)
        while self.take("and"):
            found = (either if inverted else both)(found, self.one(inverted=inverted))
        return found

    def one(self, *, inverted: bool) -> Condition:
        if self.take("not"):
            return self.one(inverted=not inverted)
        if self.take("("):
            found = self.any_of(inverted=inverted)
            if not self.take(")"):
                self.refuse("a closing bracket is expected")
            return found
        return self.test(inverted=inverted)

    def test(self, *, inverted: bool) -> Condition:
        first = self.word("a column")
        turned = any(map(self.is_column, self.tokens[self.place + 1 : self.place + 2])) and not self.is_column(first)
        if turned and self.next.says(*TURNED):
            sign = TURNED[self.sign()]
            name = self.column(self.word("a column"))
            region = self.compared(name, sign, first.text)
            if self.next.says(*TURNED):
                region &= self.compared(name, self.sign(), self.word("a value").text)
            return column_condition(name, region.inverted if inverted else region)
        name = self.column(first)
        return self.of_items(inverted=inverted) if name == self.fields.items else self.of_column(name, inverted=inverted)

    def of_items(self, *, inverted: bool) -> Condition:
        """What follows the column of items."""
        inverted ^= self.take("not")
        if not self.take("contains"):
            self.refuse(f"`contains` is expected after the column of items; got {self.next.text!r}")
        every = not self.take("any")
        if every:
            self.take("all")
        self.take("of")
        values = self.values() if self.next.says(*OPEN) else [self.word("an item").text]
        return all_items(values, absent=inverted) if every else any_item(values, absent=inverted)

    def of_column(self, name: str, *, inverted: bool) -> Condition:
        """What follows any other column."""
        if self.take("is"):
            inverted ^= self.take("not")
            if not self.take("missing", "null"):
                self.refuse("`missing` is expected")
            return column_condition(name, Region((FIRST, LAST)) if inverted else Region(missing=True))
        inverted ^= self.take("not")
        if self.take("in"):
            region = Region.of(self.value(name, value) for value in self.values())
        elif self.take("between"):
            low = self.word("a value").text
            if not self.take("and"):
                self.refuse("`and` is expected between the two ends")
            region = self.compared(name, ">=", low) & self.compared(name, "<=", self.word("a value").text)
        elif self.next.says("contains"):
            self.refuse(f"{name!r} has one value in a record: write = or in")
        else:
            region = self.compared(name, self.sign(), self.word("a value").text)
        return column_condition(name, region.inverted if inverted else region)

    def sign(self) -> str:
        if not self.next.says(*TURNED):
            self.refuse("a comparison (= != < <= > >= in between is) is expected")
        self.place += 1
        return self.tokens[self.place - 1].text

    def word(self, what: str) -> QueryToken:
        if self.next.kind not in ("word", "quoted"):
            self.refuse(f"{what} is expected")
        self.place += 1
        return self.tokens[self.place - 1]

    def values(self) -> list[str]:
        if not self.take(*OPEN):
            self.refuse("a list in brackets is expected")
        found = [self.word("a value").text]
        while self.take(","):
            found.append(self.word("a value").text)
        if not self.take(*CLOSE):
            self.refuse("a comma or a closing bracket is expected")
        return found

    def is_column(self, token: QueryToken) -> bool:
        return token.text in self.fields.numeric or token.text == self.fields.items

    def column(self, token: QueryToken) -> str:
        if not self.is_column(token):
            names = [*self.fields.numeric, *([self.fields.items] if self.fields.items else [])]
            self.refuse(unknown("column", token.text, names), token.place)
        return token.text

    def value(self, name: str, text: str) -> Value:
        try:
            return self.fields.value(name, text)
        except InputError as error:
            self.refuse(str(error), self.tokens[self.place - 1].place)

    def compared(self, name: str, sign: str, text: str) -> Region:
        try:
            return self.fields.compared(name, sign, text)
        except InputError as error:
            self.refuse(str(error), self.tokens[self.place - 1].place)
