"""How often the interval of `audit` holds the share of people who were copied into a file, and how often it is called leaking.

    python bench/check_audit.py [RUNS] [PEOPLE]

Draws people, a control and others from the patients of informs05 (made-up patients where that file is not there), plants 0, 1,
5 and 20 % of the people in a shuffled file of others, and audits the file.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import anonset
from anonset.algorithms import make
from anonset.attacks.audit import audit
from anonset.samples import write_sample

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "rt" / "informs05.csv.gz"
SHARES = (0.0, 0.01, 0.05, 0.2)


def patients():
    if DATA.exists():
        return anonset.read(DATA, quasi=["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income", "SEX", "marry"], items="items")
    with tempfile.TemporaryDirectory() as folder:
        sample = write_sample(Path(folder), 12_000, 1)
        return anonset.read(sample, quasi=["age", "sex", "town"], items="diagnoses", item_separator="|")


def main(runs=100, people=2000):
    everybody = patients()
    rng = np.random.default_rng(1)
    print(f"{runs} runs of {people} people; 'copies' alone, and all attacks together")
    for share in SHARES:
        inside = said = 0
        errors = []
        for _ in range(runs):
            rows = rng.permutation(len(everybody))[: 3 * people]
            used, control = (everybody.take(rows[people * p : people * (p + 1)]) for p in range(2))
            copied = round(share * people)
            mixed = np.append(rng.permutation(rows[:people])[:copied], rows[2 * people : 3 * people - copied])
            file = make("identity", {"k": 1}).anonymize(everybody.take(rng.permutation(mixed)))
            found = audit(used, file, control=control, attackers=500, seed=int(rng.integers(2**31)))
            risk = found.attacks[0].risk
            inside += risk.low <= share <= risk.high
            said += found.leaks
            errors.append(risk.value - share)
        found_share = f"within the interval in {inside} of {runs}, {np.mean(errors):+.4f} on average"
        print(f"planted {share:4.0%}: {found_share}; called leaking in {said}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
