"""Work off the GUI thread: a few plain threads, one signal for the way back."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.history.history import History

THREADS = 4
CLOSE_S = 3.0  # what is still at work then is left behind

T = TypeVar("T")
Failed = Callable[[Exception], None]


@dataclass(frozen=True)
class _Task:
    owner: QObject
    work: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Failed


@dataclass(frozen=True)
class _Answer:
    owner: QObject
    deliver: Callable[[Any], None]
    value: Any


class Tasks(QObject):
    """Carries out short work; the answer comes back on the GUI thread, unless its owner is gone."""

    _answered = Signal(object)

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._waiting: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._own = threading.local()  # the history of each thread
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name=f"task-{at}", daemon=True) for at in range(THREADS)
        ]
        self._answered.connect(self._on_answered)
        for thread in self._threads:
            thread.start()

    def run(self, owner: QObject, work: Callable[[], T], done: Callable[[T], None], failed: Failed) -> None:
        """Do `work` on one of the threads; it may not touch a QObject."""
        self._waiting.put(_Task(owner, work, done, failed))

    def read(
        self, owner: QObject, work: Callable[[History], T], done: Callable[[T], None], failed: Failed
    ) -> None:
        """Do `work` with the history; each thread keeps one open, for writing too."""
        self.run(owner, lambda: work(self._history()), done, failed)

    def close(self) -> None:
        """Let what has begun end; nothing is delivered any more."""
        self._closing.set()
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        """The body of a thread."""
        while (task := self._waiting.get()) is not None:
            if not self._closing.is_set():
                self._carry_out(task)
            del task  # the owner must not live on in here
        history = getattr(self._own, "history", None)
        if history is not None:
            history.close()

    def _carry_out(self, task: _Task) -> None:
        try:
            answer = _Answer(task.owner, task.done, task.work())
        except Exception as error:
            answer = _Answer(task.owner, task.failed, error)
        if not self._closing.is_set():
            self._answered.emit(answer)

    def _on_answered(self, answer: _Answer) -> None:
        if not self._closing.is_set() and shiboken6.isValid(answer.owner):
            answer.deliver(answer.value)

    def _history(self) -> History:
        from app.history.history import History

        if not hasattr(self._own, "history"):
            self._own.history = History(self._home)
        found: History = self._own.history
        return found


class Latest:
    """Questions of which only the newest answer is wanted: filters, estimates."""

    def __init__(self, tasks: Tasks, owner: QObject) -> None:
        self._tasks = tasks
        self._owner = owner
        self._asked = 0

    def run(self, work: Callable[[], T], done: Callable[[T], None], failed: Failed) -> None:
        self._asked += 1
        self._tasks.run(self._owner, work, self._if_newest(done), self._if_newest(failed))

    def read(self, work: Callable[[History], T], done: Callable[[T], None], failed: Failed) -> None:
        self._asked += 1
        self._tasks.read(self._owner, work, self._if_newest(done), self._if_newest(failed))

    def _if_newest(self, deliver: Callable[[T], None]) -> Callable[[T], None]:
        number = self._asked

        def deliver_newest(value: T) -> None:
            if number == self._asked:
                deliver(value)

        return deliver_newest
