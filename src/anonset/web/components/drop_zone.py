"""Where a file is dropped or chosen; it goes to a streaming route and not through the page."""

from collections.abc import Callable
from typing import Any

from nicegui.element import Element


class DropZone(Element, component="drop_zone.js"):
    """Sends a file to `url`; `on_done` gets the answer, `on_failed` the reason."""

    def __init__(
        self,
        url: str,
        prompt: str,
        *,
        method: str,
        on_done: Callable[[Any], Any],
        on_failed: Callable[[str], Any],
        accept: str = "",
    ) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["prompt"] = prompt
        self.props["method"] = method
        self.props["accept"] = accept
        self.on("done", lambda event: on_done(event.args))
        self.on("failed", lambda event: on_failed(str(event.args)))
