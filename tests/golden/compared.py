"""How an entry is compared with what is stored of it."""

from golden.entries import TOPICS, differences, plain, stored

ADVICE = "run `make golden` to see all changes, and `make golden WRITE=1` where they are on purpose"


def entries_of(*topics):
    """Topic and name of all entries: those that are made, and those that are only stored."""
    return [(topic, name) for topic in topics for name in sorted(TOPICS[topic]().keys() | stored(topic).keys())]


def assert_as_stored(topic, name):
    """Make the entry and compare it."""
    make = TOPICS[topic]().get(name)
    assert make is not None, f"{topic}: {name} is stored and not made any more; {ADVICE}"
    assert name in stored(topic), f"{topic}: {name} is not stored yet; {ADVICE}"
    found = "\n".join(differences(stored(topic)[name], plain(make())))
    assert not found, f"{topic}: {name} changed; {ADVICE}\n{found}"
