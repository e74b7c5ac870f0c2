"""A time limit for calls without one: name resolution, the SSH agent, requests of paramiko."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def bounded(call: Callable[[], T], timeout_s: float) -> T:
    """The result of the call, or its error; raises TimeoutError after the limit and abandons the call."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name="bounded", daemon=True).start()
    return future.result(timeout_s)
