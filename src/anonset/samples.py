"""Made-up datasets to try things on, written by seeded generators, about nobody."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.model.dataset import Transactions
from anonset.model.sets import offsets_of_rows

# chapter -> group -> diagnosis -> (how common at 20, how common at 80)
DIAGNOSES: Mapping[str, Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "circulation": {
        "heart": {
            "high blood pressure": (0.03, 0.60),
            "angina": (0.001, 0.12),
            "heart failure": (0.001, 0.15),
            "irregular heartbeat": (0.005, 0.18),
        },
        "vessels": {"varicose veins": (0.02, 0.20), "stroke": (0.001, 0.08), "thrombosis": (0.002, 0.05)},
    },
    "metabolism": {
        "sugar": {"type 1 diabetes": (0.005, 0.006), "type 2 diabetes": (0.004, 0.22), "low blood sugar": (0.004, 0.01)},
        "thyroid": {"underactive thyroid": (0.01, 0.07), "overactive thyroid": (0.005, 0.02), "goitre": (0.003, 0.04)},
        "weight and fats": {"high cholesterol": (0.02, 0.40), "obesity": (0.08, 0.18), "gout": (0.002, 0.06)},
    },
    "breathing": {
        "airways": {"asthma": (0.09, 0.06), "chronic bronchitis": (0.005, 0.12), "hay fever": (0.18, 0.05)},
        "infections of the chest": {"pneumonia": (0.004, 0.05), "influenza": (0.05, 0.04), "sinusitis": (0.06, 0.03)},
    },
    "bones and joints": {
        "back": {"low back pain": (0.10, 0.25), "slipped disc": (0.01, 0.05), "scoliosis": (0.02, 0.02)},
        "joints": {"knee arthrosis": (0.003, 0.28), "hip arthrosis": (0.002, 0.18), "rheumatoid arthritis": (0.003, 0.03)},
        "fractures": {"wrist fracture": (0.02, 0.03), "hip fracture": (0.0005, 0.05), "osteoporosis": (0.001, 0.20)},
    },
    "mind": {
        "mood": {"depression": (0.08, 0.10), "bipolar disorder": (0.008, 0.005), "anxiety": (0.10, 0.06)},
        "addiction": {"alcohol dependence": (0.02, 0.02), "opioid dependence": (0.006, 0.002)},
        "memory": {"dementia": (0.0001, 0.14), "delirium": (0.0005, 0.04)},
    },
    "infections": {
        "chronic": {"hepatitis C": (0.003, 0.004), "HIV infection": (0.004, 0.001), "tuberculosis": (0.001, 0.002)},
        "skin": {"shingles": (0.003, 0.03), "athlete's foot": (0.05, 0.06), "cellulitis": (0.008, 0.03)},
    },
}

# region -> town -> share of the people
TOWNS: Mapping[str, Mapping[str, float]] = {
    "north": {"Aldstadt": 0.22, "Brenkow": 0.08, "Colmsee": 0.03},
    "middle": {"Dornfeld": 0.25, "Eschbach": 0.10, "Freital": 0.06, "Gerau": 0.02},
    "south": {"Hallen": 0.15, "Irsee": 0.06, "Jochberg": 0.03},
}

SENSITIVE = ("HIV infection", "alcohol dependence", "opioid dependence", "bipolar disorder")


class Patient(NamedTuple):
    """One row of the sample."""

    patient_id: str
    age: int
    sex: str
    town: str
    schooling: int
    diagnoses: tuple[str, ...]


def generate_patients(n: int = 2_000, seed: int = 2026) -> Iterator[Patient]:
    """Patients whose diagnoses follow their age: the same for the same seed."""
    rng = np.random.default_rng(seed)
    towns = {town: share for region in TOWNS.values() for town, share in region.items()}
    share = np.array(list(towns.values()))
    ages = np.clip(rng.normal(51, 19, n).round(), 18, 97).astype(int)
    homes = rng.choice(list(towns), size=n, p=share / share.sum())
    sexes = rng.choice(["female", "male"], size=n, p=[0.53, 0.47])
    schooling = np.clip(rng.normal(12, 2.5, n).round(), 6, 20).astype(int)
    names = [d for chapter in DIAGNOSES.values() for group in chapter.values() for d in group]
    rates = np.array([rate for chapter in DIAGNOSES.values() for group in chapter.values() for rate in group.values()])
    weight = np.clip((ages - 20) / 60, 0, 1)[:, None]
    has = rng.random((n, len(names))) < rates[:, 0] ** (1 - weight) * rates[:, 1] ** weight  # grows by a factor a year
    for r in range(n):
        found = tuple(names[i] for i in np.flatnonzero(has[r]))
        yield Patient(f"P{r + 1:05d}", int(ages[r]), str(sexes[r]), str(homes[r]), int(schooling[r]), found)


SCHEMA = """\
identifier = ["patient_id"]
quasi = ["age", "sex", "town", "schooling"]
items = ["diagnoses"]
item_separator = "|"
hierarchies = "hierarchies"
"""


def write_sample(folder: str | Path, n: int = 2_000, seed: int = 2026) -> Path:
    """Write patients.csv with schema.toml, hierarchies/{town,items}.csv and sensitive.txt; return the path of patients.csv."""
    folder = Path(folder)
    hierarchies = folder / "hierarchies"
    hierarchies.mkdir(parents=True, exist_ok=True)
    with (folder / "patients.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(Patient._fields)
        rows.writerows((*patient[:-1], "|".join(patient.diagnoses)) for patient in generate_patients(n, seed))
    items = [f"{d};{group};{chapter};*" for chapter, groups in DIAGNOSES.items() for group, ds in groups.items() for d in ds]
    towns = [f"{town};{region};*" for region, members in TOWNS.items() for town in members]
    for name, lines in (("items.csv", items), ("town.csv", towns)):
        (hierarchies / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    (folder / "sensitive.txt").write_text("\n".join(SENSITIVE) + "\n", encoding="utf-8", newline="\n")
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8", newline="\n")
    return folder / "patients.csv"


def zipf_baskets(records: int, *, d: int, mean: float, longest: int, seed: int) -> Transactions:
    """Baskets with log-normal lengths and items drawn from a Zipf-like law; item ids say nothing about frequency."""
    rng = np.random.default_rng(seed)
    spread = 0.9
    lengths = np.exp(rng.normal(np.log(mean) - spread**2 / 2, spread, records))
    lengths = np.clip(np.round(lengths), 1, longest).astype(np.int64)
    share = 1.0 / (np.arange(d) + 10.0)
    popular = rng.permutation(d).astype(np.int32)
    # a record of length s draws more than s items, since repeats collapse, and keeps the first s different ones
    owner = np.repeat(np.arange(records), lengths * 2 + 4)
    drawn = popular[np.searchsorted(np.cumsum(share / share.sum()), rng.random(len(owner))).clip(max=d - 1)]
    key, first = np.unique(owner * d + drawn, return_index=True)
    owner, drawn = key // d, (key % d).astype(np.int32)
    order = np.lexsort((first, owner))
    place = np.arange(len(order)) - np.repeat(
        np.searchsorted(owner[order], np.arange(records)), np.bincount(owner, minlength=records)
    )
    kept = np.sort(order[place < lengths[owner[order]]])
    offsets = offsets_of_rows(owner[kept], records)
    return Transactions(offsets, drawn[kept], tuple(map(str, range(d))))


def zipf(rng: np.random.Generator, d: int, n: int, offset: float) -> NDArray[np.int64]:
    """n numbers below d, number i with a probability in proportion to 1 / (i + 1 + offset)."""
    share = 1.0 / (np.arange(d) + 1 + offset)
    return np.asarray(np.searchsorted(np.cumsum(share / share.sum()), rng.random(n)).clip(max=d - 1), np.int64)
