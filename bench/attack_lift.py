"""What local recoding tells somebody who knows the algorithm: the codes behind lifted labels, and who a record may be.

The attacker of the control goes by how often codes are shown. The informed one also knows that a label goes down wherever it
can: a code is not behind a label of a record if the record could show the code itself, as all its sets would be in k records.
Writes bench/results/lift_attack.md. Run: python bench/attack_lift.py [TARGETS]
"""

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse

from anonset.algorithms import make
from anonset.data import read
from anonset.model.schema import Schema

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "lift_attack.md"
IDENTIFIER = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income", "SEX", "marry", "poverty")


class Attacker:
    """Knows what is published and how: shares of belief in the codes behind each label of each record."""

    def __init__(self, items, k, informed):
        self.k, self.informed = k, informed
        self.groups, self.sizes = list(items.labels.groups()), items.labels.sizes
        self.rows = [items.shown[items.offsets[r] : items.offsets[r + 1]] for r in range(len(items))]
        shape = (len(items), len(self.sizes))
        shown = sparse.csr_array((np.ones(len(items.shown), np.int32), items.shown, items.offsets), shape)
        self.together = (shown.T @ shown).toarray()
        self.exact = np.full(len(items.domain), -1)
        for a in np.flatnonzero(self.sizes == 1):
            self.exact[self.groups[a][0]] = a
        self.often = np.where(self.exact >= 0, np.diag(self.together)[self.exact], 0) + 1.0
        self.belief = cache(self.belief)

    def belief(self, r, label):
        """The codes behind a label of a record, and the attacker's belief in each."""
        codes = self.groups[label]
        if len(codes) == 1:
            return codes, np.ones(1)
        labels = self.exact[codes]
        possible = ~((labels >= 0) & np.isin(labels, self.rows[r]))
        if self.informed:
            possible &= ~self.would_be_shown(labels, [other for other in self.rows[r] if other != label])
        weights = self.often[codes] * possible
        weights = weights if weights.sum() else self.often[codes]
        return codes, weights / weights.sum()

    def would_be_shown(self, labels, others):
        found = (labels >= 0) & (self.together[labels, labels] >= self.k)
        for other in others:
            found &= self.together[labels, other] >= self.k
        return found

    def chance(self, r, code):
        """The belief that a record holds a code."""
        without = 1.0
        for label in self.rows[r]:
            codes, belief = self.belief(r, label)
            at = np.searchsorted(codes, code)
            if at < len(codes) and codes[at] == code:
                without *= 1.0 - belief[at]
        return 1.0 - without


def codes_behind_labels(attacker, records, picked):
    """How often the best guess of the code behind a lifted label is right, and the belief in the truth."""
    right, belief, left = [], [], []
    for r, label in picked:
        codes, shares = attacker.belief(r, label)
        true = np.isin(codes, records[r]) & ~((attacker.exact[codes] >= 0) & np.isin(attacker.exact[codes], attacker.rows[r]))
        if true.any():
            right.append(true[shares.argmax()])
            belief.append(shares[true].sum())
            left.append(np.count_nonzero(shares))
    return np.mean(right), np.mean(belief), min(left), np.mean(left)


def persons(attacker, targets):
    """Candidates with any belief, the belief in the true record, and how often the best guess is right, by known pairs."""
    holders = {}
    for r, row in enumerate(attacker.rows):
        for label in row:
            for code in attacker.groups[label]:
                holders.setdefault(int(code), set()).add(r)
    least, truth, right = [], [], []
    for target, known in targets:
        candidates = sorted(set.intersection(*(holders[code] for code in known)))
        chance = np.array([np.prod([attacker.chance(r, code) for code in known]) for r in candidates])
        least.append(np.count_nonzero(chance))
        share = chance / chance.sum()
        truth.append(share[candidates.index(target)])
        best = np.flatnonzero(share == share.max())
        right.append(1 / len(best) if candidates.index(target) in best else 0.0)
    return min(least), np.mean(truth), np.max(truth), np.mean(right)


def main(n=400):
    tree = DATA / "rt" / "informs05_hierarchies" / "items.csv"
    schema = Schema(quasi=(), identifier=IDENTIFIER, items=("items",), item_hierarchy=str(tree))
    data = read(DATA / "rt" / "informs05.csv.gz", schema=schema)
    records = np.split(data.transactions.items, data.transactions.offsets[1:-1])
    lines = ["# What lifted labels tell", "", *__doc__.splitlines()[2:5], ""]
    lines += [f"INFORMS 2005, {n} persons of whom two codes are known, {10 * n} lifted labels below the root.", ""]
    lines += ["| k | attacker | code: best guess right | belief in the truth | codes left, least and mean |"]
    lines[-1] += " persons: candidates at least | belief in the truth, mean and most | best guess right |"
    lines.append("|---|---|---|---|---|---|---|---|")
    for k in (5, 10):
        items = make("lift", {"k": k}).anonymize(data).items
        rng = np.random.default_rng(0)
        lifted = np.flatnonzero((items.labels.sizes[items.shown] > 1) & (items.labels.sizes[items.shown] < len(items.domain)))
        places = rng.choice(lifted, min(10 * n, len(lifted)), replace=False)
        picked = [(int(np.searchsorted(items.offsets, p, side="right")) - 1, int(items.shown[p])) for p in places]
        long = rng.choice([r for r, record in enumerate(records) if len(record) > 1], n)
        targets = [(int(r), rng.choice(records[r], 2, replace=False).tolist()) for r in long]
        for informed in (False, True):
            attacker = Attacker(items, k, informed)
            right, belief, least, mean = codes_behind_labels(attacker, records, picked)
            fewest, truth, most, found = persons(attacker, targets)
            cells = [k, "informed" if informed else "control", f"{right:.3f}", f"{belief:.3f}", f"{least}, {mean:.1f}"]
            cells += [fewest, f"{truth:.4f}, {most:.3f}", f"{found:.4f}"]
            lines.append(f"| {' | '.join(map(str, cells))} |")
            print(lines[-1], flush=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
