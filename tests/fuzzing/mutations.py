"""Files damaged at random: bytes changed, and keys of JSON removed, renamed or given another type."""

import copy
import json
from random import Random

STRANGE = (5, -1, 0, 2.5, 10**30, True, None, "", "x", "\x00", [], [1], [[]], {}, {"x": 1}, "9" * 5_000)
BITS = (
    b"\0",
    b"\xff",
    b'"',
    b"'",
    b",",
    b";",
    b"\n",
    b"\r\n",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b"nan",
    b"-1",
    b"1e999",
    b"\xe2\x80\xa8",
)
BITS += (b":a", b"<img src=x onerror=alert(1)>", b"=1+1", b"|", b"\t", b"1" * 400, b"[" * 3_000)


def mutated_bytes(random: Random, data: bytes) -> bytes:
    """The bytes with one to four pieces replaced, cut out, doubled or put in."""
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(data) + 1)
        stop = min(len(data), start + random.choice((0, 1, 2, 8, 40)))
        piece = random.choice((b"", data[start:stop] * 2, random.choice(BITS), random.randbytes(random.randint(1, 4))))
        data = data[:start] + piece + data[stop:]
        if random.random() < 0.03:
            data = data[: random.randrange(len(data) + 1)]
    return data


def mutated_json(random: Random, data: bytes) -> bytes:
    """The JSON value with one place removed, renamed or replaced by something strange."""
    value = copy.deepcopy(json.loads(data))
    places = list(_places(value))
    if not places or random.random() < 0.02:
        return json.dumps(random.choice(STRANGE)).encode()
    holder, key = random.choice(places)
    what = random.random()
    if what < 0.3:
        del holder[key]
    elif what < 0.45 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    else:
        holder[key] = random.choice(STRANGE)
    return json.dumps(value, ensure_ascii=False).encode()


def _places(value):
    """Every key or position of the value, with what holds it."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield value, key
        yield from _places(part)
