"""Whether the truth of random counts is between the bounds of `open_published`: random data, every algorithm and format.

PYTHONPATH=tests:bench python bench/check_recipient.py [COUNTS [SEED]]
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from recipient_cases import case_of, outside, random_questions


def main(counts: int, seed: int) -> int:
    random, tally, wrong = Random(seed), Counter(), 0
    with tempfile.TemporaryDirectory() as place:
        while tally["counts"] < counts:
            case = case_of(random, Path(place))
            if case is None:
                tally["refused"] += 1
                continue
            found = outside(case, random_questions(random, case, 100))
            tally["counts"] += 100
            tally[case.name] += 1
            wrong += len(found)
            for line in found[:3]:
                print(line, flush=True)
    print(f"{tally.pop('counts'):,} counts, {wrong} outside their bounds; releases by {dict(sorted(tally.items()))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*(int(text) for text in (sys.argv[1:] + ["100000", "1"][len(sys.argv) - 1 :]))))
