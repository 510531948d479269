"""The risk of each published record, by listing what an attacker may know."""

from itertools import combinations


def looks(release, r):
    """What a record shows in its quasi columns."""
    return tuple((c.name, None if c.codes[r] < 0 else c.labels.texts[c.codes[r]]) for c in release.quasi)


def shown_labels(original, release, r):
    """The labels a record shows, without those of sensitive items."""
    items = release.items
    if items is None:
        return set()
    hidden = set()
    if original.sensitive_items is not None:
        hidden = {n for n, s in zip(original.transactions.domain, original.sensitive_items, strict=True) if s}
    found = {int(a) for a in items.shown[items.offsets[r] : items.offsets[r + 1]]}
    groups = [{items.domain[i] for i in group} for group in items.labels.groups()]
    return {a for a in found if not (len(groups[a]) == 1 and groups[a] <= hidden)}


def record_risks(original, release, m):
    """m None: the attacker knows all items."""
    records = [(looks(release, r), shown_labels(original, release, r)) for r in range(len(release))]
    found = []
    for look, labels in records:
        most = len(labels) if m is None else min(m, len(labels))
        known = [set(c) for size in range(most + 1) for c in combinations(sorted(labels), size)]
        found.append(1 / min(sum(look == other and some <= theirs for other, theirs in records) for some in known))
    return found


def matches(original, release):
    """For each published record how many published ones its original record matches."""
    items, records = release.items, list(original.transactions.records())

    def names(offsets, entries, p):
        return {items.domain[i] for i in entries[offsets[p] : offsets[p + 1]]}

    shown = [
        (names(items.base_offsets, items.base, p), names(items.distance_offsets, items.distance, p), items.threshold[p])
        for p in range(len(release))
    ]

    def fits(row, p):
        base, distance, threshold = shown[p]
        different = records[row] ^ base
        return different <= distance and len(different) <= threshold and all(covers(row, p, c) for c in release.quasi)

    def covers(row, p, column):
        mine, label = original.column(column.name), column.codes[p]
        value = mine.codes[row]
        if label < 0:
            return value < 0
        if hasattr(column.labels, "low"):
            inside = {c for c, v in enumerate(mine.values) if column.labels.low[label] <= v <= column.labels.high[label]}
        else:
            inside = set(list(column.labels.groups())[label].tolist())
        return value in inside if value >= 0 else len(inside) == len(mine.domain)

    return [sum(fits(row, p) for p in range(len(release))) for row in release.rows.tolist()]
