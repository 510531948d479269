"""Every deliberate error.

AnonsetError                what a user can be told in one line
  InputError                a file, a table or a value is not what was expected        exit 2
    NewValuesError          values of the data that a hierarchy does not cover         exit 2
    ExposureError           a column that would go out as it is nearly names people    exit 2
  ParameterError            a parameter is unknown or out of range                     exit 2
  GuaranteeViolated         the check found a breach, or could not check everything    exit 3
  InfeasibleError           the request cannot be met on this data                     exit 4
    UncoveredError          an attacker may know something that no guarantee covers    exit 4
    WorthlessError          what is left says next to nothing                          exit 4
  Cancelled                 the user stopped the work                                  exit 130
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

LONGEST_MESSAGE = 1_000  # characters
LONG_QUOTE = re.compile(r"""(?<!\w)(['"])((?:(?!\1)[^\\]|\\.){41,}?)\1(?!\w)""")

LONGEST_NAME = 200  # characters of a file's name that a message has room for


class AnonsetError(Exception):
    """An error that a user can be told in one line; it quotes no more than the beginning of a long text."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "") -> None:
        text = LONG_QUOTE.sub(lambda found: f"{found[1]}{found[2][:12]}...{found[1]} ({len(found[2]):,} characters)", message)
        super().__init__(text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "...")


class InputError(AnonsetError):
    """What was read is not what was expected; names file, line and column where they are known."""

    exit_code = 2

    def __init__(
        self, message: str, *, file: str | Path | None = None, line: int | None = None, column: str | int | None = None
    ) -> None:
        place = [_end(str(file))] if file is not None else []
        place += [f"line {line}"] if line is not None else []
        place += [f"column {column}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)


def _end(file: str) -> str:
    return file if len(file) <= LONGEST_NAME else f"...{file[-LONGEST_NAME:]}"


class NewValuesError(InputError):
    """Values of the data that a hierarchy does not cover."""

    def __init__(
        self, message: str, values: Sequence[str] = (), *, file: str | Path | None = None, column: str | None = None
    ) -> None:
        super().__init__(message, file=file, column=column)
        self.values = tuple(values)


class ExposureError(InputError):
    """A column that would be published as it is has values that nearly name people."""


class ParameterError(AnonsetError):
    """A parameter is unknown, of the wrong type or out of its range."""

    exit_code = 2


class GuaranteeViolated(AnonsetError):
    """The promised guarantee does not hold on what would be, or was, published."""

    exit_code = 3


class InfeasibleError(AnonsetError):
    """No release can meet the request on this data."""

    exit_code = 4


class UncoveredError(InfeasibleError):
    """Something an attacker may know would be published without a guarantee that covers it."""


class WorthlessError(InfeasibleError):
    """Nearly all of an attribute would be published as "anything"."""


class Cancelled(AnonsetError):
    """The user stopped the work; nothing was written."""

    exit_code = 130
