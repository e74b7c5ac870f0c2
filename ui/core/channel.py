"""The one way from threads to the GUI thread: a queue of Python's, and a socket that wakes Qt.

No thread touches a Qt object, so one that is still at work when the window closes cannot reach what is gone.
A signal emitted by such a thread crashed the window.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QSocketNotifier

T = TypeVar("T")


class GuiThreadCallQueue:
    """Hands over what threads send, one each turn of the event loop; nothing once it is closed."""

    def __init__(self) -> None:
        self._sent: deque[Callable[[], None]] = deque()
        self._is_closed = False
        self._lock = threading.Lock()  # for all of these, and what is in the socket
        self._waker, self._woken = socket.socketpair()
        self._notifier = QSocketNotifier(self._woken.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._on_woken)

    def send(self, take: Callable[[T], None], value: T) -> None:
        """Have `take(value)` called on the GUI thread; any thread may, and does not wait for it."""
        with self._lock:
            if self._is_closed:
                return
            if not self._sent:
                self._waker.send(b"\0")  # it lies there as long as something is to be handed over
            self._sent.append(partial(take, value))

    def close(self) -> None:
        """From now on nothing is handed over, whoever sends."""
        with self._lock:
            self._is_closed = True
            self._sent.clear()
            self._notifier.setEnabled(False)
            self._waker.close()
            self._woken.close()

    def _on_woken(self) -> None:
        with self._lock:
            if not self._sent:  # woken by what was handed over meanwhile
                return
            hand_over = self._sent.popleft()
            if not self._sent:
                self._woken.recv(1)
        hand_over()
