"""Bytes of text files: whole numbers to codes, and whether a delimited table is well formed."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Ints, Longs

Bytes = NDArray[np.uint8]
FIRST_CAPACITY = 1 << 12

# what `scan_rows` found
GOOD, RAGGED, STRAY_QUOTE, TEXT_AFTER_QUOTE, OPEN_QUOTE, ZERO_BYTE = range(6)


def empty_codebook() -> tuple[Longs, Ints, Longs, int]:
    """Return an empty codebook for `parse_integers`: keys and codes of a hash table, the numbers, their count."""
    return (
        np.zeros(FIRST_CAPACITY, np.int64),
        np.full(FIRST_CAPACITY, -1, np.int32),
        np.zeros(FIRST_CAPACITY // 2, np.int64),
        0,
    )


@njit(cache=True, nogil=True)
def _slot(key: np.int64, keys: Longs, codes: Ints) -> int:
    """Return the place of a key in an open hash table whose size is a power of two."""
    mask = len(keys) - 1
    folded = (key ^ (key >> 23) ^ (key >> 46)) & 0x7FFFFFFF
    place = ((folded * 0x5E3779B1) >> 15) & mask  # below 2^62: the same compiled or not
    while codes[place] >= 0 and keys[place] != key:
        place = (place + 1) & mask
    return place


@njit(cache=True, nogil=True, inline="always")
def _grown(numbers: Longs, known: int) -> tuple[Longs, Ints, Longs]:
    """Return the codebook of the first `known` numbers at twice the size."""
    keys = np.zeros(4 * len(numbers), np.int64)
    codes = np.empty(4 * len(numbers), np.int32)
    for place in range(len(codes)):
        codes[place] = -1
    more = np.zeros(2 * len(numbers), np.int64)
    for code in range(known):
        more[code] = numbers[code]
        place = _slot(more[code], keys, codes)
        keys[place], codes[place] = more[code], code
    return keys, codes, more


@njit(cache=True, nogil=True, inline="always")
def _tokens_and_lines(data: Bytes) -> tuple[int, int]:
    tokens, lines, inside = 0, 0, False
    for byte in data:
        blank = byte == 32 or 9 <= byte <= 13
        if inside and blank:
            tokens += 1
        inside = not blank
        if byte == 10:
            lines += 1
    if inside:
        tokens += 1
    if len(data) > 0 and data[-1] != 10:
        lines += 1
    return tokens, lines


@njit(cache=True, nogil=True)
def parse_integers(
    data: Bytes, keys: Longs, codes: Ints, numbers: Longs, known: int
) -> tuple[Longs, Ints, Longs, Ints, Longs, int, int]:
    """Return (ends, entries, codebook..., stop): line r holds entries[ends[r - 1] : ends[r]], codes of whole numbers.

    `stop` is the first byte of a token that is not a whole number of at most 18 digits in its plain form, or -1.
    """
    n_tokens, n_lines = _tokens_and_lines(data)
    ends = np.zeros(n_lines, np.int64)
    entries = np.empty(n_tokens, np.int32)
    line, token = 0, 0
    p, n = 0, len(data)
    while p < n:
        byte = data[p]
        if byte == 10:
            ends[line] = token
            line += 1
        if byte == 32 or 9 <= byte <= 13:
            p += 1
            continue
        start = p
        negative = byte == 45
        if negative:
            p += 1
        first, value = p, np.int64(0)
        while p < n and 48 <= data[p] <= 57 and p - first < 18:
            value = value * 10 + (np.int64(data[p]) - 48)
            p += 1
        digits = p - first
        ended = p == n or data[p] == 32 or 9 <= data[p] <= 13
        plain = 1 <= digits <= 18 and (data[first] != 48 or (digits == 1 and not negative))
        if not (ended and plain):
            return ends, entries, keys, codes, numbers, known, start
        if negative:
            value = -value
        place = _slot(value, keys, codes)
        if codes[place] < 0:
            if known == len(numbers):
                keys, codes, numbers = _grown(numbers, known)
                place = _slot(value, keys, codes)
            keys[place], codes[place], numbers[known] = value, known, value
            known += 1
        entries[token] = codes[place]
        token += 1
    if line < n_lines:
        ends[line] = token
    return ends, entries, keys, codes, numbers, known, -1


@njit(cache=True, nogil=True)
def scan_rows(data: Bytes, delimiter: int, width: int) -> tuple[int, int, int, int]:
    """Return (finding, rows, line, fields) of a delimited text whose rows must all have `width` fields.

    `line` (from 1) and `fields` tell where and how the first row is not well formed; quotes follow RFC 4180.
    """
    rows, line, fields = 0, 1, 1
    opened, begun = 0, 1  # the lines on which the last quote and the row begin
    state = 0  # 0 start of a field, 1 inside a plain one, 2 inside a quoted one, 3 after a closing quote
    n = len(data)
    for p in range(n):
        byte = data[p]
        if byte == 0:
            return ZERO_BYTE, rows, line, fields
        if state == 2:
            if byte == 34:
                state = 3
        elif byte == delimiter:
            fields += 1
            state = 0
        elif byte == 10:
            if fields != width:
                return RAGGED, rows, begun, fields
            rows += 1
            fields = 1
            state = 0
            begun = line + 1
        elif byte == 34:
            if state == 1:
                return STRAY_QUOTE, rows, line, fields
            if state == 0:
                opened = line
            state = 2
        elif state == 3:
            if not (byte == 13 and (p + 1 == n or data[p + 1] == 10)):
                return TEXT_AFTER_QUOTE, rows, line, fields
        else:
            state = 1
        if byte == 10:
            line += 1
    if state == 2:
        return OPEN_QUOTE, rows, opened, fields
    if n > 0 and data[-1] != 10:
        if fields != width:
            return RAGGED, rows, begun, fields
        rows += 1
    return GOOD, rows, line, fields


@njit(cache=True, nogil=True)
def line_of_row(data: Bytes, row: int) -> int:
    """Return the line (from 1) on which a row (from 0) of a well formed delimited text begins."""
    line, rows, quoted = 1, 0, False
    for byte in data:
        if rows == row:
            break
        if byte == 34:
            quoted = not quoted
        elif byte == 10:
            line += 1
            if not quoted:
                rows += 1
    return line
