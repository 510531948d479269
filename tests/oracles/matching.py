"""How far released records are from what is known of a person, told value by value."""

from math import isnan


def column_distance(column, published, row, record, span):
    """The distance of a person's value from what a record shows in one column."""
    code, label = int(column.codes[row]), int(published.codes[record])
    if hasattr(published.labels, "low"):
        low = high = float("nan")
        if label >= 0:
            low, high = float(published.labels.low[label]), float(published.labels.high[label])
        value = float(column.values[code]) if code >= 0 else float("nan")
        if isnan(value) or isnan(low):
            return 0.0 if isnan(value) and isnan(low) else 1.0
        return min(1.0, max(0.0, low - value, value - high) / (span or 1.0))
    if code < 0 or label < 0:
        members = set() if label < 0 else set(list(published.labels.groups())[label].tolist())
        anything = label >= 0 and len(column.domain) > 1 and members == set(range(len(column.domain)))
        return 0.0 if (code < 0 and label < 0) or anything else 1.0
    return 0.0 if code in list(published.labels.groups())[label].tolist() else 1.0


def item_distance(known, labels, *, whole):
    """The distance of a set of known items from the sets behind a record's labels."""
    matched = min(len(known), sum(len(known & label) for label in labels))
    strangers = sum(not known & label for label in labels) if whole else 0
    of = len(known) + strangers
    return 1.0 - matched / of if of else 0.0


def described(known_items, labels, distances):
    """Whether a description fits: no column is at a distance, and every label stands for an item of the person."""
    return all(far == 0.0 for far in distances) and all(label & known_items for label in labels)
