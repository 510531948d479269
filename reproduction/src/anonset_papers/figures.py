"""Choose rows of figures, compare them, and make plots and tables of them."""

from collections.abc import Mapping
from typing import NamedTuple

from anonset_papers.claims import Plot, Row, Rows, Series, Table, Value

TITLES = {
    "aa": "Apriori (AA)",
    "aa, lazy": "AA, our order",
    "aa, support": "Apriori, leaves by support",
    "coat": "COAT",
    "coat, rarest": "COAT, rarest item",
    "coat, first": "COAT, first item",
    "pcta": "PCTA",
    "upcta": "UPCTA",
    "oa": "OA",
    "da": "DA",
}
HEADERS = {
    "data": "data",
    "algorithm": "algorithm",
    "records": "records",
    "are": "AvgRE",
    "subsets": "AvgRE, subsets",
    "drawn": "AvgRE, random sets",
    "ul": "UL, log2",
    "ncp": "NCP",
    "cpu": "CPU s",
    "lazy": "CPU s, our order",
    "lazy_ncp": "NCP, our order",
    "mb": "MB",
    "nodes": "count-tree nodes",
    "steps": "steps",
    "cuts": "cuts visited",
    "leaves": "leaves by",
    "largest": "largest item",
    "outcome": "outcome",
}


class Ratio(NamedTuple):
    """One algorithm's figure over another's, under one setting."""

    setting: str
    value: float


def done(*experiments: Rows) -> list[Row]:
    """The rows of runs with a release."""
    return [row for rows in experiments for row in rows if row.get("outcome", "done") == "done"]


def pick(rows: Rows, **where: Value) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in where.items())]


def renamed(rows: Rows, names: Mapping[str, str]) -> list[Row]:
    """The rows with one algorithm in the place of another: {"coat": "coat, rarest"} judges what the latter did as COAT."""
    gone, new = set(names) | set(names.values()), {shown: name for name, shown in names.items()}
    kept = [row for row in rows if row["algorithm"] not in gone]
    return kept + [{**row, "algorithm": new[str(row["algorithm"])]} for row in rows if row["algorithm"] in new]


def number(row: Row, name: str) -> float:
    """A figure of a row."""
    value = row[name]
    assert not isinstance(value, str), f"{name} is a figure"
    return float(value)


def by_setting(rows: Rows, field: str, by: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Under each setting the figure of each algorithm that has it: {"WV1, k=5": {"aa": .., "coat": ..}}."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if field in row:
            found.setdefault(setting(row, by), {})[str(row["algorithm"])] = number(row, field)
    return found


def setting(row: Row, by: tuple[str, ...]) -> str:
    """The name of the setting of a row: texts as they are, numbers with their name."""
    return ", ".join(str(row[name]) if isinstance(row[name], str) else f"{name}={row[name]}" for name in by)


def ratios(rows: Rows, field: str, over: str, under: str, by: tuple[str, ...]) -> list[Ratio]:
    """The figure of `over` in terms of that of `under`, wherever both have one."""
    found = by_setting(rows, field, by)
    return [
        Ratio(name, figures[over] / figures[under])
        for name, figures in found.items()
        if over in figures and figures.get(under, 0.0) > 0.0
    ]


def along(rows: Rows, x: str, y: str) -> tuple[list[float], list[float]]:
    """The figures y over x, by rising x."""
    pairs = sorted((number(row, x), number(row, y)) for row in rows if y in row)
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def lines(rows: Rows, x: str, y: str, title: str, *, x_label: str = "", y_label: str = "", log: bool = False) -> Plot:
    """A line an algorithm, in the order of the rows."""
    series = []
    for name in dict.fromkeys(str(row["algorithm"]) for row in rows):
        own = [row for row in rows if row["algorithm"] == name and y in row]
        series.append(
            Series(TITLES.get(name, name), tuple(row[x] for row in own), tuple(number(row, y) for row in own)),
        )
    return Plot(title, x_label or x, y_label or HEADERS.get(y, y), tuple(series), log=log)


def table(rows: Rows, columns: tuple[str, ...], *, names: Mapping[str, str] | None = None) -> Table:
    """The columns of the rows; empty where a row has no such figure."""
    header = tuple({**HEADERS, **(names or {})}.get(name, name) for name in columns)
    return Table(header, tuple(tuple(_shown(name, row.get(name, "")) for name in columns) for row in rows))


def _shown(name: str, value: Value) -> Value:
    return TITLES.get(str(value), value) if name == "algorithm" else value
