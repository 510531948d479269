"""[003]: clustering-based anonymization of transactions; its claims in the order of its experiment section."""

from anonset_papers import paper_003_km, paper_003_policies, paper_003_time, paper_003_utility

TITLE = "PCTA and UPCTA: utility-guided clustering-based transaction data anonymization"
CLAIMS = (
    *paper_003_km.CLAIMS,
    *paper_003_policies.CLAIMS,
    *paper_003_time.CLAIMS,
    *paper_003_utility.CLAIMS,
    *paper_003_time.CLAIMS_UNDER,
)
