"""HTML from the templates of this package."""

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from anonset import __version__
from anonset.report.words import words_of


def render(name: str, /, *, also: str | None = None, **values: Any) -> str:
    """The HTML of a template; everything is escaped but what the template says is drawn.

    `also` names another package whose templates/ are looked at first.
    """
    return _pages(also).get_template(name).render(**values)


@cache
def _pages(also: str | None) -> Environment:
    others = [] if also is None else [PackageLoader(also)]
    pages = Environment(
        loader=ChoiceLoader([*others, PackageLoader("anonset", "report/templates")]),
        autoescape=lambda template: not str(template).endswith(".md"),  # these escape by `md`
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["figure"] = words_of("en").figure
    pages.globals["version"] = __version__
    return pages
