"""How many values a Parquet or Feather file says it holds, those in lists too: read off its end, before anything is unpacked.

A few hundred bytes can stand for gigabytes, and a library that runs out of memory takes the whole process with it.
"""

import struct
from collections.abc import Iterator
from mmap import mmap
from struct import unpack_from
from typing import Any

from anonset.data.packing import check_size
from anonset.errors import InputError

Bytes = bytes | mmap
VALUE = 8  # bytes that a value takes at the very least once it is read
DAMAGED = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError, RecursionError, struct.error)
ROW_GROUPS, COLUMNS, META, NUM_VALUES = 4, 1, 3, 5  # numbers of fields in Parquet's description of itself
BATCHES, DICTIONARIES, HEADER, NODES, DATA = 3, 2, 2, 1, 1  # and in Arrow's
BLOCK, NODE, DICTIONARY_BATCH, CONTINUED = 24, 16, 2, b"\xff\xff\xff\xff"


def check_declared(data: Bytes, kind: str, shown: str) -> None:
    """Raise where the file is damaged at its end, or would take beyond all measure more than its size."""
    try:
        values = parquet_values(data) if kind == "Parquet" else feather_values(data)
    except DAMAGED:
        raise InputError(f"is not a whole {kind} file", file=shown) from None
    check_size(VALUE * values, len(data), shown)


def parquet_values(data: Bytes) -> int:
    """The values in all columns of a Parquet file."""
    (length,) = unpack_from("<I", data, len(data) - 8)
    footer = _Compact(data[max(0, len(data) - 8 - length) : len(data) - 8]).struct()
    return sum(chunk[META][NUM_VALUES] for group in footer[ROW_GROUPS] for chunk in group[COLUMNS])


def feather_values(data: Bytes) -> int:
    """The values in all columns and dictionaries of an Arrow IPC file."""
    (length,) = unpack_from("<i", data, len(data) - 10)
    footer = _root(data, len(data) - 10 - length)
    return sum(
        _values_of_batch(data, place)
        for field in (DICTIONARIES, BATCHES)
        for place in _vector(data, _at(data, footer, field), BLOCK)
    )


class _Compact:
    """Thrift's compact protocol: structs as dictionaries by field number."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def number(self) -> int:
        found = shift = 0
        while (byte := self.byte()) & 0x80:
            found, shift = found | (byte & 0x7F) << shift, shift + 7
        return found | byte << shift

    def signed(self) -> int:
        number = self.number()
        return number >> 1 ^ -(number & 1)

    def struct(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        field = 0
        while head := self.byte():
            field = field + (head >> 4) if head >> 4 else self.signed()
            found[field] = self.value(head & 0x0F)
        return found

    def value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.signed()
            case 7:
                self.place += 8
            case 8:
                length = self.number()
                self.place += length
            case 9 | 10:
                head = self.byte()
                size = head >> 4 if head >> 4 < 15 else self.number()
                kind = head & 0x0F
                return [self.value(3 if kind < 3 else kind) for _ in range(size)]  # yes and no take a byte here
            case 12:
                return self.struct()
            case _:
                raise ValueError(kind)
        return None


def _root(data: Bytes, place: int) -> int:
    return place + int(unpack_from("<I", data, place)[0])


def _at(data: Bytes, table: int, field: int) -> int:
    """Where a field of a flatbuffers table is, after its offset if it has one; 0 if it is left out."""
    entries = table - unpack_from("<i", data, table)[0]
    size, _ = unpack_from("<HH", data, entries)
    if 4 + 2 * field >= size:
        return 0
    (offset,) = unpack_from("<H", data, entries + 4 + 2 * field)
    return _root(data, table + offset) if offset else 0


def _vector(data: Bytes, place: int, width: int) -> Iterator[int]:
    """The places of the elements of a vector."""
    size = unpack_from("<I", data, place)[0] if place else 0
    return (place + 4 + width * n for n in range(size))


def _values_of_batch(data: Bytes, block: int) -> int:
    (start,) = unpack_from("<q", data, block)
    message = _root(data, start + (8 if data[start : start + 4] == CONTINUED else 4))
    batch = _at(data, message, HEADER)
    (kind,) = unpack_from("<B", data, message + unpack_from("<H", data, message - unpack_from("<i", data, message)[0] + 6)[0])
    if kind == DICTIONARY_BATCH:
        batch = _at(data, batch, DATA)
    return sum(unpack_from("<q", data, node)[0] for node in _vector(data, _at(data, batch, NODES), NODE))
