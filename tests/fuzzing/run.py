"""Damage files and feed them to the commands: python -m fuzzing.run FILES [SEED] (with tests/ on the path)."""

import sys
import tempfile
from pathlib import Path
from random import Random, SystemRandom

from fuzzing.targets import TARGETS, complaint, whole_files


def fuzz(files: int, seed: int) -> dict[str, list[str]]:
    """The complaints by target; each target gets the same share of the files: a number, so that a seed says it all."""
    found: dict[str, list[str]] = {}
    each = -(-files // len(TARGETS))
    with tempfile.TemporaryDirectory() as place:
        whole_files(Path(place))
        for name, target in TARGETS.items():
            random = Random(f"{seed} {name}")
            whole = (Path(place) / target.file).read_bytes()
            for _ in range(each):
                damaged = target.damage(random, whole)
                if told := complaint(target, Path(place), damaged):
                    found.setdefault(name, []).append(f"{told.strip()}\n    {damaged[:300]!r}")
    print(f"{each * len(TARGETS):,} damaged files with seed {seed}: {sum(map(len, found.values()))} complaints")
    return found


if __name__ == "__main__":
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    complaints = fuzz(files, int(sys.argv[2]) if len(sys.argv) > 2 else SystemRandom().randrange(10**9))
    for name, told in complaints.items():
        print(f"== {name}: {len(told)}", *dict.fromkeys(told[:5]), sep="\n  ")
    sys.exit(bool(complaints))
