"""Damage files for a while and feed them to the commands: python -m fuzzing.run SECONDS [SEED] (with tests/ on the path)."""

import sys
import tempfile
import time
from pathlib import Path
from random import Random, SystemRandom

from fuzzing.targets import TARGETS, complaint, whole_files


def fuzz(seconds: float, seed: int) -> dict[str, list[str]]:
    """The complaints by target; each target gets the same share of the time."""
    found, tried = {}, 0
    with tempfile.TemporaryDirectory() as place:
        whole_files(Path(place))
        for name, target in TARGETS.items():
            random, until = Random(f"{seed} {name}"), time.monotonic() + seconds / len(TARGETS)
            whole = (Path(place) / target.file).read_bytes()
            while time.monotonic() < until:
                damaged, tried = target.damage(random, whole), tried + 1
                if told := complaint(target, Path(place), damaged):
                    found.setdefault(name, []).append(f"{told.strip()}\n    {damaged[:300]!r}")
    print(f"{tried:,} damaged files with seed {seed}: {sum(map(len, found.values()))} complaints")
    return found


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    complaints = fuzz(seconds, int(sys.argv[2]) if len(sys.argv) > 2 else SystemRandom().randrange(10**9))
    for name, told in complaints.items():
        print(f"== {name}: {len(told)}", *dict.fromkeys(told[:5]), sep="\n  ")
    sys.exit(bool(complaints))
