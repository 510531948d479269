"""What labels of records say about items, record by record: labels are sets of items, records are sets of labels."""

from fractions import Fraction


def standing(items, shown, labels):
    """For each item of a record the smallest label shown for it, the first of several; -1 where there is none."""

    def best(item):
        return min((a for a in sorted(shown) if item in labels[a]), key=lambda a: len(labels[a]), default=-1)

    return [best(item) for item in sorted(items)]


def exact(record, labels):
    """The items that a record shows as they are."""
    return {item for a in record if len(labels[a]) == 1 for item in labels[a]}


def hiding(records, labels, item):
    """How many records show the item behind a larger label and not as it is."""
    return sum(any(item in labels[a] for a in record) and item not in exact(record, labels) for record in records)


def free(record, labels, a):
    """The members of a label that the record does not show exactly beside it; 1 for an exact label."""
    return 1 if len(labels[a]) == 1 else len(labels[a] - exact(record, labels))


def share_of_subsets(record, labels, wanted):
    """The share of the non-empty subsets behind the smallest label of each wanted item that hold it; None: no label."""
    chosen = standing(wanted, record, labels)
    if -1 in chosen:
        return None
    share = Fraction(1)
    for a in set(chosen):
        n = len(labels[a])
        share *= Fraction(2 ** (n - chosen.count(a)), 2**n - 1)
    return share


def share_of_item(record, labels, item, factor):
    """The sum over the record's labels for an item, at most 1; None: no label."""
    mine = [a for a in record if item in labels[a]]
    if not mine:
        return None

    def part(a):
        if len(labels[a]) == 1:
            return 1.0
        return min(1.0, factor / free(record, labels, a)) if free(record, labels, a) else 0.0

    return min(1.0, sum(map(part, mine)))


def share_of_items(record, labels, wanted, factors):
    """The product over independent items; None where the record has no label for one."""
    product = 1.0
    for item in wanted:
        share = share_of_item(record, labels, item, factors[item])
        if share is None:
            return None
        product *= share
    return product


def hidden_sizes(records, labels, item):
    """The free members of every larger label for the item in the records that do not show it exactly."""
    return [
        free(record, labels, a)
        for record in records
        if item not in exact(record, labels)
        for a in record
        if item in labels[a] and len(labels[a]) > 1
    ]
