"""Programs with which the reader of a release counts in it: in pandas, polars, SQL and R. The tests run them.

A program asks one question, of the items or of a column, and prints how many records certainly and possibly meet it and how
many may be expected to, every value behind a label being as likely as the others.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.sets import times_of

DATABASE = "release.duckdb"
CELLS = ("csv", "xlsx")  # formats whose cells are texts
LINES = ("jsonl", "fimi")  # formats with a record a line
FRAMES = {
    "pandas": {
        "csv": "pd.read_csv({}, dtype=str, keep_default_na=False)",
        "xlsx": 'pd.read_excel({}, engine="openpyxl", dtype=str, keep_default_na=False)',
        "parquet": "pd.read_parquet({})",
        "feather": "pd.read_feather({})",
    },
    "polars": {
        "csv": "pl.read_csv({}, infer_schema=False)",
        "xlsx": 'pl.read_excel({}, engine="openpyxl", infer_schema_length=0)',
        "parquet": "pl.read_parquet({})",
        "feather": "pl.read_ipc({})",
    },
}
SHORT = {"pandas": "pd", "polars": "pl"}
GUARDED = re.compile(r"^('*[=+\-@\t\r])")  # what gets an apostrophe in front in CSV files
WORD = re.compile(r"[\w.:*/-]+")  # needs no quotes in a condition
KEYWORDS = {"and", "or", "not", "in", "is", "between", "contains", "all", "any", "of", "missing", "null"}
READABLE = ("csv", "xlsx", "parquet", "feather", "jsonl", "fimi")


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """How many records have an item, a value, or a number from `low` to `high` in an attribute."""

    attribute: str
    kind: str  # items, uncertain, ranges or values
    value: str = ""
    low: float = 0
    high: float = 0
    whole: bool = True

    @property
    def condition(self) -> str:
        """The question for `anonset count`."""
        name = quoted(self.attribute)
        if self.kind == "ranges":
            return f"{name} between {_number(self.low)} and {_number(self.high)}"
        return f"{name} {'=' if self.kind == 'values' else 'contains'} {quoted(self.value)}"


def quoted(text: str) -> str:
    """A name or value as conditions have it."""
    if WORD.fullmatch(text) and text.lower() not in KEYWORDS:
        return text
    return next((f"{mark}{text}{mark}" for mark in "\"'`" if mark not in text), text)


def questions(original: Dataset, release: Release) -> list[CountQuestion]:
    """A question about the items and one about a column, where there are some; of published values and labels alone."""
    quasi = sorted(release.quasi, key=_is_exact)  # those with labels for several values first
    column = next((found for one in quasi if (found := _of_column(one, original)) is not None), None)
    return [found for found in (_of_items(release, original.item_column), column) if found is not None]


def _of_items(release: Release, name: str) -> CountQuestion | None:
    """The commonest exact item that is also behind labels; else the first of the commonest label."""
    items = release.items
    if isinstance(items, UncertainItems):
        times = np.bincount(items.base, minlength=1)
        return CountQuestion(name, "uncertain", items.domain[int(times.argmax())]) if times.any() else None
    if not isinstance(items, GeneralizedItems) or not len(items.shown):
        return None
    labels, times = items.labels, times_of(items.shown, len(items.labels))
    wide = labels.sizes > 1
    often, behind = np.zeros(len(items.domain)), np.zeros(len(items.domain), np.bool_)
    often[labels.members[labels.offsets[:-1][~wide]]] = times[~wide]
    behind[labels.members[np.repeat(wide, labels.sizes)]] = True
    if (often * behind).any() or not wide.any():
        return CountQuestion(name, "items", items.domain[int((often * behind if behind.any() else often).argmax())])
    return CountQuestion(name, "items", items.domain[labels.members[labels.offsets[int(np.where(wide, times, 0).argmax())]]])


def _is_exact(column: PublishedColumn) -> bool:
    labels = column.labels
    return bool((labels.low == labels.high).all() if isinstance(labels, Ranges) else (labels.sizes == 1).all())


def _of_column(column: PublishedColumn, original: Dataset) -> CountQuestion | None:
    """From the least number to an end in the middle, or the first value of the commonest label; None if it has one value."""
    labels, times = column.labels, np.bincount(column.codes[column.codes >= 0], minlength=1)
    used = np.flatnonzero(times)
    if isinstance(labels, Ranges):
        low, high = labels.low[used], np.unique(labels.high[used])
        if not len(used) or low.min() == high.max():
            return None
        whole = bool((low == np.floor(low)).all() and (high == np.floor(high)).all())
        middle = high[(len(high) - 1) // 2] if len(high) > 1 else low.min()
        return CountQuestion(column.name, "ranges", low=float(low.min()), high=float(middle), whole=whole)
    given = original.column(column.name)
    if given.kind != "categorical" or len(labels.members) < 2:
        return None
    return CountQuestion(column.name, "values", given.domain[labels.members[labels.offsets[int(times.argmax())]]])


def snippets(guide: Mapping[str, Any], question: CountQuestion, *, parts: bool) -> dict[str, str]:
    """The programs by their language; pandas and polars only for formats that are built in."""
    found = {language: _python(language, guide, question, parts=parts) for language in FRAMES if guide["format"] in READABLE}
    return found | {"SQL": sql(question), "R": _r(question)}


def sql(question: CountQuestion) -> str:
    """The query of the database that `anonset export` makes."""
    name = question.attribute.replace('"', '""')
    if question.kind != "ranges":
        where = f"attribute = {_sql(question.attribute)} and value = {_sql(question.value)}"
        return f"select low, expected, high from counts where {where};"
    low, high, one = _number(question.low), _number(question.high), " + 1" if question.whole else ""
    lo, hi = f'"{name}.lo"', f'"{name}.hi"'
    width = f"{hi} - {lo}{one}"
    return f"""select
  count(*) filter ({lo} >= {low} and {hi} <= {high}) as low,
  sum(case when {lo} >= {low} and {hi} <= {high} then 1.0
           when {hi} >= {low} and {lo} <= {high} then (least({hi}, {high}) - greatest({lo}, {low}){one}) / ({width})
           else 0.0 end) as expected,
  count(*) filter ({hi} >= {low} and {lo} <= {high}) as high
from records;"""


def _r(question: CountQuestion) -> str:
    query = "\n".join(f"  {line}" for line in sql(question).replace("\\", "\\\\").replace('"', '\\"').split("\n"))
    return f"""library(DBI)
con <- dbConnect(duckdb::duckdb(), "{DATABASE}", read_only = TRUE)
dbGetQuery(con, "
{query}
")
dbDisconnect(con, shutdown = TRUE)"""


def _python(library: str, guide: Mapping[str, Any], question: CountQuestion, *, parts: bool) -> str:
    attribute = next(one for one in guide["attributes"] if one["name"] == question.attribute)
    imports = ["import json", *(["from math import comb"] if question.kind == "uncertain" else [])]
    imports += ["from pathlib import Path"]
    short = SHORT[library]
    lines = [
        *imports,
        "",
        f"import {library} as {short}",
        "",
        'about = json.loads(Path("about.json").read_text(encoding="utf-8"))',
    ]
    lines += [f'guide = next(one for one in about["attributes"] if one["name"] == {_text(question.attribute)})']
    lines += _records(library, guide, attribute, question, parts=parts)
    lines += ["", "", *JUDGES[question.kind](question), "", ""]
    names = 'columns=["low", "expected", "high"]' if library == "pandas" else 'schema=["low", "expected", "high"], orient="row"'
    lines += [f"judged = {short}.DataFrame([judge(*one) for one in shown], {names})", "print(judged.sum())"]
    return "\n".join(lines)


def _records(
    library: str, guide: Mapping[str, Any], attribute: Mapping[str, Any], question: CountQuestion, *, parts: bool
) -> list[str]:
    """Lines that make `shown`: what each record shows of the attribute, as arguments of `judge`."""
    format, file, short = guide["format"], _text(guide["file"]), SHORT[library]
    if format in LINES:
        files = f"sorted(Path({file}).iterdir())" if parts else f"[Path({file})]"
        lines = [
            "lines = []",
            f"for file in {files}:",
            '    with file.open(encoding="utf-8") as part:',
            "        lines += part",
        ]
        return [*lines, *_of_lines(attribute, question, format)]
    read = FRAMES[library][format]
    frames = f"{short}.concat([{read.format('file')} for file in sorted(Path({file}).iterdir())])"
    lines_ = [f"records = {frames if parts else read.format(file)}"]
    return lines_ + (_of_cells(library, attribute, question, format) if format in CELLS else _of_values(attribute, question))


def _of_lines(attribute: Mapping[str, Any], question: CountQuestion, format: str) -> list[str]:
    name = _text(question.attribute)
    if format == "fimi":
        tokens = 'tokens = [[guide.get("numbers", {}).get(number, number) for number in line.split()] for line in lines]'
        if question.kind == "items":
            return [tokens, 'labels = guide.get("generalized", {})', _labelled("some", "tokens")]
        return [
            "rows = [line.split() for line in lines]  # the last number of a row is its bound of errors",
            'tokens = [[guide["numbers"].get(number, number) for number in row[:-1]] for row in rows]',
            *_marks(attribute),
            f"shown = [(*split(some), int(row[-1]) - {attribute['errors_from']}) for some, row in zip(tokens, rows)]",
        ]
    shown = {
        "items": "shown = [([one if isinstance(one, list) else [one] for one in value],) for value in values]",
        "uncertain": 'shown = [(value["base"], value["uncertain"], value["errors"]) for value in values]',
        "ranges": f'ends = [value if isinstance(value, dict) else {{"lo": value, "hi": value}} for value in values]\n{_ENDS}',
        "values": 'shown = [(value["any"] if isinstance(value, dict) else [value],) for value in values]',
    }
    return [f"values = [json.loads(line)[{name}] for line in lines]", shown[question.kind]]


_ENDS = 'shown = [(one["lo"], one["hi"]) for one in ends if one["lo"] is not None]'


def _of_cells(library: str, attribute: Mapping[str, Any], question: CountQuestion, format: str) -> list[str]:
    header = GUARDED.sub(r"'\1", attribute["column"]) if format == "csv" else attribute["column"]
    cells = f"records[{_text(header)}]"
    if format == "csv":  # spreadsheets would run such a cell
        guarded = f'r"^\'{GUARDED.pattern[1:]}", ' + ('r"\\1", regex=True' if library == "pandas" else '"${1}"')
        cells += f".str.replace({guarded})"
    if library == "polars":
        cells += '.fill_null("")'
    lines = [f"cells = {cells}"]
    if question.kind in ("items", "uncertain"):
        lines.append(f"tokens = [cell.split({_text(attribute['separator'])}) if cell else [] for cell in cells]")
    if question.kind == "uncertain":
        errors = f"records[{_text(attribute['errors_column'])}]"
        return [*lines, *_marks(attribute), f"shown = [(*split(some), int(most)) for some, most in zip(tokens, {errors})]"]
    lines.append('labels = guide.get("generalized", {})  # what each label stands for')
    if question.kind == "items":
        return [*lines, _labelled("some", "tokens")]
    if question.kind == "ranges":
        return [*lines, 'ends = [labels.get(cell) or {"lo": float(cell), "hi": float(cell)} for cell in cells if cell]', _ENDS]
    return [*lines, "shown = [(labels.get(cell, [cell]) if cell else [],) for cell in cells]"]


def _of_values(attribute: Mapping[str, Any], question: CountQuestion) -> list[str]:
    columns = {part: f"records[{_text(name)}]" for part, name in attribute.get("columns", {}).items()}
    if question.kind == "uncertain":
        return [f"shown = list(zip({columns['base']}, {columns['uncertain']}, {columns['errors']}))"]
    if question.kind == "ranges" and columns:
        return [f"shown = [(lo, hi) for lo, hi in zip({columns['lo']}, {columns['hi']}) if lo is not None and lo == lo]"]
    values = f"records[{_text(attribute['column'])}]"
    if question.kind == "ranges":
        return [f"shown = [(value, value) for value in {values} if value is not None and value == value]"]
    labels = 'labels = guide.get("generalized", {})  # what each label stands for'
    if question.kind == "items":
        return [labels, _labelled("some", values)]
    return [labels, f"shown = [(labels.get(value, [value]) if isinstance(value, str) else [],) for value in {values}]"]


def _labelled(one: str, many: str) -> str:
    return f"shown = [([labels.get(label, [label]) for label in {one}],) for {one} in {many}]"


def _marks(attribute: Mapping[str, Any]) -> list[str]:
    """A function that tells marked items apart."""
    before, after = attribute["marks"]["possible"].split("ITEM")
    end = attribute["marks"]["doubted"].split("ITEM")[1]
    return f"""

def split(tokens):
    \"\"\"The base set of a record, and its uncertain items.\"\"\"
    absent = [one for one in tokens if one.startswith({_text(before)}) and one.endswith({_text(after)})]
    doubted = [one for one in tokens if one.endswith({_text(end)}) and one not in absent]
    sure = [one for one in tokens if one not in absent and one not in doubted]
    doubted = [one[: -{len(end)}] for one in doubted]
    return sure + doubted, doubted + [one[{len(before)} : -{len(after)}] for one in absent]

""".split("\n")


def _judge_items(question: CountQuestion) -> list[str]:
    return f"""def judge(labels, wanted={_text(question.value)}):
    \"\"\"Whether a record certainly has an item, how likely it does, and whether it possibly does.\"\"\"
    exact = {{names[0] for names in labels if len(names) == 1}}
    if wanted in exact:
        return 1, 1.0, 1
    none = 1.0
    for names in labels:
        rest = set(names) - exact  # an exact item is not expected once more behind a label
        if wanted in rest:
            none *= 1 - 1 / len(rest)
    return 0, 1 - none, int(none < 1)""".split("\n")


def _judge_doubts(question: CountQuestion) -> list[str]:
    return f"""def judge(base, uncertain, errors, wanted={_text(question.value)}):
    \"\"\"Whether a record certainly has an item, how likely it does, and whether it possibly does.\"\"\"
    if errors == 0 or wanted not in uncertain:
        return (1, 1.0, 1) if wanted in base else (0, 0.0, 0)
    n = len(uncertain)  # at most `errors` of these are wrong, and every such set is as likely
    wrong = sum(comb(n - 1, s) for s in range(errors)) / sum(comb(n, s) for s in range(errors + 1))
    return 0, 1 - wrong if wanted in base else wrong, 1""".split("\n")


def _judge_ranges(question: CountQuestion) -> list[str]:
    one = " + 1" if question.whole else ""
    return f"""def judge(lo, hi, low={_number(question.low)}, high={_number(question.high)}):
    \"\"\"Whether a range is certainly inside another, how likely its number is, and whether it possibly is.\"\"\"
    if low <= lo and hi <= high:
        return 1, 1.0, 1
    if hi < low or lo > high:
        return 0, 0.0, 0
    return 0, (min(hi, high) - max(lo, low){one}) / (hi - lo{one}), 1""".split("\n")


def _judge_values(question: CountQuestion) -> list[str]:
    return f"""def judge(values, wanted={_text(question.value)}):
    \"\"\"Whether a label certainly is a value, how likely it is, and whether it possibly is.\"\"\"
    if wanted not in values:
        return 0, 0.0, 0
    return int(len(values) == 1), 1 / len(values), 1""".split("\n")


JUDGES = {"items": _judge_items, "uncertain": _judge_doubts, "ranges": _judge_ranges, "values": _judge_values}


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _text(value: str) -> str:
    """A text as a literal of Python."""
    return json.dumps(value, ensure_ascii=False)


def _sql(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
