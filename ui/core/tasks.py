"""Work off the GUI thread: a few plain threads, and the channel for the way back.

A widget whose last reference goes on another thread is destroyed there, and the window crashes. So the GUI
thread holds each task until it has the answer; a thread borrows the work, and drops it before it answers.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from app.history.store.history import History

    from .channel import GuiThreadCallQueue

THREADS = 4
CLOSE_S = 3.0  # what is still at work then is left behind

T = TypeVar("T")
News = TypeVar("News")
Failed = Callable[[Exception], None]


@dataclass(frozen=True)
class _Task:
    owner: QObject
    work: Callable[[], Any]
    on_news: Callable[[Any], None]
    done: Callable[[Any], None]
    failed: Failed
    stores: bool = False  # it is carried out although the window closes


@dataclass(frozen=True)
class _Answer:
    value: Any = None
    error: Exception | None = None


class Tasks:
    """Carries out short work; the answer comes back on the GUI thread, unless its owner is gone."""

    def __init__(self, home: Path, channel: GuiThreadCallQueue) -> None:
        self._home = home
        self._channel = channel
        self._numbers = itertools.count(1)
        self._tasks: dict[int, _Task] = {}  # changed on the GUI thread alone
        self._answers: dict[int, _Answer] = {}  # added to by the threads, emptied on the GUI thread
        self._waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._own = threading.local()  # the history of each thread
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name=f"task-{at}", daemon=True) for at in range(THREADS)
        ]
        for thread in self._threads:
            thread.start()

    def run(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Failed,
        stores: bool = False,
    ) -> None:
        """Run `work` on a pool thread; it must not touch a QObject. What `stores` is never dropped."""
        self._put(next(self._numbers), _Task(owner, work, lambda _: None, done, failed, stores))

    def read(
        self,
        owner: QObject,
        work: Callable[[History], T],
        done: Callable[[T], None],
        failed: Failed,
        stores: bool = False,
    ) -> None:
        """Run `work` with the history; each thread keeps one open, also for writing."""
        self.run(owner, lambda: work(self._history()), done, failed, stores)

    def run_long(
        self,
        owner: QObject,
        work: Callable[[Callable[[News], None]], T],
        on_news: Callable[[News], None],
        done: Callable[[T], None],
        failed: Failed,
    ) -> None:
        """Run `work` that reports its progress as plain data: `on_news` runs on the GUI thread."""
        number = next(self._numbers)

        def tell(news: News) -> None:
            self._channel.send(self._on_told, (number, news))

        self._put(number, _Task(owner, lambda: work(tell), on_news, done, failed))

    def close(self) -> None:
        """Store what is to be stored, let running work end; no answers come once the channel is closed."""
        self._closing.set()
        self._work_off()
        for _ in self._threads:
            self._waiting.put(0)
        deadline = time.monotonic() + CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if not any(thread.is_alive() for thread in self._threads):
            self._tasks.clear()
            self._answers.clear()

    def _work_off(self) -> None:
        """What waits behind busy threads is stored here; the rest is dropped."""
        with contextlib.suppress(queue.Empty):
            while True:
                task = self._tasks.get(self._waiting.get_nowait())
                if task is not None and task.stores and (error := _answer(task.work).error) is not None:
                    logging.error("not stored when the window was closed: %s", error)
        self._close_history()

    def _put(self, number: int, task: _Task) -> None:
        self._tasks[number] = task
        self._waiting.put(number)

    # on the threads

    def _work(self) -> None:
        """The body of a thread."""
        while number := self._waiting.get():
            if not self._closing.is_set() or self._tasks[number].stores:
                self._answers[number] = _answer(self._tasks[number].work)
                self._channel.send(
                    self._on_answered, number
                )  # nothing in here refers to the task or its answer any more
        self._close_history()

    def _close_history(self) -> None:
        if (history := getattr(self._own, "history", None)) is not None:
            history.close()

    def _history(self) -> History:
        from app.history.store.history import History

        if not hasattr(self._own, "history"):
            self._own.history = History(self._home)
        found: History = self._own.history
        return found

    # on the GUI thread

    def _on_told(self, told: tuple[int, object]) -> None:
        number, news = told
        task = self._tasks.get(number)
        if task is not None and shiboken6.isValid(task.owner):
            task.on_news(news)

    def _on_answered(self, number: int) -> None:
        task, answer = self._tasks.pop(number, None), self._answers.pop(number, None)
        if task is None or answer is None or not shiboken6.isValid(task.owner):
            return
        if answer.error is not None:
            task.failed(answer.error)
        else:
            task.done(answer.value)


def _answer(work: Callable[[], Any]) -> _Answer:
    try:
        return _Answer(work())
    except Exception as error:
        return _Answer(error=error)


class NewestAnswerRunner:
    """Runs questions of which only the newest answer counts: filters, estimates."""

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
