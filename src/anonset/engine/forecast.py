"""How long an algorithm on parts will take: tried on few records, then on twice as many, while that is a small share of it."""

import math
import time
from collections.abc import Callable

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.errors import AnonsetError
from anonset.model.dataset import Dataset

WORTH_IT = 20_000  # records: with fewer nobody waits
FIRST = 500  # records of the first trial
ENOUGH = 1.0  # seconds of a trial that is not doubled any more
SHARE = 0.03  # of all records that are tried at most
GROWTH = (0.9, 2.0)  # how time may grow with the records of a part, as an exponent


def seconds_on_parts(
    algorithm: Algorithm, data: Dataset, part: int, records: int, clock: Callable[[], float] = time.process_time
) -> float:
    """CPU seconds for so many records in parts of this size, from trials on `data`; 0 where it is not worth a trial."""
    if records < WORTH_IT:
        return 0.0
    part, tried = min(part, records), list[tuple[int, float]]()
    most = min(part, len(data), max(2 * FIRST, int(SHARE * records)))
    n = FIRST
    try:
        algorithm.anonymize(_some(data, FIRST))  # compiles, or loads what was compiled
        while n <= most and (not tried or tried[-1][1] < ENOUGH):
            start = clock()
            algorithm.anonymize(_some(data, n))
            tried.append((n, clock() - start))
            n = 2 * n if 2 * n <= most or n == most else most
    except AnonsetError:
        pass  # what few records do not allow, many may
    if not tried:
        return 0.0
    (few, quick), (many, slow) = tried[-2:] if len(tried) > 1 else (tried[-1], tried[-1])
    grown = math.log(slow / quick) / math.log(many / few) if many > few and slow > 0 < quick else 1.0
    return float(slow * (part / many) ** min(max(grown, GROWTH[0]), GROWTH[1]) * records / part)


def _some(data: Dataset, n: int) -> Dataset:
    """So many records, from everywhere."""
    return data.take(np.linspace(0, len(data) - 1, min(n, len(data))).astype(np.int64))
