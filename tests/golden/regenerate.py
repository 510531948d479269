"""Make all golden entries anew and show what differs from those stored; write them with --write.

    python -m golden.regenerate [--write] [TOPIC ...]     (from tests/, or `make golden` with WRITE=1, TOPICS="rt commands")

An entry that fails is shown with its error and stays as it is stored.
"""

import argparse
import os
import sys
import traceback

from golden.entries import DAY, TOPICS, differences, plain, store, stored


def main(words=None):
    """The exit code: 0 where nothing differs or all was written, 1 where something differs, 2 where an entry failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="replace what is stored")
    parser.add_argument("--traceback", action="store_true", help="show where an entry failed")
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"some of: {', '.join(TOPICS)}")
    given = parser.parse_args(words)
    unknown = set(given.topics) - TOPICS.keys()
    if unknown:
        parser.error(f"unknown topics: {', '.join(sorted(unknown))}")
    os.environ.setdefault("SOURCE_DATE_EPOCH", DAY)
    changed = failed = 0
    for topic in given.topics or TOPICS:
        old, (new, broken) = stored(topic), _made(topic, given.traceback)
        lines = _lines(old, new, broken)
        print(f"{topic}: {len(new)} entries, {len(lines) or 'no'} changed", *lines, sep="\n  ", flush=True)
        changed, failed = changed + len(lines), failed + len(broken)
        if given.write:
            store(topic, new | {name: old[name] for name in broken if name in old})
    verb = "written" if given.write else "not written (--write writes them)"
    print(f"{changed} entries changed{f', {verb}' if changed else ''}; {failed} failed")
    return 2 if failed else int(bool(changed) and not given.write)


def _made(topic, trace):
    """The entries of a topic, and the errors of those that could not be made."""
    new, broken = {}, {}
    try:
        makers = TOPICS[topic]()
    except Exception as error:
        return {}, dict.fromkeys(stored(topic), _told(error, trace))
    for name, make in makers.items():
        try:
            new[name] = plain(make())
        except Exception as error:
            broken[name] = _told(error, trace)
    return new, broken


def _told(error, trace):
    return "".join(traceback.format_exception(error)) if trace else f"{type(error).__name__}: {error}"


def _lines(old, new, broken):
    """For each entry that changed, its name and what changed."""
    found = [f"FAILED {name}: {why}" for name, why in broken.items()]
    for name in sorted(old.keys() | new.keys()):
        if name in broken:
            continue
        if name not in new:
            found.append(f"gone: {name}")
        elif name not in old:
            found.append(f"new: {name}")
        elif old[name] != new[name]:
            found.append("\n      ".join([f"changed: {name}", *differences(old[name], new[name])]))
    return found


if __name__ == "__main__":
    sys.exit(main())
