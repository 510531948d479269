"""Questions that a change of a tree asks."""

from collections.abc import Sequence

from nicegui import ui

from anonset.web.parts import button, element
from anonset.workbench.values import TreeRow


async def asked_group(question: str, groups: Sequence[TreeRow]) -> int | None:
    """The group that a person picks from a list that can be typed into."""
    options = {row.id: f"{'  ' * row.depth}{row.label}" for row in groups}
    with ui.dialog() as dialog, ui.card():
        element("h2", "", question)
        field = ui.select(options, label="Group", with_input=True).props("outlined autofocus").classes("full-width")
        with element("div", "line"):
            button("Move", lambda: dialog.submit(field.value))
            button("Cancel", lambda: dialog.submit(None), kind="bare")
    answer = await dialog
    return None if answer is None else int(answer)
