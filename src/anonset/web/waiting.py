"""Calls that may take their time, made beside the loop that answers browsers."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE = ThreadPoolExecutor(64, "anonset-page")  # most of them wait for a worker, and nobody else may have to wait for that


async def answered(call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """The answer of a call made in a thread of its own."""
    return await asyncio.get_running_loop().run_in_executor(AT_ONCE, partial(call, *args, **options))
