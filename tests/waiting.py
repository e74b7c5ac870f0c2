"""Waiting for what a test has set going, and what goes on beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

DEADLINE_S = 10.0
SHORTEST_S, LONGEST_S = 0.02, 2.0  # between two looks
REST = 4  # times as long as a look takes: most of them begin a program, and others need the CPU


def wait_until(condition: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Look until it holds; fails the test where it never does."""
    began = looked = time.monotonic()
    while not condition():
        now = time.monotonic()
        assert now < began + deadline_s, f"not within {deadline_s:g} s: {what}"
        time.sleep(min(max(SHORTEST_S, REST * (now - looked)), LONGEST_S))
        looked = time.monotonic()


@contextmanager
def beside(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Work on a thread meanwhile; it ends once the event is set."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
