"""Questions about data in batches: each computes an answer for a unit of work and merges answers (map and reduce)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from anonset.engine.domains import Answer, Coder, count_values, merge_values
from anonset.engine.source import BatchRef, read_batch
from anonset.errors import AnonsetError, InputError
from anonset.model.dataset import Dataset
from anonset.model.ends import Ends
from anonset.model.schema import Schema


@dataclass(eq=False)
class Context:
    """What every question needs: the coder of batches, and the work folder that all workers share."""

    work: Path
    coder: Coder | None = None
    keep: bool = False  # whether coded batches stay in memory
    kept: dict[BatchRef, Dataset] = field(default_factory=dict, repr=False)
    ends: Ends = "auto"  # how the ends of published ranges are chosen

    def __getstate__(self) -> dict[str, Any]:
        return {"work": self.work, "coder": self.coder, "keep": False, "kept": {}, "ends": self.ends}

    @property
    def roster(self) -> Dataset:
        """Return the small dataset that has all domains."""
        assert self.coder is not None
        return self.coder.roster

    def batch(self, ref: BatchRef) -> Dataset:
        """Return the coded records of a batch."""
        found = self.kept.get(ref)
        if found is None:
            assert self.coder is not None
            found = self.coder.batch(read_batch(ref))
            if self.keep:
                self.kept[ref] = found
        return found


class Question(Protocol):
    """A fold over units of work: each worker folds its units into a state, and the states are merged."""

    name: ClassVar[str]

    def fold(self, state: Any, unit: Any, context: Context) -> Any:
        """Add one more unit to the state (None at first)."""
        ...

    def answer(self, state: Any) -> Answer:
        """Return the state as plain arrays, which can be sent and stored."""
        ...

    def merge(self, state: Any, answer: Answer) -> Any:
        """Add the answer of another worker to the state (None at first)."""
        ...


class Summed(ABC):
    """A question whose answers for units are merged two by two."""

    name: ClassVar[str] = ""

    @abstractmethod
    def ask(self, unit: Any, context: Context) -> Answer:
        """Return the answer for one unit."""

    def both(self, first: Answer, second: Answer) -> Answer:
        """Merge two answers: concatenate arrays of the same name."""
        return {key: np.concatenate([first[key], second[key]]) for key in first}

    def fold(self, state: Answer | None, unit: Any, context: Context) -> Answer:
        """Add one more unit to the state."""
        return self.merge(state, self.ask(unit, context))

    def answer(self, state: Answer) -> Answer:
        """Return the state, which is the answer."""
        return state

    def merge(self, state: Answer | None, answer: Answer) -> Answer:
        """Add another answer to the state."""
        return answer if state is None else self.both(state, answer)


@dataclass(frozen=True)
class Values(Summed):
    """The values that occur, with their counts."""

    schema: Schema
    name: ClassVar[str] = "values"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the values of a batch."""
        return count_values(read_batch(unit), self.schema)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the values of both."""
        return merge_values(first, second)


class LostBatch(InputError):
    """A unit of work failed; the run can be resumed."""


def folded(question: Question, units: Sequence[Any], context: Context, done: Callable[[], None] = lambda: None) -> Answer:
    """Return one worker's answer for its units; call `done` after each. Errors name the unit."""
    state = None
    for unit in units:
        try:
            state = question.fold(state, unit, context)
        except MemoryError:
            raise LostBatch(f"{question.name}: {unit}: memory ran out; allow more, or use fewer jobs") from None
        except AnonsetError as error:
            if isinstance(error, LostBatch) or type(error) is not InputError:
                raise
            raise LostBatch(f"{question.name}: {unit}: {error}") from None
        except OSError as error:
            raise LostBatch(f"{question.name}: {unit}: {error.strerror or type(error).__name__}") from None
        except Exception as error:  # any error must name the unit; --traceback shows the rest
            raise LostBatch(f"{question.name}: {unit}: {type(error).__name__}") from error
        done()
    return question.answer(state)
