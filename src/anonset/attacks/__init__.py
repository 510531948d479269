"""The attacker played: what somebody who knows a little about a person finds in the raw data and in a release."""

from anonset.attacks.attackers import AttackerKnowledge, ItemChoice
from anonset.attacks.inference import Inference, attack_inference
from anonset.attacks.linkage import Linkage, MarginAttack, Weighed, attack_linkage, attack_margins
from anonset.attacks.results import AttackResult, attack

__all__ = [
    "AttackResult",
    "AttackerKnowledge",
    "Inference",
    "ItemChoice",
    "Linkage",
    "MarginAttack",
    "Weighed",
    "attack",
    "attack_inference",
    "attack_linkage",
    "attack_margins",
]
