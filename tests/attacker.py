"""An attacker of our own: reads published/records.jsonl with nothing of the product, and looks for people."""

import json
from itertools import combinations


def published_records(folder):
    """The published records, as anybody who was handed them reads them."""
    lines = (folder / "published" / "records.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def fewest_candidates(people, records, *, quasi, items, m, whose=None):
    """The fewest people, but for none, with a record that fits somebody whose quasi values and up to m items are known.

    `whose` tells the person of each record; without it each is taken for another one's.
    """
    owners = range(len(records)) if whose is None else whose
    fewest = len(set(owners))
    for person in people:
        fitting = [
            (record, owner)
            for record, owner in zip(records, owners, strict=True)
            if all(_fits(record.get(name), person[name]) for name in quasi)
        ]
        known = sorted(person[items]) if items else []
        for size in range(0 if quasi or not items else 1, min(m, len(known)) + 1):
            for chosen in combinations(known, size):
                found = len({owner for record, owner in fitting if not chosen or _holds(record[items], chosen)})
                fewest = min(fewest, found or fewest)
    return fewest


def _fits(cell, value):
    """Whether a published cell may stand for a value; one that stands for anything also stands for a missing value."""
    if isinstance(cell, dict):
        if "any" in cell:
            return value is None or str(value) in map(str, cell["any"])
        return value is None or cell["lo"] <= float(value) <= cell["hi"]
    if cell is None or value is None:
        return cell is None and value is None
    return str(cell) == str(value) or (_number(cell) is not None and _number(cell) == _number(value))


def _holds(cell, chosen):
    if isinstance(cell, dict):  # an uncertain set: a base, what may be wrong in it, and how much of that at most
        flips = [item for item in chosen if item not in cell["base"]]
        return set(flips) <= set(cell["uncertain"]) and len(flips) <= cell["errors"]
    return all(any(item in label for label in cell) for item in chosen)


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def holds_truly(record, person, names):
    """Whether each published cell holds what the person has: an item set shows the person's items and no other."""
    for name in names:
        cell, value = record.get(name), person[name]
        if not isinstance(value, set):
            if not _fits(cell, value):
                return False
        elif isinstance(cell, dict):  # what differs from the base is uncertain, and no more than may be wrong
            flips = value ^ set(cell["base"])
            if not flips <= set(cell["uncertain"]) or len(flips) > cell["errors"]:
                return False
        elif not all(value & set(label) for label in cell):
            return False
    return True
