"""Algorithms whose ties would be broken by where records stand in the input work on them in the order of their content."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.order import record_order
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


def whatever_the_order(anonymize: Callable[..., Release]) -> Callable[..., Release]:
    """The method, run on the records sorted by content: the same records in another order give the same release."""

    @wraps(anonymize)
    def run(self: Any, data: Dataset, *, progress: Progress = silent) -> Release:
        order = record_order(data)
        release = anonymize(self, data.take(order), progress=progress)
        release = replace(release, rows=order[release.rows])
        return release.take(np.argsort(release.rows))

    return run
