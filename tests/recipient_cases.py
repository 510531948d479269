"""Random data, a release of them by any algorithm in any format, and random conditions with their true counts."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass

import polars as pl

import anonset
from anonset.algorithms import ALGORITHMS
from anonset.errors import AnonsetError
from anonset.model.parameters import parameters
from anonset.model.release import Accepted
from anonset.releases.margins import with_margins
from anonset.releases.publish import publish

FORMATS = ("csv", "parquet", "jsonl", "feather", "xlsx")
NO = (None, "")


@dataclass
class Case:
    name: str
    told: str
    records: list
    columns: tuple
    items: str | None
    published: object


def people(random):
    towns, ages, items = random.randint(1, 6), random.randint(1, 12), "abcdefghijkl"[: random.randint(2, 12)]
    step = random.choice([1, 1, 7, 2.5])
    return [
        {
            "age": None if random.random() < 0.06 else round(20 + random.randrange(ages) * step, 1),
            "town": None if random.random() < 0.06 else f"t{random.randrange(towns)}",
            "ill": random.choice(["flu", "gout", "acne"]),
            "codes": sorted({random.choice(items) for _ in range(random.randint(0, 5))}),
        }
        for _ in range(random.randint(8, 40))
    ]


def chosen(random, name):
    values = {}
    for p in parameters(ALGORITHMS[name]):
        if p.name in ("k", "l") and (p.required or p.name == "k"):
            values[p.name] = random.randint(2, 3)
        elif p.name == "m":
            values["m"] = random.randint(1, 2)
        elif p.name == "seconds":
            values["seconds"] = 0.05
        elif p.name == "seed":
            values["seed"] = random.randrange(100)
        elif p.name == "suppression" and random.random() < 0.7:
            values["suppression"] = 0.25
        elif p.name == "residue":
            values["residue"] = random.choice(p.choices)
        elif p.name == "residue_limit":
            values["residue_limit"] = 0.6
        elif p.choices and random.random() < 0.3:
            values[p.name] = random.choice(p.choices)
        elif p.name == "delta":
            values["delta"] = round(random.random(), 2)
    return values


def case_of(random, folder, name=None):
    """A release of random data that was written and opened, or None where it was refused."""
    name = name or random.choice(list(ALGORITHMS))
    records, covered = people(random), ALGORITHMS[name].covers
    secret = any(p.name == "l" and p.required for p in parameters(ALGORITHMS[name]))
    quasi = ("age", "town") if "quasi" in covered else ()
    roles = {"quasi": quasi, "items": "codes" if "items" in covered else None}
    roles |= {"sensitive" if secret else "other": ("ill",)}
    if "items" in covered:
        roles["item_hierarchy"] = random.choice(["balanced:2", "balanced:3"])
        if random.random() < 0.2:
            roles["sensitive_items"] = ["a"]
    frame = pl.DataFrame(records, schema={"age": pl.Float64, "town": pl.String, "ill": pl.String, "codes": pl.List(pl.String)})
    if "items" not in covered:
        frame, roles = frame.drop("codes"), {name: value for name, value in roles.items() if name != "items"}
    format = random.choice([*FORMATS, *(["fimi"] if "quasi" not in covered else [])])
    if format == "fimi":
        roles = {key: value for key, value in roles.items() if key not in ("other", "sensitive")}
    values = chosen(random, name)
    try:
        data = anonset.read(frame, **roles)
        release = anonset.anonymize(data, name, **values)
        publish_it(random, data, release, folder / "out", format)
    except AnonsetError:
        return None
    columns = tuple(c for c in ("age", "town", "ill") if c in (*quasi, *roles.get("other", ()), *roles.get("sensitive", ())))
    told = f"{name} {values} {format}"
    return Case(name, told, records, columns, "codes" if "items" in covered else None, anonset.open_published(folder / "out"))


def publish_it(random, data, release, out, format):
    value = release
    if random.random() < 0.4:
        with suppress(AnonsetError):
            value = with_margins(data, value)
    exposed = ("age", "town", "ill", "codes")
    accepted = Accepted(tuple(name for name in exposed if name in {c.name for c in data.columns}), loss=True, repeats=True)
    publish(data, value, out, format=format, overwrite=True, measures=(), accepted=accepted)


def test_of(random, case):
    """A condition as text, and what it is in Python: true, false, or None where a value is missing."""
    kinds = [*case.columns, *([case.items] * 3 if case.items else [])]
    name = random.choice(kinds)
    if name == "codes":
        items = random.sample("abcdefghijkl"[:6], random.randint(1, 3))
        how = random.choice(["any", "all"])
        text = f"codes {random.choice(['', 'not '])}contains {how} ({', '.join(items)})"
        hit = (
            (lambda r: any(i in r["codes"] for i in items)) if how == "any" else (lambda r: all(i in r["codes"] for i in items))
        )
        return text, (lambda r: not hit(r)) if "not" in text else hit
    if random.random() < 0.15:
        return f"{name} is missing", lambda r: r[name] in NO
    if name == "age":
        sign, value = random.choice(["<", "<=", ">", ">=", "=", "!="]), random.choice([18, 21, 22.5, 25, 27, 34, 41])
        compare = {
            "<": lambda a: a < value, "<=": lambda a: a <= value, ">": lambda a: a > value,
            ">=": lambda a: a >= value, "=": lambda a: a == value, "!=": lambda a: a != value,
        }[sign]  # fmt: skip
        return f"age {sign} {value}", lambda r: None if r["age"] in NO else compare(r["age"])
    wanted = random.sample(["t0", "t1", "t2", "t9"] if name == "town" else ["flu", "gout", "pox"], 2)
    return f"{name} in ({', '.join(wanted)})", lambda r: None if r[name] in NO else r[name] in wanted


def condition(random, case, depth=2):
    kind = random.random()
    if depth == 0 or kind < 0.35:
        return test_of(random, case)
    if kind < 0.5:
        text, hit = condition(random, case, depth - 1)
        return f"not ({text})", lambda r: None if hit(r) is None else not hit(r)
    (a, first), (b, second) = (condition(random, case, depth - 1) for _ in range(2))
    word = random.choice(["and", "or"])

    def joined(r):
        found = (first(r), second(r))
        ends = word == "or"  # the value that settles it
        return ends if ends in found else None if None in found else not ends

    return f"({a}) {word} ({b})", joined


def random_questions(random, case, n):
    return [condition(random, case) for _ in range(n)]


def outside(case, questions):
    """What is wrong: a truth outside the bounds, or an estimate."""
    found = []
    for text, hit in questions:
        true = sum(hit(record) is True for record in case.records)
        try:
            count = case.published.count(text)
        except anonset.InputError as error:
            asked = re.match("no item '(.)'", str(error))
            if (asked and not any(asked[1] in r["codes"] for r in case.records)) or "alternatives" in str(error):
                continue
            found.append(f"{case.told}: {text}: {error}")
            continue
        if (
            not count.low <= true <= count.high
            or not count.low <= count.estimate <= count.high
            or math.isnan(count.standard_error)
        ):
            found.append(f"{case.told}: {text}: {true} is not in {count}")
    return found
