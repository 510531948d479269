"""Answers that are asked for again and again, kept by what was asked."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

MOST = 100


class Answers:
    """The last answers to questions that have but one; who asks while it is being found waits for the same."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: OrderedDict[str, Future[Any]] = OrderedDict()

    def get(self, question: str, find: Callable[[], Any]) -> Any:
        """The answer, found where it is not at hand; an error is not kept."""
        with self._lock:
            answer = self._found.get(question)
            if finds := answer is None:
                answer = self._found[question] = Future()
            self._found.move_to_end(question)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        if finds:
            try:
                answer.set_result(find())
            except BaseException as error:
                self._drop(question)
                answer.set_exception(error)
        return answer.result()

    def at_hand(self, question: str) -> Any:
        """The answer, or nothing where it would have to be found first."""
        answer = self._found.get(question)
        return answer.result() if answer is not None and answer.done() and answer.exception() is None else None

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._found.clear()

    def _drop(self, question: str) -> None:
        with self._lock:
            self._found.pop(question, None)
