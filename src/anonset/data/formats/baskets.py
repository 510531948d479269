"""Files of item sets alone, one a line: FIMI (.dat) and SPMF."""

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from anonset.data._kernels.parse import empty_codebook, parse_integers
from anonset.data.coding import ItemSets, Table
from anonset.data.files import File, chunks, fingerprint, trimmed
from anonset.errors import InputError
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.progress import Progress, silent
from anonset.model.sets import offsets_of

COMMENT = re.compile(rb"^[@#%].*$", re.MULTILINE)
ITEM_NAME = re.compile(rb"^@ITEM=(-?\d+)=(.*?)\r?$", re.MULTILINE)
PLAIN = re.compile(rb"0|-?[1-9][0-9]{0,17}")
END_OF_ITEMSET, END_OF_SEQUENCE = -1, -2
FEW = 1 << 16  # bytes that are not worth loading, or even compiling, a kernel for


def read_fimi(path: File, progress: Progress = silent) -> Table:
    """Whole numbers separated by blanks, one record a line; an empty line is an empty set."""
    offsets, entries, numbers = _parse(path, chunks(path, progress))
    sets = ItemSets(offsets, entries, tuple(map(str, numbers.tolist())))
    return Table({}, (fingerprint(path),), str(path), {"items": sets}, line=lambda row: row + 1)


def read_spmf(path: File, progress: Progress = silent) -> Table:
    """Itemsets, or sequences (with -1 and -2) taken as the set of their items; names come from @ITEM lines.

    Lines that begin with @, # or %, and empty lines, are no records.
    """
    names: dict[int, str] = {}
    offsets, entries, numbers = _parse(path, _without_comments(path, chunks(path, progress), names))
    filled = np.flatnonzero(np.diff(offsets) > 0)
    markers = (numbers == END_OF_ITEMSET) | (numbers == END_OF_SEQUENCE)
    kept = ~markers[entries] if len(entries) else np.zeros(0, np.bool_)
    lengths = np.diff(offsets_of(kept)[offsets])[filled]
    if len(filled) == 0:
        raise InputError("has no records", file=str(path))
    number = np.cumsum(~markers) - 1
    texts = tuple(names.get(n, str(n)) for n in numbers[~markers].tolist())
    if len(set(texts)) != len(texts):
        raise InputError("@ITEM gives one name to two items", file=str(path))
    sets = ItemSets(offsets_of(lengths), number[entries[kept]].astype(np.int32), texts)
    return Table({}, (fingerprint(path),), str(path), {"items": sets}, line=lambda row: int(filled[row]) + 1)


def _parse(path: File, pieces: Iterator[bytes]) -> tuple[Offsets, Ids, Rows]:
    whole = _whole_lines(pieces)
    first: list[bytes] = []
    while sum(map(len, first)) <= FEW and (piece := next(whole, None)) is not None:
        first.append(piece)
    if 0 < sum(map(len, first)) <= FEW and (found := _parse_few(b"".join(first))) is not None:
        return found
    book = empty_codebook()
    ends, entries = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    n_lines = n_entries = 0
    for piece in chain(first, whole):
        data = np.frombuffer(piece, np.uint8)
        line_ends, codes, keys, slots, numbers, known, stop = parse_integers(data, *book)
        book = (keys, slots, numbers, known)
        if stop >= 0:
            raise _unexpected(piece, stop, path, n_lines)
        ends.append(line_ends + n_entries)
        entries.append(codes)
        n_lines += len(line_ends)
        n_entries += len(codes)
    if n_lines == 0:
        raise InputError("is empty", file=str(path))
    return np.concatenate(ends), np.concatenate(entries), book[2][: book[3]]


def _parse_few(data: bytes) -> tuple[Offsets, Ids, Rows] | None:
    """The same for a few bytes; None where there is something unexpected among them."""
    tokens = data.split()
    if not all(map(PLAIN.fullmatch, tokens)):
        return None
    lines = data.removesuffix(b"\n").split(b"\n")
    numbers = list(map(int, tokens))
    code = {number: i for i, number in enumerate(dict.fromkeys(numbers))}
    entries = np.array([code[number] for number in numbers], np.int32)
    return offsets_of([len(line.split()) for line in lines]), entries, np.array(list(code), np.int64)


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes cut at ends of lines."""
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


def _without_comments(path: File, pieces: Iterator[bytes], names: dict[int, str]) -> Iterator[bytes]:
    """The same lines with comments emptied; gathers the names that @ITEM lines give."""
    for piece in _whole_lines(pieces):
        if COMMENT.search(piece):
            for number, name in ITEM_NAME.findall(piece):
                try:
                    names[int(number)] = trimmed(name.decode("utf-8"))
                except UnicodeDecodeError:
                    raise InputError("the names of @ITEM lines must be UTF-8 text", file=str(path)) from None
            yield COMMENT.sub(b"", piece)
        else:
            yield piece


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
