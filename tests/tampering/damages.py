"""Ways to tamper with a release: each changes some of its files and leaves the rest alone."""

import json
import shutil
from random import Random

from fuzzing.mutations import mutated_bytes, mutated_json

TEXTS = (".csv", ".jsonl", ".dat")


def files_of(folder):
    """Every file of the two halves, by its name in the release."""
    halves = (folder / "published", folder / "private")
    return {path.relative_to(folder).as_posix(): path for half in halves for path in sorted(half.rglob("*")) if path.is_file()}


def some_file(random, folder, *endings):
    """A file of the release whose name ends so, whichever half it is in."""
    named = [path for name, path in files_of(folder).items() if not endings or name.endswith(endings)]
    return random.choice(named) if named else random.choice(list(files_of(folder).values()))


def flipped_bits(random, folder, others):
    path = some_file(random, folder)
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 1, 3))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def other_bytes(random, folder, others):
    path = some_file(random, folder)
    path.write_bytes(mutated_bytes(random, path.read_bytes()))


def other_json(random, folder, others):
    path = some_file(random, folder, ".json")
    path.write_bytes(mutated_json(random, path.read_bytes()))


def swapped_lines(random, folder, others):
    path = some_file(random, folder, *TEXTS)
    lines = path.read_bytes().split(b"\n")
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    path.write_bytes(b"\n".join(lines))


def gone(random, folder, others):
    some_file(random, folder).unlink()


def emptied(random, folder, others):
    some_file(random, folder).write_bytes(b"")


def renamed(random, folder, others):
    path = some_file(random, folder)
    path.rename(path.with_name(f"{random.choice(('old', 'x.', ' '))}{path.name}"))


def put_there(random, folder, others):
    half = folder / random.choice(("published", "private"))
    name = random.choice(("raw.csv", "about.json.bak", ".hidden", "records.CSV", "domains.json", "assignments.npy"))
    if (half / name).exists():
        name += "x"
    (half / name).write_bytes(random.choice((b"", b"a,b\n1,2\n", random.randbytes(40), b"{}")))


def another_folder(random, folder, others):
    half = folder / random.choice(("published", "private"))
    (half / "more").mkdir()
    (half / "more" / "raw.csv").write_text("a,b\n")


def from_another_release(random, folder, others):
    """A file of another release, where it has one of that name."""
    name, path = random.choice(list(files_of(folder).items()))
    other = random.choice(others)
    if name in other:
        path.write_bytes(other[name])
    else:
        path.unlink()


def a_smaller_k(random, folder, others):
    """k, l and m lowered in all files that speak of them."""
    for path in files_of(folder).values():
        if path.suffix == ".json":
            path.write_text(json.dumps(_lowered(json.loads(path.read_bytes())), ensure_ascii=False, indent=2))


def _lowered(value):
    if isinstance(value, dict):
        size = {key: part - 1 for key, part in value.items() if key in ("k", "l", "m") and type(part) is int}
        return {key: size.get(key, _lowered(part)) for key, part in value.items()}
    return [_lowered(part) for part in value] if isinstance(value, list) else value


DAMAGES = (flipped_bits, other_bytes, other_json, swapped_lines, gone, emptied, renamed, put_there, another_folder)
DAMAGES += (from_another_release, a_smaller_k)


def tamper(random: Random, folder, others):
    """One damage, rarely several; the names of what was done."""
    done = [random.choice(DAMAGES) for _ in range(random.choice((1, 1, 1, 1, 2, 3)))]
    for damage in done:
        try:
            damage(random, folder, others)
        except (ValueError, OSError, IndexError):
            continue  # what it would change is damaged already
    return " + ".join(damage.__name__ for damage in done)


def restore(folder, whole):
    """Make the release what it was."""
    for half in ("published", "private"):
        for path in (folder / half).iterdir():
            if path.is_dir() and f"{half}/{path.name}" != "published/records.parquet":
                shutil.rmtree(path)
    for name, path in files_of(folder).items():
        if name not in whole:
            path.unlink()
    for name, data in whole.items():
        (folder / name).write_bytes(data)
