"""People at their pages without a browser: a page is fetched, its socket opened, and what is drawn into it is waited for."""

import asyncio
import re
import time
from collections.abc import Sequence
from uuid import uuid4

import httpx
import socketio

QUIET = 0.4  # seconds without a further change after which a page counts as drawn
LONGEST = 120.0


async def visit(base: str, headers: dict[str, str], path: str) -> float:
    """Open a page as a browser does and leave it; the seconds until the last change that was drawn into it."""
    began = last = time.monotonic()
    drawn = asyncio.Event()
    socket = socketio.AsyncClient(reconnection=False, request_timeout=LONGEST)

    @socket.on("update")
    def changed(_: object) -> None:
        nonlocal last
        last = time.monotonic()
        drawn.set()

    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=LONGEST, verify=False) as client:
        page = (await client.get(path)).raise_for_status().text
    id = re.search(r"client_id\W+([0-9a-f-]{36})", page)[1]
    query = f"client_id={id}&document_id={uuid4()}&tab_id={uuid4()}&next_message_id=0&implicit_handshake=true"
    path = "_nicegui_ws/socket.io"
    await socket.connect(f"{base}?{query}", headers, ["websocket"], socketio_path=path, wait_timeout=LONGEST)
    try:
        await asyncio.wait_for(drawn.wait(), LONGEST)
        while (left := last + QUIET - time.monotonic()) > 0:
            await asyncio.sleep(left)
    finally:
        await socket.disconnect()
    return last - began


async def visits(
    base: str, headers: dict[str, str], paths: Sequence[str], *, people: int, each: int, pause: float
) -> list[float]:
    """So many people open so many pages each, one after the other with a pause; the seconds of all visits."""

    async def person(number: int) -> list[float]:
        await asyncio.sleep(pause * number / people)
        found = []
        for turn in range(each):
            found.append(await visit(base, headers, paths[(number + turn) % len(paths)]))
            await asyncio.sleep(pause)
        return found

    return [seconds for found in await asyncio.gather(*map(person, range(people))) for seconds in found]
