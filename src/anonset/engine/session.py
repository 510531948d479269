"""Open data that are read in batches: plan the work, cut the input into batches, find the domains, start an engine."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonset.data.roles import guess_roles
from anonset.engine.domains import coder_of
from anonset.engine.executors import Engine, Threads
from anonset.engine.journal import Driver
from anonset.engine.people import SAMPLE, records_of
from anonset.engine.planning import Resources, WorkPlan, plan
from anonset.engine.questions import Context, Values
from anonset.engine.source import BatchSource, open_source
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases
from anonset.model.schema import Schema


@contextmanager
def open_session(
    data: Any,
    schema: Schema,
    resources: Resources,
    work: Path,
    phases: Phases,
    dress: Callable[[Dataset], Dataset] = lambda roster: roster,
) -> Iterator[tuple[Driver, BatchSource, WorkPlan]]:
    """Open the data; yield a driver that knows all domains, the batches and the plan, and close the engine at the end.

    `dress` adds hierarchies and sensitive items to the roster.
    """
    records = records_of(open_source(data, schema, work), schema, work)
    source, sample = records.source, records.sample(SAMPLE)
    start = time.process_time()
    records.sample(SAMPLE)  # timed on the second reading: the first one loads libraries
    reading = time.process_time() - start
    guess = guess_roles(sample, records.schema)
    planned = plan(source, sample, reading, guess, resources)
    source = source.split(planned.batch_rows)
    engine = engine_of(resources, planned)
    try:
        context = Context(work, keep=planned.keeps)
        driver = Driver(engine, context, phases, source.fingerprint + repr((guess.schema, schema)))
        values = driver.ask(Values(guess.schema), source.batches)
        context.coder = coder_of(values, guess, schema, sample, source, dress)
        yield driver, source, planned
    finally:
        engine.close()


def engine_of(resources: Resources, planned: WorkPlan) -> Engine:
    """Return the engine that the plan names."""
    if planned.engine == "dask":
        from anonset.engine.executors import DaskCluster  # the extra `scale`

        return DaskCluster.open(resources.scheduler, planned.jobs)
    return Threads(planned.jobs)
