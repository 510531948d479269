"""Golden entries of files: the data themselves, one release in every output format, one dataset from every input format, and
releases of data in pieces.
"""

import functools
import gzip
import json
import sqlite3
import tempfile
from pathlib import Path

import polars as pl

import anonset
from golden.data import FIELDS, people
from golden.releases import dataset, folder_of_people, hash_of, hashes_of, roles_of, rounded

OUTPUTS = ("csv", "parquet", "feather", "jsonl", "xlsx", "fimi")
WHOLE = {  # the parameters of algorithms that work on data in pieces, by kind of data
    "items": {
        "aa": {"k": 4, "m": 2},
        "vpa": {"k": 4, "m": 2},
        "pcta": {"k": 4, "m": 2},
        "upcta": {"k": 4, "m": 2},
        "coat": {"k": 4, "m": 2},
        "lift": {"k": 4, "m": 2},
        "lra": {"k": 4, "m": 2},
        "nr-k": {"k": 4, "seed": 3},
        "gray-ring": {"k": 4, "seed": 3},
    },
    "labelled-items": {"nr-l": {"l": 3, "seed": 3}, "cahd": {"l": 3, "seed": 3}},
    "relational": {"mondrian": {"k": 4}, "cluster": {"k": 4, "seed": 3}, "peel": {"k": 4}},
    "rt": {
        "r-first": {"k": 4, "m": 2, "seed": 3},
        "t-first": {"k": 4, "m": 2},
        **{f"rmerge-{by}": {"k": 4, "m": 2, "seed": 3, "delta": 0.7} for by in ("r", "t", "rt")},
        **{f"tmerge-{by}": {"k": 4, "m": 2, "seed": 3, "delta": 0.8} for by in ("r", "t", "rt")},
        "rt-search": {"k": 4, "m": 2, "seed": 3, "steps": "3+2"},
    },
}


def data_entries():
    """The made-up people and their hierarchies: where these change, everything does."""
    return {f"gaps={gaps}": lambda gaps=gaps: hashes_of(folder_of_people(gaps, 480)) for gaps in (True, False)}


def output_entries():
    """A release in every format that holds it, each as the table that its file holds."""
    found = {f"rt {format}": functools.partial(_written, "rt", format) for format in OUTPUTS if format != "fimi"}
    found |= {f"items {format}": functools.partial(_written, "items", format) for format in OUTPUTS}
    return found | {
        f"nonreciprocal {format}": functools.partial(_written, "labelled-rt", format) for format in OUTPUTS if format != "fimi"
    }


@functools.cache
def _release(kind):
    if kind == "labelled-rt":
        return anonset.anonymize(dataset(kind), "nr-k", k=4, seed=3)
    more = {"seed": 3, "delta": 0.7} if kind == "rt" else {}
    return anonset.anonymize(dataset(kind), "rmerge-rt" if kind == "rt" else "pcta", k=4, m=2, **more).with_margins()


def _written(kind, format):
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        if kind == "items" and format == "fimi":
            release = anonset.anonymize(_numbered_baskets(Path(place)), "aa", k=4, m=2)
        else:
            release = _release(kind)
        release.write(out, format=format, report=False, accept_loss=True)
        return contents_of(out / "published")


def _numbered_baskets(place):
    numbers = {item: str(number) for number, item in enumerate(sorted({i for p in people() for i in p.items}), 1)}
    (place / "baskets.dat").write_text("".join(" ".join(numbers[i] for i in person.items) + "\n" for person in people()))
    return anonset.read(place / "baskets.dat", item_hierarchy="balanced:3")


def contents_of(folder):
    """The files of a folder: of text the hash of its bytes, of tables in containers that of what is read back."""
    readers = {".parquet": pl.read_parquet, ".feather": pl.read_ipc, ".arrow": pl.read_ipc, ".xlsx": _sheets}
    hashes = hashes_of(folder)
    for name in hashes:
        reader = readers.get(Path(name).suffix)
        if reader is not None:
            hashes[name] = _table(reader(Path(folder) / name))
    return hashes


def _sheets(file):
    from openpyxl import load_workbook

    book = load_workbook(file)
    rows = [(sheet.title, *row) for sheet in book for row in sheet.iter_rows(values_only=True)]
    book.close()
    width = max(map(len, rows))
    return pl.DataFrame([[str(v) for v in row] + [""] * (width - len(row)) for row in rows], orient="row")


def _table(table):
    """A table as its height, its columns with their types, and the hash of its values."""
    columns = {name: str(kind) for name, kind in table.schema.items()}
    return {"rows": table.height, "columns": columns, "values": hash_of(json.dumps(table.rows(), default=str).encode())}


def input_entries():
    """The dataset that is read from each format: all of them are the same people."""
    return {name: functools.partial(_read, name) for name in INPUTS}


def _read(name):
    with tempfile.TemporaryDirectory() as place:
        source, settings = INPUTS[name](Path(place))
        data = anonset.read(source, **settings)
        if name in ("fimi", "spmf"):
            return {"records": len(data), "identity": _identity(data)}
        release = anonset.anonymize(
            data, "mondrian" if "items" not in settings else "rmerge-rt", **_simple("items" in settings)
        )
        release.write(Path(place) / "out", report=False, accept_loss=True)
        return {"records": len(data), "published": hashes_of(Path(place) / "out" / "published")}


def _simple(items):
    return {"k": 4, "m": 2, "seed": 3, "delta": 0.7, "items": "pcta"} if items else {"k": 4}


def _identity(data):
    return hash_of(
        json.dumps(anonset.anonymize(data, "pcta", k=4, m=2).to_polars(accept_loss=True).rows(), default=str).encode()
    )


def _settings(**more):
    folder = folder_of_people(True, 480)
    return roles_of("rt") | {"hierarchies": folder / "hierarchies"} | more


def _frame(lists=False):
    rows = [
        [None if value == "" and name != "items" else value for name, value in zip(FIELDS, p.row(), strict=True)]
        for p in people()
    ]
    frame = pl.DataFrame(rows, schema=list(FIELDS), orient="row")
    return frame.with_columns(pl.Series("items", [list(p.items) for p in people()], pl.List(pl.String))) if lists else frame


def _text(place, name, delimiter=",", pack=None):
    file = place / name
    content = _frame().write_csv(separator=delimiter).encode()
    file.write_bytes(pack(content) if pack else content)
    return file, _settings()


def _zstd(content):
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


def _via_polars(place, name, write):
    file = place / name
    write(_frame(lists=True), file)
    return file, _settings()


def _excel(place):
    from openpyxl import Workbook

    book = Workbook()
    for row in [FIELDS, *(p.row() for p in people())]:
        book.active.append([None if value == "" else value for value in row])
    book.save(place / "people.xlsx")
    return place / "people.xlsx", _settings()


def _long(place):
    _frame().drop("items").write_csv(place / "people.csv")
    _pairs().write_csv(place / "bought.csv")
    return place / "people.csv", _settings(id="person", long=place / "bought.csv", items="items")


def _pairs():
    return pl.DataFrame([(p.person, item) for p in people() for item in p.items], schema=["person", "items"], orient="row")


def _repeated(place):
    _frame().drop("items").join(_pairs(), on="person", how="left", maintain_order="left").write_csv(place / "rows.csv")
    return place / "rows.csv", _settings(id="person", repeated=True)


def _sqlite(place):
    with sqlite3.connect(place / "people.sqlite") as base:
        marks = ", ".join("?" * len(FIELDS))
        base.execute(f"create table people ({', '.join(FIELDS)})")
        base.executemany(f"insert into people values ({marks})", [[None if v == "" else v for v in p.row()] for p in people()])
    base.close()
    return f"sqlite:///{place / 'people.sqlite'}", _settings(table="people")


def _json(place):
    rows = [row | {"items": list(p.items)} for row, p in zip(_frame().to_dicts(), people(), strict=True)]
    (place / "people.json").write_text(json.dumps(rows))
    return place / "people.json", _settings()


def _baskets(place, name, line):
    numbers = {item: str(number) for number, item in enumerate(sorted({i for p in people() for i in p.items}), 1)}
    (place / name).write_text("".join(line([numbers[i] for i in p.items]) for p in people() if p.items))
    return place / name, {"item_hierarchy": "balanced:3"}


INPUTS = {
    "csv": lambda place: _text(place, "people.csv"),
    "tsv": lambda place: _text(place, "people.tsv", "\t"),
    "csv.gz": lambda place: _text(place, "people.csv.gz", pack=gzip.compress),
    "csv.zst": lambda place: _text(place, "people.csv.zst", pack=_zstd),
    "parquet": lambda place: _via_polars(place, "people.parquet", pl.DataFrame.write_parquet),
    "feather": lambda place: _via_polars(place, "people.feather", pl.DataFrame.write_ipc),
    "jsonl": lambda place: _via_polars(place, "people.jsonl", pl.DataFrame.write_ndjson),
    "json": _json,
    "xlsx": _excel,
    "long table": _long,
    "repeated rows": _repeated,
    "sqlite": _sqlite,
    "polars": lambda place: (_frame(lists=True), _settings()),
    "pandas": lambda place: (_frame(lists=True).to_pandas(), _settings()),
    "arrow": lambda place: (_frame(lists=True).to_arrow(), _settings()),
    "fimi": lambda place: _baskets(place, "baskets.dat", lambda items: " ".join(items) + "\n"),
    "spmf": lambda place: _baskets(place, "baskets.spmf", lambda items: " ".join(items) + "\n"),
}


def piece_entries():
    """Releases in parts of data that are read in pieces: three files of several row groups each."""
    found = {name: functools.partial(_in_pieces, kind, name, p) for kind, names in WHOLE.items() for name, p in names.items()}
    return found | {
        "r-first sensitive items": functools.partial(_in_pieces, "rt-sensitive", "r-first", {"k": 4, "m": 2, "l": 2, "seed": 3})
    }


def _in_pieces(kind, algorithm, parameters):
    with tempfile.TemporaryDirectory() as place:
        folder, out = Path(place) / "people", Path(place) / "out"
        folder.mkdir()
        for number in range(3):
            _frame(lists=True)[160 * number : 160 * (number + 1)].write_parquet(folder / f"{number}.parquet", row_group_size=40)
        tree = folder_of_people(True, 480) / "hierarchies"
        settings = roles_of(kind) | {
            "hierarchies": tree,
            "memory": "1GB",
            "jobs": 1,
            "accept_loss": True,
            "parameters": parameters,
        }
        anonset.anonymize_files(folder, out, algorithm, **settings)
        facts = rounded(anonset.load_files(out, folder, memory="1GB", jobs=1).measure())
        return {"facts": facts, "published": contents_of(out / "published")}
