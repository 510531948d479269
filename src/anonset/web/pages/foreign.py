"""A file that another tool made: does it keep the promise?"""

from typing import Any

from nicegui import ui

from anonset.web.components import DropZone
from anonset.web.pages.verdicts import draw_verdict
from anonset.web.parts import card, element
from anonset.web.screen import Screen, told
from anonset.workbench.values import Finding, Verdict


async def foreign_file(screen: Screen) -> None:
    """Drop it, read the verdict."""
    text = "It is checked against the promise of this project, beside the data of this project, and not kept."
    with card("A file another tool made", lead=text):
        DropZone(
            f"/api/projects/{screen.id}/checks",
            "Drop the anonymized file here",
            method="POST",
            on_done=lambda answer: found.refresh(answer),
            on_failed=told,
        )
        element(
            "p", "soft small", "Groups are read as (a,b), {a,b} or a|b, ranges as [20:39], 20-39 or [20,40), and * as anything."
        )
    found = ui.refreshable(_found)
    found(None)


def _found(answer: dict[str, Any] | None) -> None:
    if answer is not None:
        findings = tuple(Finding(**{**finding, "witnesses": tuple(finding["witnesses"])}) for finding in answer["findings"])
        draw_verdict(Verdict(answer["holds"], findings))
