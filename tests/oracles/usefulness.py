"""What is left of a release, occurrence by occurrence, and naive Bayes with dictionaries."""

from math import log

from oracles.measures import published_sets


def label_sizes(original, release):
    """For each linkable occurrence the size of its smallest label; None where it says nothing any more."""
    hidden = set()
    if original.sensitive_items is not None:
        hidden = {n for n, s in zip(original.transactions.domain, original.sensitive_items, strict=True) if s}
    shown = dict(zip(release.rows.tolist(), published_sets(release), strict=True))
    everything = len(original.transactions.domain)
    found = []
    for r, record in enumerate(original.transactions.records()):
        for item in record - hidden:
            size = min((len(group) for group in shown.get(r, []) if item in group), default=None)
            found.append(None if size is None or (size > 1 and size == everything) else size)
    return found


def survival(before, after):
    both = len(before & after)
    return both / len(after) if after else 1.0, both / len(before) if before else 1.0, len(before), len(after)


def rules(records, least, confidence, every):
    """The rules among the given itemsets that so many records and so large a share of those concerned hold."""

    def support(items):
        return sum(set(items) <= record for record in records)

    return {
        (tuple(i for i in items if i != item), item)
        for items in every
        if len(items) > 1 and support(items) >= least
        for item in items
        if support(items) >= confidence * support(set(items) - {item})
    }


def naive_bayes(rows, targets, question, values, domains, items):
    """The likeliest value for a question: rows are (column values or None, item set), all exact."""
    best, best_score = None, None
    for value in values:
        mine = [row for row, target in zip(rows, targets, strict=True) if target == value]
        score = log((len(mine) + 1) / (len(rows) + len(values)))
        for c, domain in enumerate(domains):
            if question[0][c] is not None:
                same = sum(row[0][c] == question[0][c] for row in mine)
                known = sum(row[0][c] is not None for row in mine)
                score += log((same + 1) / (known + len(domain)))
        for item in items:
            share = (sum(item in row[1] for row in mine) + 1) / (len(mine) + 2)
            score += log(share if item in question[1] else 1 - share)
        if best_score is None or score > best_score + 1e-9:
            best, best_score = value, score
    return best
