"""The attacker played: what somebody who knows a little about a person finds in the raw data and in a release."""

from anonset.attack.attackers import ItemChoice, Knowledge
from anonset.attack.linkage import Linkage, attack_linkage
from anonset.attack.results import AttackResult, attack
from anonset.attack.sensitive import Inference, attack_inference
from anonset.attack.weighing import MarginAttack, Weighed, attack_margins

__all__ = [
    "AttackResult",
    "Inference",
    "ItemChoice",
    "Knowledge",
    "Linkage",
    "MarginAttack",
    "Weighed",
    "attack",
    "attack_inference",
    "attack_linkage",
    "attack_margins",
]
