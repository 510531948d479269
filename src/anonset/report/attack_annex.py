"""The annex: singling out, linkability and inference, with what the attackers found who were played."""

from typing import Any

from anonset.attacks import AttackResult
from anonset.attacks.attackers import AttackerKnowledge
from anonset.attacks.linkage import Linkage, SideExposure
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.report.promises import about
from anonset.report.words import Words


def knowledge_words(knowledge: AttackerKnowledge, original: Dataset, words: Words) -> str:
    """What attackers of a kind know, in words."""
    parts = [words("knows.quasi", known=words.listed([c.name for c in original.quasi]))] if knowledge.quasi else []
    if knowledge.items:
        said = {"items": original.item_column, "choice": words(f"choice.{knowledge.choice}")}
        one = knowledge.items == 1
        parts.append(words("knows.item", **said) if one else words("knows.several", m=knowledge.items, **said))
    return words.listed(parts)


def brief_knowledge(knowledge: AttackerKnowledge, words: Words) -> str:
    """The same in few words, for a drawing."""
    parts = [words("knows.columns")] if knowledge.quasi else []
    parts += [words("knows.items", m=knowledge.items, choice=words(f"choice.{knowledge.choice}"))] if knowledge.items else []
    return " + ".join(parts)


def strongest(attacks: AttackResult) -> Linkage | None:
    """The attackers who found most in the original."""
    return max(
        attacks.linkages, key=lambda x: (x.before.singled_out.value, x.before.prosecutor, x.knowledge.items), default=None
    )


def risk(attacks: AttackResult, original: Dataset, words: Words) -> dict[str, Any] | None:
    """Who could be found before and after, by the attackers who found most before."""
    x = strongest(attacks)
    if x is None:
        return None
    known = knowledge_words(x.knowledge, original, words)
    return {
        "lead": words("risk.lead", attackers=words.number(x.attackers), known=known),
        "before": {"singled": x.before.singled_out.value, "worst": x.before.prosecutor},
        "after": {"singled": x.after.singled_out.value, "worst": x.after.prosecutor},
    }


def attack_annex(original: Dataset, release: Release, attacks: AttackResult, words: Words) -> dict[str, Any]:
    """The three questions, each with its answer, what is promised about it, and the figures."""
    linking = about(release, {"quasi", "items"}, original.item_column, words)
    rows = [(knowledge_words(x.knowledge, original, words), x) for x in attacks.linkages]
    return {
        "singling": {"answer": _singled(attacks, original, words), "promise": linking, "rows": [_single(*row) for row in rows]},
        "linking": {"answer": _linked(attacks, words), "promise": linking, "rows": [_link(*row) for row in rows]},
        "inferring": {
            "answer": _inferred(attacks, words),
            "promise": about(release, {"sensitive"}, original.item_column, words) if attacks.inferences else "",
            "rows": [
                {
                    "secret": i.secret,
                    "knows": knowledge_words(i.knowledge, original, words),
                    "attackers": i.attackers,
                    **{side: getattr(i, side)._asdict() for side in ("before", "after", "control")},
                    "leak": i.leak,
                }
                for i in attacks.inferences
            ],
        },
    }


def _single(known: str, x: Linkage) -> dict[str, Any]:
    sides = {"before": x.before.singled_out._asdict(), "after": x.after.singled_out._asdict()}
    return {"knows": known, "attackers": x.attackers, **sides}


def _link(known: str, x: Linkage) -> dict[str, Any]:
    def side(found: SideExposure) -> dict[str, Any]:
        return {"average": found.marketer._asdict(), "worst": found.prosecutor, "journalist": found.journalist}

    return {"knows": known, "before": side(x.before), "after": side(x.after)}


def _singled(attacks: AttackResult, original: Dataset, words: Words) -> str:
    worst = max(attacks.linkages, key=lambda x: x.after.singled_out.value, default=None)
    if worst is None or worst.after.singled_out.value == 0:
        return words("annex.singling_no", attackers=words.number(sum(x.attackers for x in attacks.linkages)))
    share, known = worst.after.singled_out.value, knowledge_words(worst.knowledge, original, words)
    return words("annex.singling_yes", share=words.exactly(share), known=known)


def _linked(attacks: AttackResult, words: Words) -> str:
    mean = max((x.after.marketer.value for x in attacks.linkages), default=0.0)
    return words("annex.linking_found", chance=words.exactly(attacks.worst), mean=words.exactly(mean))


def _inferred(attacks: AttackResult, words: Words) -> str:
    if not attacks.inferences:
        return words("annex.inferring_none")
    return words("annex.inferring_found", leak=words.exactly(max(i.leak for i in attacks.inferences)))
