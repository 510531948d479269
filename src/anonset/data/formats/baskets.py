"""Item sets alone, one a line: FIMI (.dat) and SPMF.

A release is written as FIMI: one line of numbers a record, and a dictionary of them in the guide.
"""

import re
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import numpy as np
import polars as pl

from anonset.data._kernels.parse import empty_codebook, parse_integers
from anonset.data.coding import ItemSets, Table, whole_table
from anonset.data.files import File, chunks, fingerprint, trimmed
from anonset.data.formats.base import Format, Guide, Published, ReleaseFormat
from anonset.data.formats.tokens import coded, items_from_tokens, joined, split, token_sets
from anonset.errors import GuaranteeViolated, InputError, ParameterError
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of

COMMENT = re.compile(rb"^[@#%].*$", re.MULTILINE)
ITEM_NAME = re.compile(rb"^@ITEM=(-?\d+)=(.*?)\r?$", re.MULTILINE)
PLAIN = re.compile(rb"0|-?[1-9][0-9]{0,17}")
END_OF_ITEMSET, END_OF_SEQUENCE = -1, -2
FEW = 1 << 16  # bytes; smaller files are parsed without a kernel, which would have to be compiled


def read_fimi(path: File, progress: Progress = silent) -> Table:
    """Whole numbers separated by blanks, one record a line; an empty line is an empty set."""
    return whole_table(fimi_batches(path, progress), (fingerprint(path),))


def fimi_batches(path: File, progress: Progress = silent) -> Iterator[Table]:
    """The records of a FIMI file in batches."""
    first = 0
    for offsets, entries, numbers in _parsed(path, chunks(path, progress)):
        sets = ItemSets(offsets, entries, tuple(map(str, numbers.tolist())))
        yield Table({}, (), str(path), {"items": sets}, line=lambda row, first=first: first + row + 1)  # type: ignore[misc]
        first += len(sets)


def read_spmf(path: File, progress: Progress = silent) -> Table:
    """Itemsets, or sequences (with -1 and -2) taken as the set of their items; names come from @ITEM lines.

    Lines that begin with @, # or %, and empty lines, are no records.
    """
    return whole_table(spmf_batches(path, progress), (fingerprint(path),))


def spmf_batches(path: File, progress: Progress = silent) -> Iterator[Table]:
    """The records of an SPMF file in batches; a first pass finds the names of items."""
    names = _item_names(path)
    first, empty = 0, True
    for offsets, entries, numbers in _parsed(path, _without_comments(chunks(path, progress))):
        filled = np.flatnonzero(np.diff(offsets) > 0)
        markers = (numbers == END_OF_ITEMSET) | (numbers == END_OF_SEQUENCE)
        kept = ~markers[entries] if len(entries) else np.zeros(0, np.bool_)
        lengths = np.diff(offsets_of(kept)[offsets])[filled]
        number = np.cumsum(~markers) - 1
        texts = tuple(names.get(n, str(n)) for n in numbers[~markers].tolist())
        if len(set(texts)) != len(texts):
            raise InputError("@ITEM gives one name to two items", file=str(path))
        sets = ItemSets(offsets_of(lengths), number[entries[kept]].astype(np.int32), texts)
        lines = first + filled + 1
        first += len(offsets) - 1
        if len(filled):
            empty = False
            yield Table({}, (), str(path), {"items": sets}, line=lambda row, lines=lines: int(lines[row]))  # type: ignore[misc]
    if empty:
        raise InputError("has no records", file=str(path))


def _parsed(path: File, pieces: Iterator[bytes]) -> Iterator[tuple[Offsets, Ids, Rows]]:
    """The records of each chunk of lines: offsets, codes, and the numbers that have codes so far."""
    whole = _whole_lines(pieces)
    first: list[bytes] = []
    while sum(map(len, first)) <= FEW and (piece := next(whole, None)) is not None:
        first.append(piece)
    if 0 < sum(map(len, first)) <= FEW and (found := _parse_few(b"".join(first))) is not None:
        yield found
        return
    book = empty_codebook()
    n_lines = 0
    for piece in chain(first, whole):
        data = np.frombuffer(piece, np.uint8)
        line_ends, codes, keys, slots, numbers, known, stop = parse_integers(data, *book)
        book = (keys, slots, numbers, known)
        if stop >= 0:
            raise _unexpected(piece, stop, path, n_lines)
        n_lines += len(line_ends)
        yield np.append(np.int64(0), line_ends), codes, numbers[:known]
    if n_lines == 0:
        raise InputError("is empty", file=str(path))


def _parse_few(data: bytes) -> tuple[Offsets, Ids, Rows] | None:
    """Parse a few bytes without a kernel; None if anything in them is unexpected."""
    tokens = data.split()
    if not all(map(PLAIN.fullmatch, tokens)):
        return None
    lines = data.removesuffix(b"\n").split(b"\n")
    numbers = list(map(int, tokens))
    code = {number: i for i, number in enumerate(dict.fromkeys(numbers))}
    entries = np.array([code[number] for number in numbers], np.int32)
    return offsets_of([len(line.split()) for line in lines]), entries, np.array(list(code), np.int64)


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes in chunks that end at a line end."""
    rest: list[bytes] = []
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, piece[:cut]])
            rest = [piece[cut:]]
        else:
            rest.append(piece)
    if last := b"".join(rest):
        yield last


def _item_names(path: File) -> dict[int, str]:
    """The names of items that @ITEM lines give."""
    names: dict[int, str] = {}
    for piece in _whole_lines(chunks(path)):
        for number, name in ITEM_NAME.findall(piece) if b"@ITEM=" in piece else ():
            try:
                names[int(number)] = trimmed(name.decode("utf-8"))
            except UnicodeDecodeError:
                raise InputError("the names of @ITEM lines must be UTF-8 text", file=str(path)) from None
    return names


def _without_comments(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The lines with comments removed."""
    for piece in _whole_lines(pieces):
        yield COMMENT.sub(b"", piece) if COMMENT.search(piece) else piece


def _unexpected(piece: bytes, start: int, path: File, lines_before: int) -> InputError:
    line = lines_before + piece.count(b"\n", 0, start) + 1
    token = piece[start : start + 40].split(maxsplit=1)[0].decode("utf-8", errors="replace")
    shown = token if token.isprintable() else "bytes that are not text"
    column = start - (piece.rfind(b"\n", 0, start) + 1) + 1
    return InputError(
        f"whole numbers (at most 18 digits, no leading zeros) with blanks between are expected; got {shown!r}",
        file=str(path),
        line=line,
        column=column,
    )


CHUNK = 500_000  # records turned into text at a time


def write(release: Release, original: Dataset, path: Path, whole: PublishedItems | None = None) -> list[Guide]:
    """Write the records; the guide says what the numbers mean. In a part, `whole` has the items of all parts."""
    if release.items is None or release.columns:
        raise ParameterError("the format fimi holds item sets and nothing else; choose csv, parquet or jsonl")
    sets = token_sets(release.items, original.item_column)
    everything = sets if whole is None else token_sets(whole, original.item_column)
    used = [everything.tokens[c] for c in np.unique(everything.codes)]
    number = _numbers(used, _named(whole or release.items))
    texts = [str(number.get(token, "")) for token in sets.tokens]
    guide = everything.guide | {"numbers": {str(value): token for token, value in number.items() if str(value) != token}}
    bounds = None
    if sets.errors is not None:
        start = max(number.values(), default=0) + 1
        guide["errors_from"] = start  # the last number of a line, less this one, is the error bound
        bounds = pl.Series(sets.errors.astype(np.int64) + start).cast(pl.String)
    with path.open("wb") as file:
        for first in range(0, len(release), CHUNK):
            last = min(first + CHUNK, len(release))
            lines = joined(*sets.part(first, last), texts, " ")
            if bounds is not None:
                lines = (lines + " " + bounds[first:last]).str.strip_chars_start()
            pl.DataFrame({"line": lines.replace("", None)}).write_csv(file, include_header=False, quote_style="never")
    return [guide]


def read_back(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published items of a file that `write` wrote."""
    assert original.transactions is not None
    (guide,) = guides
    lines, errors = split_lines(path, guide)
    offsets, tokens = split(lines, " ")
    numbers, codes = coded(tokens)
    texts = [guide["numbers"].get(number, number) for number in numbers]
    return (), items_from_tokens((offsets, texts, codes), errors, guide, original.transactions.domain, suppressed)


def split_lines(path: Path, guide: Guide) -> tuple[pl.Series, Ids | None]:
    """The lines of the file without their error bounds, and the bounds, if there are any."""
    lines = _lines(path)
    if "errors_from" not in guide:
        return lines, None
    bound = lines.str.extract(r"(\d+)$").cast(pl.Int64) - guide["errors_from"]
    if bound.null_count():
        raise GuaranteeViolated(f"{path.name}: a record has no error bound")
    return lines.str.replace(r" ?\d+$", ""), bound.to_numpy().astype(np.int32)


def _named(items: PublishedItems) -> list[str]:
    """The items behind the published labels; no other item may influence the numbers."""
    if isinstance(items, GeneralizedItems):
        shown = np.zeros(len(items.labels), np.bool_)
        shown[items.shown] = True
        named = np.unique(items.labels.members[np.repeat(shown, items.labels.sizes)])
    else:
        named = np.union1d(items.base, items.distance)
    return [items.domain[i] for i in named]


def _numbers(tokens: list[str], domain: list[str]) -> dict[str, int]:
    """The number of each token: its own where all items are numbers and it is one of them, else one that no item has."""
    own = {name: int(name) for name in domain if name.isascii() and name.isdecimal() and str(int(name)) == name}
    if len(own) < len(domain):
        own = {}
    fresh = count(max(own.values(), default=0) + 1)
    return {token: own[token] if token in own else next(fresh) for token in tokens}


def _lines(path: Path) -> pl.Series:
    text = path.read_text("utf-8").removesuffix("\n")
    whole = pl.Series("line", [text], dtype=pl.String)
    return whole.str.split("\n").explode() if text or path.stat().st_size else whole.clear()


FIMI = ReleaseFormat(
    id="fimi", suffixes=(".dat",), read=read_fimi, batches=fimi_batches, write=write, read_back=read_back, write_part=write
)
SPMF = Format(id="spmf", suffixes=(".spmf", ".txt"), read=read_spmf, batches=spmf_batches, text_start=b"@")
