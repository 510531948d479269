"""Simulate attackers who have some knowledge about a person and search for that person in the original and in a release.

Results are grouped as regulators do: singling out, linkability, inference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from anonset.attacks.attackers import ITEM_CHOICES, AttackerKnowledge, ItemChoice
from anonset.attacks.inference import Inference, attack_inference, secrets
from anonset.attacks.intersection import Intersection
from anonset.attacks.inversion import InversionAttack
from anonset.attacks.linkage import Linkage, MarginAttack, Rate, Weighed, attack_linkage, attack_margins
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, part_of, silent, with_progress
from anonset.model.release import Release
from anonset.notebook import card, table

__all__ = [
    "AttackResult",
    "AttackerKnowledge",
    "Inference",
    "Intersection",
    "InversionAttack",
    "ItemChoice",
    "Linkage",
    "MarginAttack",
    "Weighed",
    "attack",
    "attack_inference",
    "attack_linkage",
    "attack_margins",
]


@dataclass(frozen=True, slots=True)
class AttackResult:
    """The results of every kind of attacker."""

    linkages: tuple[Linkage, ...]
    inferences: tuple[Inference, ...]
    margins: tuple[MarginAttack, ...] = ()
    earlier: tuple[Intersection, ...] = ()
    inversion: InversionAttack | None = None

    @property
    def worst(self) -> float:
        """Return the highest probability of success of a sampled attacker on the release."""
        return max((linkage.after.prosecutor for linkage in self.linkages), default=0.0)

    def __repr__(self) -> str:
        before = max((linkage.before.prosecutor for linkage in self.linkages), default=0.0)
        kinds = len(self.linkages)
        return f"<AttackResult: worst chance to be found {self.worst:.3g}, before {before:.3g}; {kinds} kinds of attackers>"

    def _repr_html_(self) -> str:
        rows = [
            (
                str(x.knowledge),
                x.attackers,
                *(v for side in (x.before, x.after) for v in (side.singled_out.value, side.prosecutor)),
            )
            for x in self.linkages
        ]
        header = ("attackers know", "attackers", "singled out before", "worst chance before", "singled out", "worst chance")
        parts = [table(header, rows)]
        if self.inferences:
            guessed = [(i.secret, str(i.knowledge), float(i.leak)) for i in self.inferences]
            parts.append(table(("secret", "attackers know", "leak"), guessed, caption="What they learn of secrets"))
        return card(f"The worst person is found with a chance of {self.worst:.3g}", *parts)

    def as_json(self) -> dict[str, Any]:
        """Return the figures, grouped by kind of risk."""
        rows = [(str(linkage.knowledge), linkage) for linkage in self.linkages]
        sides = ("before", "after")
        return {
            "singling_out": {known: {side: getattr(linkage, side).singled_out for side in sides} for known, linkage in rows},
            "linkability": {
                known: {
                    "attackers": linkage.attackers,
                    **{
                        side: {
                            "marketer": getattr(linkage, side).marketer,
                            "prosecutor": getattr(linkage, side).prosecutor,
                            "journalist": getattr(linkage, side).journalist,
                        }
                        for side in sides
                    },
                }
                for known, linkage in rows
            },
            "inference": [{**_with_plain_rates(i), "knowledge": str(i.knowledge), "leak": i.leak} for i in self.inferences],
            "margins": [{"knowledge": str(found.knowledge), **_with_plain_rates(found)} for found in self.margins],
            "worst": self.worst,
            **({"earlier": [found.as_json() for found in self.earlier]} if self.earlier else {}),
            **({} if self.inversion is None else {"inversion": self.inversion.as_json()}),
        }


def _with_plain_rates(attack: Inference | MarginAttack) -> dict[str, Any]:
    """Return the result of an attack, each rate as its value and the two ends of its interval."""
    values = {f.name: getattr(attack, f.name) for f in fields(attack) if f.name != "knowledge"}
    return {name: list(value) if isinstance(value, Rate) else value for name, value in values.items()}


def attack(
    original: Dataset,
    release: Release,
    *,
    m: int = 2,
    attackers: int = 500,
    seed: int | None = None,
    kinds: Sequence[AttackerKnowledge] | None = None,
    progress: Progress = silent,
) -> AttackResult:
    """Simulate attackers who know up to m items and the quasi values, as far as the data have them."""
    rng = np.random.default_rng(seed)
    chosen = default_kinds(original, m) if kinds is None else tuple(kinds)
    linkages = tuple(
        attack_linkage(original, release, kind, attackers=attackers, rng=rng)
        for kind in with_progress(chosen, part_of(progress, 0.0, 0.6))
    )
    inferences: list[Inference] = []
    guessing = [kind for kind in chosen if kind.choice == "uniform"] if secrets(original) else []
    for kind in with_progress(guessing, part_of(progress, 0.6, 1.0)):
        inferences += attack_inference(original, release, kind, attackers=attackers, rng=rng)
    weighing = [kind for kind in chosen if kind.items and not kind.quasi] if release.margins is not None else []
    margins = tuple(attack_margins(original, release, kind, attackers=attackers, rng=rng) for kind in weighing)
    return AttackResult(linkages, tuple(inferences), margins)


def default_kinds(original: Dataset, m: int) -> tuple[AttackerKnowledge, ...]:
    """Return attackers with 1..m items, by each choice of items, with the quasi values, and with both, if the data have any."""
    kinds = [AttackerKnowledge(True, 0)] if original.quasi else []
    if original.transactions is not None:
        kinds += [AttackerKnowledge(False, size, choice) for size in range(1, m + 1) for choice in ITEM_CHOICES]
        kinds += [AttackerKnowledge(True, m, choice) for choice in ITEM_CHOICES] if original.quasi else []
    return tuple(kinds)
