"""[000]: relational values and items of a record together; figures 4 to 7."""

from anonset_papers import paper_000_choices, paper_000_time, paper_000_utility

TITLE = "(k, k^m)-anonymity of records with relational and set-valued attributes"
CLAIMS = (*paper_000_utility.CLAIMS, *paper_000_time.CLAIMS, *paper_000_choices.CLAIMS)
