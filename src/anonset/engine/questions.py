"""What is asked about data in pieces: an answer for each unit of work, and how answers become one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from anonset.engine.domains import Answer, Coder, count_values, merge_values
from anonset.engine.source import Piece, read_piece
from anonset.errors import AnonsetError, InputError
from anonset.model.dataset import Dataset
from anonset.model.ends import Ends
from anonset.model.schema import Schema


@dataclass(eq=False)
class Context:
    """What every question needs to know: how pieces are coded, and the folder all workers can write to."""

    work: Path
    coder: Coder | None = None
    keep: bool = False  # coded pieces stay in memory
    kept: dict[Piece, Dataset] = field(default_factory=dict, repr=False)
    ends: Ends = "auto"  # of published ranges

    def __getstate__(self) -> dict[str, Any]:
        return {"work": self.work, "coder": self.coder, "keep": False, "kept": {}, "ends": self.ends}

    @property
    def roster(self) -> Dataset:
        """The small dataset that knows all domains."""
        assert self.coder is not None
        return self.coder.roster

    def batch(self, piece: Piece) -> Dataset:
        """The coded records of a piece."""
        found = self.kept.get(piece)
        if found is None:
            assert self.coder is not None
            found = self.coder.batch(read_piece(piece))
            if self.keep:
                self.kept[piece] = found
        return found


class Question(Protocol):
    """A state that units are folded into, one after the other; states of several workers are merged."""

    name: ClassVar[str]

    def fold(self, state: Any, unit: Any, context: Context) -> Any:
        """The state (None at first) with one more unit."""
        ...

    def answer(self, state: Any) -> Answer:
        """The state as plain arrays: what travels and what is written down."""
        ...

    def merge(self, state: Any, answer: Answer) -> Any:
        """The state (None at first) with the answer of another worker."""
        ...


class Summed(ABC):
    """A question whose answers for units are merged two by two."""

    name: ClassVar[str] = ""

    @abstractmethod
    def ask(self, unit: Any, context: Context) -> Answer:
        """The answer for one unit."""

    def both(self, first: Answer, second: Answer) -> Answer:
        """Two answers as one: arrays of one name below each other."""
        return {key: np.concatenate([first[key], second[key]]) for key in first}

    def fold(self, state: Answer | None, unit: Any, context: Context) -> Answer:
        """The state with one more unit."""
        return self.merge(state, self.ask(unit, context))

    def answer(self, state: Answer) -> Answer:
        """The state is the answer."""
        return state

    def merge(self, state: Answer | None, answer: Answer) -> Answer:
        """The state with another answer."""
        return answer if state is None else self.both(state, answer)


@dataclass(frozen=True)
class Values(Summed):
    """Which values occur, and how often."""

    schema: Schema
    name: ClassVar[str] = "values"

    def ask(self, unit: Piece, context: Context) -> Answer:
        """The values of a piece."""
        return count_values(read_piece(unit), self.schema)

    def both(self, first: Answer, second: Answer) -> Answer:
        """The values of both."""
        return merge_values(first, second)


class LostPiece(InputError):
    """A piece of the data, or of what is written, that could not be worked on."""


def folded(question: Question, units: Sequence[Any], context: Context, done: Callable[[], None] = lambda: None) -> Answer:
    """The answer of one worker for its units, told after each; whatever goes wrong names the unit."""
    state = None
    for unit in units:
        try:
            state = question.fold(state, unit, context)
        except MemoryError:
            raise LostPiece(f"{question.name}: {unit}: memory ran out; allow more, or use fewer jobs") from None
        except AnonsetError as error:
            if isinstance(error, LostPiece) or type(error) is not InputError:
                raise
            raise LostPiece(f"{question.name}: {unit}: {error}") from None
        except OSError as error:
            raise LostPiece(f"{question.name}: {unit}: {error.strerror or type(error).__name__}") from None
        except Exception as error:  # whatever it is, the piece must be named; --traceback shows the rest
            raise LostPiece(f"{question.name}: {unit}: {type(error).__name__}") from error
        done()
    return question.answer(state)
