"""Apriori, COAT and PCTA over k: what [001] and [003] both look at."""

from collections.abc import Iterator
from functools import partial

from anonset_papers.claims import Experiment, Row
from anonset_papers.materials import Materials
from anonset_papers.trials import labelled, questions, trial, with_balanced

K_VALUES = (2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100)
ALGORITHMS = ("aa", "coat", "pcta")


def sweep_k(materials: Materials, source: str) -> Iterator[Row]:
    """k^2-anonymity by all three algorithms: accuracy, losses and risk."""
    data = with_balanced(materials.data(source))
    asked = questions(data, materials.pick(1000, 100))
    for k in materials.pick(K_VALUES, (2, 5, 10, 25)):
        for algorithm in ALGORITHMS:
            yield labelled(trial(data, algorithm, {"k": k, "m": 2}, asked=asked, ids=("risk",)), data=source, k=k)


SWEEP_WV1 = Experiment("k on WV1", ("WV1",), partial(sweep_k, source="WV1"))
SWEEP_WV2 = Experiment("k on WV2", ("WV2",), partial(sweep_k, source="WV2"))
