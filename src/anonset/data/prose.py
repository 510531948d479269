"""Free text: sentences or notes that people wrote, which may name anybody."""

import re
from collections.abc import Collection, Sequence

import numpy as np

LONG, WORDS = 40, 4  # of a text, in signs and in blanks
LISTED = """
the a an and or of to in on at by for with from was were is are has had have been be not no she he her his they them
their after before that this when who which as it its but will would
der die das den dem des ein eine einen einer und oder mit von zu im in am auf bei nach vor nicht ist war hat sie er wird
le la les un une des du de et ou avec pour par sur dans est sont pas elle il qui que
el los las una unos y o con por para en se su del al lo es son
il gli uno di da con per che non sono
"""
STOP_WORDS = frozenset(LISTED.split())
JOINED = re.compile(r"[\s,;]+")
ENOUGH = 0.4  # of the texts that must have stop words among other words
DIFFERENT = 4  # stop words of which items that are words of sentences have at least so many
OFTEN = 0.1  # of all places of items that are taken by them


def is_text(values: Sequence[str]) -> bool:
    """Whether half of the values or more are long, or of several words."""
    return bool(values) and float(np.mean([len(text) >= LONG or text.count(" ") >= WORDS for text in values])) >= 0.5


def is_prose(values: Sequence[str]) -> bool:
    """Whether many of the values are words around stop words, as in sentences however short."""
    return bool(values) and float(np.mean([_is_sentence(text) for text in values])) >= ENOUGH


def _is_sentence(text: str) -> bool:
    words = [word.strip(".!?:").lower() for word in JOINED.split(text)]
    return len(words) >= 3 and sum(word in STOP_WORDS for word in words) >= 1 and any(w.isalpha() and len(w) > 3 for w in words)


def are_words_of_prose(items: Collection[str], times: Sequence[int]) -> bool:
    """Whether items are texts that were cut at blanks: stop words are among the items, and often."""
    found = {item.lower(): n for item, n in zip(items, times, strict=True) if item.lower() in STOP_WORDS and len(item) > 1}
    return len(found) >= DIFFERENT and sum(found.values()) >= OFTEN * sum(times)
