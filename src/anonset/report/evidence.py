"""What those who sign ask of a release: who attacks it, how risky it is against named limits, and what no promise covers."""

from typing import Any

import numpy as np

from anonset.attacks import AttackerKnowledge, AttackResult, default_kinds
from anonset.measure.risk import smallest_protected
from anonset.model.arrays import Ids, Rows
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import BasePopulation
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.report.words import Words

LIMITS = {"0.05": 20, "0.09": 11, "0.2": 5, "0.33": 3}  # the smallest group of each, whose risk is one in so many
SOURCE = "El Emam, Guide to the De-Identification of Personal Health Information, CRC Press 2013, cell size precedents"
EMA = "European Medicines Agency, External guidance on the implementation of policy 0070"
SOURCES = {"0.05": SOURCE, "0.09": EMA, "0.2": SOURCE, "0.33": SOURCE}


def actor_kinds(actor: str, original: Dataset, m: int) -> tuple[AttackerKnowledge, ...]:
    """The attackers that are played for an actor."""
    kinds = default_kinds(original, m)
    return tuple(kind for kind in kinds if is_known_to(actor, kind, columns=bool(original.quasi)))


def is_known_to(actor: str, knowledge: AttackerKnowledge, *, columns: bool) -> bool:
    """Whether an actor may know as much; the public knows a register of columns or, where there are none, one item."""
    if actor == "public":
        return knowledge == AttackerKnowledge(True, 0) if columns else knowledge == AttackerKnowledge(False, 1)
    return actor == "recipient" or knowledge.choice != "most-identifying"


def of_actor(attacks: AttackResult | None, actor: str, original: Dataset) -> AttackResult | None:
    """The attacks of an actor among those that were played."""
    if attacks is None:
        return None
    columns = bool(original.quasi)
    return AttackResult(
        tuple(x for x in attacks.linkages if is_known_to(actor, x.knowledge, columns=columns)),
        tuple(x for x in attacks.inferences if is_known_to(actor, x.knowledge, columns=columns)),
        tuple(x for x in attacks.margins if is_known_to(actor, x.knowledge, columns=columns)),
    )


def actor_words(cover: Cover, words: Words) -> dict[str, str]:
    """Who the attacker is, and what that person holds."""
    return {"id": cover.actor, "who": words(f"actor.{cover.actor}"), "holds": words(f"holds.{cover.actor}")}


def measured_risk(attacks: AttackResult | None, cover: Cover, words: Words) -> dict[str, Any] | None:
    """The largest and the average risk that the played attackers reached, beside the limits that others use."""
    if attacks is None or not attacks.linkages:
        return None
    largest = "journalist" if cover.actor == "public" else "prosecutor"
    sides = {
        side: {
            "maximum": max(getattr(getattr(x, side), largest) for x in attacks.linkages),
            "average": max(getattr(x, side).marketer.value for x in attacks.linkages),
        }
        for side in ("before", "after")
    }
    return {
        **sides,
        "limits": _limits(sides["after"], words),
        "words": words("limits.measured", actor=words(f"actor.{cover.actor}")),
    }


def promised_risk(alike: int | None, words: Words, said: str = "limits.promised") -> dict[str, Any] | None:
    """The largest risk that the promise allows, beside the limits; the average is not more."""
    if alike is None:
        return None
    return {
        "after": {"maximum": 1 / alike},
        "limits": _limits({"maximum": 1 / alike}, words),
        "words": words(said),
    }


def _limits(risk: dict[str, float], words: Words) -> list[dict[str, Any]]:
    return [
        {
            "limit": name,
            "k": k,
            "use": words(f"limit_use.k{k}"),
            "source": SOURCES[name],
            **{kind: value <= 1 / k + 1e-12 for kind, value in risk.items()},
        }
        for name, k in LIMITS.items()
    ]


def not_covered(original: Dataset, release: Release, words: Words, *, whole: bool = True) -> list[str]:
    """What the promise does not cover, in sentences that follow from the published records; no values of the data.

    Where the release at hand is not the `whole` one, nothing is counted.
    """
    said = [*_members(original, release, words), *_inference(release, original.item_column, words, whole=whole)]
    said.append(words("uncovered.more", items=_known_items(release, words, original.item_column)))
    if original.repeats:
        said.append(words("uncovered.rows_accepted"))
    elif original.unit == "records":
        said.append(words("uncovered.rows"))
    k = max((getattr(g, "k", 1) for g in release.guarantees), default=1)
    for column in release.columns:
        if whole and column.role == "sensitive" and (rare := _rare(column.codes, k)):
            said.append(words("uncovered.rare", column=column.name, rare=words.number(rare), k=k))
    return [*said, words("uncovered.algorithm"), words("uncovered.earlier")]


def _members(original: Dataset, release: Release, words: Words) -> list[str]:
    """What somebody finds who knows that a person is in the file, where people of a population are counted."""
    counted = [g for g in release.guarantees if isinstance(g, BasePopulation)]
    return [words("uncovered.members", n=words.number(smallest_protected(original, release, g))) for g in counted]


def _inference(release: Release, item_column: str, words: Words, *, whole: bool) -> list[str]:
    """What groups of records that look alike have in common."""
    if any(g.covers & {"sensitive"} for g in release.guarantees):
        return []
    groups = _groups(release) if whole else None
    if groups is None:
        return [words("uncovered.inference")]
    said = []
    number = words.number(len(groups[1]))
    for column in release.columns:
        if column.role == "sensitive" and (shared := _sharing_value(groups, column.codes)):
            said.append(words("uncovered.shared_value", column=column.name, shared=words.number(shared), groups=number))
    if isinstance(release.items, GeneralizedItems) and (shared := _sharing_item(groups, release.items)):
        said.append(words("uncovered.shared_item", items=item_column, shared=words.number(shared), groups=number))
    return said or [words("uncovered.inference_none", groups=number)]


def _known_items(release: Release, words: Words, item_column: str) -> str:
    most = [g.m for g in release.guarantees if hasattr(g, "m")]
    return words("uncovered.more_items", m=min(most), items=item_column) if most else words("uncovered.more_columns")


def _groups(release: Release) -> tuple[Rows, Rows] | None:
    """The group of each record among those with the same published columns, and the sizes; None without such columns."""
    if not release.quasi or not len(release):
        return None
    codes = np.stack([column.codes for column in release.quasi], axis=1)
    _, group, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return group.reshape(-1), sizes


def _sharing_value(groups: tuple[Rows, Rows], codes: Ids) -> int:
    """The number of groups of two records or more that all have the same value."""
    group, sizes = groups
    low, high = np.full(len(sizes), np.iinfo(np.int64).max), np.full(len(sizes), -1)
    np.minimum.at(low, group, codes)
    np.maximum.at(high, group, codes)
    return int(((low == high) & (high >= 0) & (sizes > 1)).sum())


def _sharing_item(groups: tuple[Rows, Rows], items: GeneralizedItems) -> int:
    """The number of groups of two records or more that all show one exact item."""
    group, sizes = groups
    owner = np.repeat(group, np.diff(items.offsets))
    exact = items.labels.sizes[items.shown] == 1
    pairs, records = np.unique(owner[exact] * len(items.labels) + items.shown[exact], return_counts=True)
    of = pairs // len(items.labels) if len(pairs) else pairs
    return len(np.unique(of[(records == sizes[of]) & (sizes[of] > 1)])) if len(pairs) else 0


def _rare(codes: Ids, k: int) -> int:
    """The number of values that fewer than k records have."""
    counts = np.bincount(codes[codes >= 0])
    return int(((counts > 0) & (counts < k)).sum())
