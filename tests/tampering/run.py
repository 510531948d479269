"""Tamper with releases at random and ask verify: python -m tampering.run CHANGES [SEED] (with tests/ on the path).

Every change must be found, every changed file named where a verdict is given, and nothing raw or internal may be told.
"""

import io
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random, SystemRandom

from anonset.algorithms import ALGORITHMS
from anonset.cli import main
from anonset.data.formats import RELEASE_FORMATS
from anonset.errors import AnonsetError
from soaking.run import people, released
from tampering.damages import files_of, restore, tamper

MARKER = "Qzx7"  # part of every town and item: no error may repeat it
CHANGES = 5_000


def makes(random, place, names):
    """A release for each algorithm, in a random format each: folders with t.csv and out/."""
    made = []
    for name in names:
        folder = place / name
        folder.mkdir()
        formats = [format for format in RELEASE_FORMATS if format != "fimi" or "quasi" not in ALGORITHMS[name].covers]
        for _ in range(30):
            everybody = [
                person | {"town": MARKER + person["town"], "codes": {MARKER + code for code in person["codes"]}}
                for person in people(random)
            ]
            try:
                released(random, name, everybody, folder, 2, 2, random.choice(formats))
                made.append(folder)
                break
            except AnonsetError:
                continue
    return made


def said(*words):
    """The exit code of a command and what it told, the errors apart."""
    shown, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(shown), redirect_stderr(errors):
        code = main([str(word) for word in words])
    return code, shown.getvalue(), errors.getvalue()


def another_original(random, folder):
    """A table that is not the one the release was made of: verify must say so, or find a breach."""
    header, *lines = (folder / "t.csv").read_text().splitlines()
    what = random.choice(("other order", "one less", "one more", "another value"))
    if what == "other order":
        random.shuffle(lines)
    elif what == "one less":
        lines.pop(random.randrange(len(lines)))
    elif what == "one more":
        lines.append(random.choice(lines))
    else:
        at = random.randrange(len(lines))
        lines[at] = random.choice(lines) if random.random() < 0.5 else lines[at].replace(",", " ,", 1)
    (folder / "o.csv").write_text("\n".join([header, *lines]) + "\n")
    code, shown, errors = said("verify", folder / "out", "--original", folder / "o.csv")
    same = (folder / "o.csv").read_bytes() == (folder / "t.csv").read_bytes()
    if not same and code == 0 and "other bytes" not in shown + errors:
        return what, f"another original is not told: {shown}"
    return what, _indecent(code, errors)


def changed_files(folder, whole):
    """The names of the files that are not what they were."""
    now = {name: path.read_bytes() for name, path in files_of(folder).items()}
    return sorted(name for name in now.keys() | whole.keys() if now.get(name) != whole.get(name))


def _indecent(code, errors):
    """What no error may be: internal, a library's, or a piece of the data."""
    if code not in (0, 2, 3) or "internal error" in errors or "Traceback" in errors:
        return f"exit {code}: {errors[:300]}"
    return f"a value of the data in an error: {errors[:300]}" if MARKER in errors and code == 2 else ""  # 3 quotes what is out


def tampered_once(random, folder, whole, others):
    """One change: what it was, and what is wrong with how it is taken."""
    done = tamper(random, folder / "out", others)
    changed = changed_files(folder / "out", whole)
    if not changed:
        return "nothing", ""
    code, shown, errors = said("verify", folder / "out", "--original", folder / "t.csv")
    told = shown + errors
    named = [name for name in changed if name.rpartition("/")[2] in told]
    if code == 0:
        return done, f"NOT FOUND: {changed}"
    all_are_known = "unchanged since published" in told and "does not list the files" not in told
    all_are_known &= "private/manifest.json" not in changed  # that of another release lists the files of that one
    if not named or (len(named) < len(changed) and all_are_known):
        return done, f"NOT NAMED: {sorted(set(changed) - set(named))} (exit {code}): {told[-400:]}"
    return done, _indecent(code, errors)


def tamper_with_all(changes, seed, names=None):
    """What was changed how often, and everything that is wrong."""
    random, tally, wrong = Random(seed), Counter(), []
    with tempfile.TemporaryDirectory() as place:
        folders = makes(random, Path(place), names or [name for name in ALGORITHMS if name != "identity"])
        wholes = {f: {name: path.read_bytes() for name, path in files_of(f / "out").items()} for f in folders}
        while tally.total() < changes:
            folder = random.choice(folders)
            others = [whole for other, whole in wholes.items() if other != folder] or [{}]
            if random.random() < 0.08:
                what, told = another_original(random, folder)
            else:
                what, told = tampered_once(random, folder, wholes[folder], others)
                restore(folder / "out", wholes[folder])
            tally[what] += 1
            if told:
                wrong.append(f"{folder.name} {what}: {told}")
    return tally, wrong, len(folders)


if __name__ == "__main__":
    changes = int(sys.argv[1]) if len(sys.argv) > 1 else CHANGES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SystemRandom().randrange(10**9)
    tally, wrong, releases = tamper_with_all(changes, seed)
    print(f"seed {seed}: {tally.total():,} changes of {releases} releases, {len(wrong)} complaints")
    print(*(f"  {count:,} {what}" for what, count in tally.most_common(25)), *wrong[:20], sep="\n")
    sys.exit(bool(wrong))
