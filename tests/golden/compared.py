"""How an entry is compared with what is stored of it."""

import functools

from golden.entries import TOPICS, differences, plain, stored

ADVICE = "run `make golden` to see all changes, and `make golden WRITE=1` where they are on purpose"


def entries_of(*topics):
    """Topic and name of all entries that are stored; nothing is made to find them, so that collecting tests takes no time."""
    return [(topic, name) for topic in topics for name in sorted(stored(topic))]


@functools.cache
def _makers(topic):
    return TOPICS[topic]()


def assert_all_stored(topic):
    """Every entry that is made is stored, and the other way round."""
    made, known = _makers(topic).keys(), stored(topic).keys()
    assert made == known, f"{topic}: new {sorted(made - known)}, gone {sorted(known - made)}; {ADVICE}"


def assert_as_stored(topic, name):
    """Make the entry and compare it."""
    make = _makers(topic).get(name)
    assert make is not None, f"{topic}: {name} is stored and not made any more; {ADVICE}"
    found = "\n".join(differences(stored(topic)[name], plain(make())))
    assert not found, f"{topic}: {name} changed; {ADVICE}\n{found}"
