"""Pages from templates."""

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from anonset import __version__


def render(name: str, /, *, also: str | None = None, **values: Any) -> str:
    """The HTML of a template; everything is escaped but what the template says is drawn.

    `also` names another package whose templates/ are looked at first.
    """
    others = [] if also is None else [PackageLoader(also)]
    pages = Environment(
        loader=ChoiceLoader([*others, PackageLoader("anonset", "report/templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["figure"] = figure
    pages.globals["version"] = __version__
    return pages.get_template(name).render(**values)


def figure(value: float) -> str:
    """A number as a person reads it: three or four digits that matter."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.3g}"
