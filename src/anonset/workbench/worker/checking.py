"""Checking a file that another tool made, in a worker."""

from pathlib import Path
from typing import Any

from anonset.tasks import verify
from anonset.workbench.orders import Reading
from anonset.workbench.steps import SetPromise
from anonset.workbench.values import Verdict
from anonset.workbench.worker.inspecting import told_verdict
from anonset.workbench.worker.reading import WorkerCaches


def check_file(desk: WorkerCaches, report: Any, *, reading: Reading, file: Path, promise: SetPromise, aligned: bool) -> Verdict:
    """What the check of a file finds, under the promise that fits the data: of their columns, their items, or both."""
    data = desk.data(reading)
    has_items, has_columns = data.transactions is not None, bool(data.with_role("quasi"))
    values = {"k": promise.k} | ({"m": promise.m} if has_items else {})
    fitting = ("k-km" if has_columns else "km-anonymity") if has_items else "k-anonymity"
    wanted = verify.Promise(promise.guarantee or fitting, values)
    return told_verdict(verify.run(verify.VerifyRequest(file, desk.source(reading), wanted, aligned), report).verdict)
