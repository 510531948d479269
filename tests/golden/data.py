"""Made-up people for the golden results: skewed, correlated, with gaps. Changing this file changes every golden result.

Only uniform numbers are drawn from the generator: everything else is computed here, so that no other version of numpy or of the
product draws other people.
"""

import csv
import functools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RECORDS = 480
DEPARTMENTS, GROUPS, ITEMS = "fghkt", 4, 3  # departments of groups of items
SENSITIVE_ITEMS = ("g31", "h22", "k21")
LISTED = [  # itemsets of a privacy policy
    ["f11", "g11"],
    ["f11", "f12", "f21"],
    ["h11", "k11"],
    ["f13", "f22"],
    ["g43"],
    ["h11", "h21", "h31"],
    ["t11", "g12"],
    ["f32", "t23"],  # in no record
]
ILLNESSES = ("none", "flu", "asthma", "diabetes", "migraine", "angina", "anaemia")
REGIONS = {
    "north": ("Aldern", "Bregen", "Corvin", "Dorlach"),
    "south": ("Elmau", "Fenwick", "Garsing"),
    "east": ("Hohen", "Ilster"),
}
SEXES = ("f", "m")
FIELDS = ("person", "age", "stay", "town", "sex", "illness", "income", "sections", "items")


@dataclass(frozen=True)
class Person:
    """A made-up person; None is a value that is missing."""

    person: str
    age: int | None
    stay: int
    town: str | None
    sex: str
    illness: str
    income: int
    items: tuple[str, ...]

    @property
    def sections(self):
        """The groups of the items: a smaller domain."""
        return tuple(sorted({item[:2] for item in self.items}))

    def row(self):
        """The values of a CSV line."""
        found = (
            self.person,
            self.age,
            self.stay,
            self.town,
            self.sex,
            self.illness,
            self.income,
            "|".join(self.sections),
            "|".join(self.items),
        )
        return ["" if value is None else value for value in found]


@functools.cache
def people(records=RECORDS, gaps=True):
    """So many people; without gaps nobody has a missing value."""
    draws = np.random.default_rng(20)
    return tuple(_person(number, draws.random(32), gaps) for number in range(records))


def item_tree():
    """The items with what they belong to: item, group, department, root."""
    return [
        (f"{department}{group}{item}", f"{department}{group}_", f"{department}__", "*")
        for department in DEPARTMENTS
        for group in range(1, GROUPS + 1)
        for item in range(1, ITEMS + 1)
    ]


def policy_text():
    """A policy file: itemsets to protect, and the departments as utility constraints with a tenth of the items to suppress."""
    departments = sorted({path[2] for path in item_tree()})
    groups = [[path[0] for path in item_tree() if path[2] == department] for department in departments]
    return f"privacy = {LISTED}\nutility = {groups}\nsuppression = 0.1\n".replace("'", '"')


def write_people(folder, *, gaps=True, records=RECORDS):
    """people.csv and its hierarchies in a folder; the path of the file."""
    folder = Path(folder)
    (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
    _write(folder / "people.csv", [FIELDS, *(person.row() for person in people(records, gaps))])
    write_hierarchies(folder / "hierarchies")
    for field in ("items", "sections"):
        _write(folder / f"{field}-in-pairs.csv", tree_of_pairs(people(records, gaps), field), delimiter=";")
    return folder / "people.csv"


def tree_of_pairs(persons, field):
    """A binary tree of deep paths: items of like support in pairs, pairs in pairs, and so on."""
    support = Counter(item for person in persons for item in getattr(person, field))
    ordered = sorted(support, key=lambda item: (-support[item], item))
    depth = (len(ordered) - 1).bit_length()
    return [(item, *(f"{level}.{place >> level}" for level in range(1, depth)), "*") for place, item in enumerate(ordered)]


def write_hierarchies(folder):
    """The hierarchies of items, ages, towns and sexes; stays and incomes have none."""
    towns = [(town, region, "*") for region, members in REGIONS.items() for town in members]
    ages = [
        (age, f"{age - age % 5}-{age - age % 5 + 4}", f"{age - age % 20}-{age - age % 20 + 19}", "*") for age in range(20, 80)
    ]
    for name, paths in {"items": item_tree(), "town": towns, "age": ages, "sex": [(sex, "*") for sex in SEXES]}.items():
        _write(folder / f"{name}.csv", paths, delimiter=";")


def _write(path, rows, delimiter=","):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _person(number, u, gaps):
    age = 20 + int(60 * u[0] ** 1.6)
    region = list(REGIONS)[_skewed(u[1], 3, 0.6)]
    town = REGIONS[region][_skewed(u[2], len(REGIONS[region]), 0.7)]
    sex = SEXES[int(u[3] < 0.55)]
    illness = ILLNESSES[_skewed(u[4], len(ILLNESSES), 0.75)] if u[5] < 0.6 else ILLNESSES[(age // 10) % len(ILLNESSES)]
    stay = int(3 + age / 8 * u[6] + 20 * u[7] ** 6)
    income = 9_000 + 10 * int(900 * u[8] + 25 * age)
    return Person(
        person=f"P{number:04d}",
        age=None if gaps and u[9] < 0.02 else age,
        stay=stay,
        town=None if gaps and u[10] < 0.015 else town,
        sex=sex,
        illness=illness,
        income=income,
        items=_basket(u[11:], list(REGIONS).index(region), age),
    )


def _basket(u, region, age):
    """Items of a department that depends on where one lives, and of one that depends on age; some people have none."""
    wanted = 0 if u[0] < 0.05 else 1 + _skewed((u[0] - 0.05) / 0.95, 6, 0.85)
    home, other = DEPARTMENTS[region], DEPARTMENTS[min(4, 2 + age // 30)]
    found = set()
    for a, b, c in zip(u[1:7], u[7:13], u[13:19], strict=True):
        if len(found) < wanted:
            department = home if a < 0.6 else other if a < 0.9 else DEPARTMENTS[_skewed((a - 0.9) / 0.1, 5, 0.8)]
            found.add(f"{department}{1 + _skewed(b, GROUPS, 0.5)}{1 + _skewed(c, ITEMS, 0.45)}")
    return tuple(sorted(found))


def _skewed(u, n, ratio):
    """A number below n, each less likely than the one before by a ratio."""
    shares = np.cumsum([ratio**i for i in range(n)])
    return int(np.searchsorted(shares / shares[-1], u, side="right"))
