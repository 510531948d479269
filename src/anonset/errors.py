"""Every deliberate error, with what went wrong as fields and what to change as data.

AnonsetError                an error with a message of one line
  InputError                a file, a table or a value is not what was expected        exit 2
    NewValuesError          values of the data that a hierarchy does not cover         exit 2
    ExposureError           a column that would go out as it is nearly names people    exit 2
  ParameterError            a parameter is unknown or out of range                     exit 2
  PluginError               the code of a plug-in failed; it is named                  exit 2
  GuaranteeViolated         the check found a breach, or could not check everything    exit 3
  InfeasibleError           the request cannot be met on this data                     exit 4
    UncoveredError          an attacker may know something that no guarantee covers    exit 4
    WorthlessError          what is left says next to nothing                          exit 4
  Cancelled                 the user stopped the work                                  exit 130
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar

LONGEST_MESSAGE = 1_000  # characters
LONG_QUOTE = re.compile(r"""(?<!\w)(['"])((?:(?!\1)[^\\]|\\.){41,}?)\1(?!\w)""")

LONGEST_NAME = 200  # characters of a file's name that a message has room for


@dataclass(frozen=True, slots=True)
class Set:
    """A parameter of a request and the value that helps; without a value, whatever value the user means."""

    name: str
    value: object = ...

    def __str__(self) -> str:
        return f"{self.name}={'...' if self.value is ... else repr(self.value)}"


@dataclass(frozen=True, slots=True)
class SetParameter:
    """A parameter of an algorithm and the value that helps."""

    name: str
    value: object

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the Python interface that helps."""

    name: str

    def __str__(self) -> str:
        return self.name


Setting = Set | SetParameter | Call


@dataclass(frozen=True, slots=True, init=False)
class Fix:
    """One thing to do about an error: a phrase in which each {} is the place of a setting."""

    words: str
    settings: tuple[Setting, ...]

    def __init__(self, words: str, *settings: Setting) -> None:
        assert words.count("{}") == len(settings), words
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "settings", settings)

    def filled(self, form: Callable[[Setting], str]) -> str:
        """The phrase with its settings in a form of the caller."""
        texts = iter([*map(form, self.settings), ""])
        return "".join(words + next(texts) for words in self.words.split("{}"))

    def __str__(self) -> str:
        return self.filled(str)


Style = Callable[[Fix], str]  # how an interface words a fix


class Advice(str):
    """A sentence that names settings: in Python's form as a string, in another style by `render`."""

    parts: tuple[str | Fix, ...]

    def __new__(cls, *parts: str | Fix) -> "Advice":
        """The sentence of texts, fixes and other sentences in a row."""
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, Advice) else (part,))]
        made = super().__new__(cls, "".join(map(str, flat)))
        made.parts = tuple(flat)
        return made

    def __getnewargs__(self) -> tuple[str | Fix, ...]:  # type: ignore[override]
        return self.parts

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes in it."""
        return tuple(part for part in self.parts if isinstance(part, Fix))


def render(text: "str | AnonsetError", style: Style = str) -> str:
    """The text of a sentence or an error, its fixes in the style of an interface."""
    if isinstance(text, AnonsetError):
        return _shortened(render(text.advice, style))
    if isinstance(text, Advice):
        return "".join(style(part) if isinstance(part, Fix) else part for part in text.parts)
    return text


def _shortened(message: str) -> str:
    """The message with no more than the beginning of long quotations."""
    text = LONG_QUOTE.sub(lambda found: f"{found[1]}{found[2][:12]}...{found[1]} ({len(found[2]):,} characters)", message)
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


def _alternatives(message: str, fix: Sequence[Fix | Setting]) -> Iterator[str | Fix]:
    """The message and its fixes: "message; this, that, or yet another"; a message may lead to them with a colon."""
    yield message
    for n, one in enumerate(fix):
        if n == 0:
            yield "" if not message else " " if message.endswith(":") else "; "
        else:
            yield ", or " if n == len(fix) - 1 else ", "
        yield one if isinstance(one, Fix) else Fix("pass {}", one)


class AnonsetError(Exception):
    """Base class of all deliberate errors: a message of one line that quotes only the beginning of long texts.

    Attributes
    ----------
    exit_code : int
        The exit code of the command line.
    fixes : tuple of Fix
        What the user may do instead, as data that each interface renders in its own form.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", *, fix: Sequence[Fix | Setting] = ()) -> None:
        self.message = Advice(*_alternatives(message, fix))
        super().__init__(self.message)

    @property
    def advice(self) -> Advice:
        """The whole sentence, with its fixes as data."""
        return self.message

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What the user may do instead."""
        return self.message.fixes

    def __str__(self) -> str:
        return _shortened(self.advice)


class InputError(AnonsetError):
    """The input is not as expected.

    Attributes
    ----------
    file, line, column
        Where, if it is known.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: str | int | None = None,
        fix: Sequence[Fix | Setting] = (),
    ) -> None:
        super().__init__(message, fix=fix)
        self.file, self.line, self.column = file, line, column

    @property
    def advice(self) -> Advice:
        """The whole sentence, the place before the message."""
        place = [_end(str(self.file))] if self.file is not None else []
        place += [f"line {self.line}"] if self.line is not None else []
        place += [f"column {self.column}"] if self.column is not None else []
        return Advice(f"{', '.join(place)}: ", self.message) if place else self.message


def _end(file: str) -> str:
    return file if len(file) <= LONGEST_NAME else f"...{file[-LONGEST_NAME:]}"


class NewValuesError(InputError):
    """The data have values that a hierarchy does not cover; `values` lists them."""

    def __init__(
        self,
        message: str,
        values: Sequence[str] = (),
        *,
        file: str | Path | None = None,
        column: str | None = None,
        fix: Sequence[Fix | Setting] = (),
    ) -> None:
        super().__init__(message, file=file, column=column, fix=fix)
        self.values = tuple(values)


class ExposureError(InputError):
    """An unchanged column has values that nearly name people; `columns` lists such columns."""

    def __init__(self, message: str, columns: Sequence[str] = (), *, fix: Sequence[Fix | Setting] = ()) -> None:
        super().__init__(message, fix=fix)
        self.columns = tuple(columns)


class ParameterError(AnonsetError):
    """A parameter is unknown, has the wrong type or is out of range."""

    exit_code = 2


class PluginError(AnonsetError):
    """The code of a plug-in failed; the message names the plug-in and the exception, whose text may contain data."""

    exit_code = 2


class GuaranteeViolated(AnonsetError):
    """A guarantee does not hold on what would be, or was, published."""

    exit_code = 3


class InfeasibleError(AnonsetError):
    """No release can satisfy the request on these data."""

    exit_code = 4


class UncoveredError(InfeasibleError):
    """Something that an attacker may know would be published without a guarantee that covers it."""

    def __init__(self, message: str, columns: Sequence[str] = (), *, fix: Sequence[Fix | Setting] = ()) -> None:
        super().__init__(message, fix=fix)
        self.columns = tuple(columns)


class WorthlessError(InfeasibleError):
    """Nearly all values of an attribute would be published as "anything"."""


class Cancelled(AnonsetError):
    """The user stopped the work; nothing was written."""

    exit_code = 130


def unknown(
    kind: str, name: object, known: Iterable[str], *, part: str = "", choose: str = "choose from", otherwise: str = ""
) -> str:
    """Return: no measure 'rsik'; did you mean 'risk'? Or, where no name is close, the known names.

    `part` is added in brackets: what the name was given for; `otherwise` replaces a list of names that must not be shown.
    """
    names = [*known]
    lower = {text.lower(): text for text in reversed(names)}
    near = get_close_matches(str(name).lower(), lower, n=2, cutoff=0.7)
    said = f"no {kind} {name!r}" + (f" ({part})" if part else "")
    if near:
        return f"{said}; did you mean {' or '.join(repr(lower[text]) for text in near)}?"
    return f"{said}; {otherwise or choose + ' ' + (', '.join(names) or 'none')}"


IN_ADDRESS = re.compile(r"(://[^:@/\s]*):.*@", re.DOTALL)  # up to the last @: a password may hold anything
IN_SETTINGS = re.compile(r"([?&](?:\w*password|\w*secret\w*|\w*token)=)[^&\s]*", re.IGNORECASE)


def without_password(text: str) -> str:
    """The text with every password of an address left out."""
    return IN_SETTINGS.sub(r"\1***", IN_ADDRESS.sub(r"\1:***@", text))
