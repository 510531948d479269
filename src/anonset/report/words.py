"""The texts of pages: one catalogue a language, all with the same keys."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from anonset.errors import ParameterError, unknown

MOST = 8  # names that are listed before the rest is counted


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one language by key, such as `page.title`, with numbers as people write them there."""

    language: str
    texts: Mapping[str, str]
    unit: str = "people"  # what guarantees count: people, or records

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its values put in."""
        who = {"people": self.texts[f"counted.{self.unit}"], "among": self.texts[f"counted_among.{self.unit}"]}
        who["alike"] = self.texts[f"counted_alike.{self.unit}"]
        return self.texts[key].format(**who | values)

    def counting(self, unit: str) -> "Words":
        """The same words for guarantees that count people, or records."""
        return replace(self, unit=unit)

    def number(self, value: float, digits: int = 0) -> str:
        """A number with this many decimals."""
        return self.written(f"{value:,.{digits}f}")

    def figure(self, value: float) -> str:
        """A number as a person reads it: three or four digits that matter."""
        if value == 0 or 1e-3 <= abs(value) < 1e4:
            return self.written(f"{value:.4g}")
        return self.written(f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.3g}")

    def written(self, english: str) -> str:
        """A number as it is written in the language."""
        swap = {",": self.texts["format.thousands"], ".": self.texts["format.decimal"]}
        return "".join(swap.get(sign, sign) for sign in english)

    def percent(self, share: float) -> str:
        """A rounded share; 0 % and 100 % only if exact."""
        if 0 < share < 0.01:
            return self("format.under", value="1 %")
        if 0.99 < share < 1:
            return self("format.over", value="99 %")
        return f"{self.number(100 * share)} %"

    def exactly(self, share: float) -> str:
        """A share with one decimal, for tables."""
        return f"{self.number(100 * share, 1)} %"

    def range(self, low: object, high: object) -> str:
        """From one value to another, or the one where they are the same."""
        return str(low) if str(low) == str(high) else self("format.range", low=low, high=high)

    def listed(self, names: Sequence[str]) -> str:
        """Names in a sentence, the last with an `and`; of many the first ones and how many more."""
        if len(names) > MOST:
            return self("format.more", shown=", ".join(names[:MOST]), rest=len(names) - MOST)
        if not names:
            return self("format.nothing")
        return names[0] if len(names) == 1 else self("format.and", first=", ".join(names[:-1]), last=names[-1])


def languages() -> tuple[str, ...]:
    """The languages there is a catalogue of."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in files("anonset.report").joinpath("texts").iterdir()))


@cache
def words_of(language: str) -> Words:
    """The texts of a language; raises with the list of languages if there is none."""
    if language not in languages():
        raise ParameterError(unknown("language", language, languages()))
    catalogue = tomllib.loads(files("anonset.report").joinpath("texts", f"{language}.toml").read_text(encoding="utf-8"))
    return Words(language, {f"{part}.{key}": said for part, texts in catalogue.items() for key, said in texts.items()})
