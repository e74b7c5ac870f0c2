"""From threads to the GUI thread: in order, one a turn, and nothing once it is closed."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from ui.core.channel import GuiThreadCallQueue

MANY = 5_000
TURN_S = 0.02


@pytest.fixture
def channel(qtbot: QtBot) -> Iterator[GuiThreadCallQueue]:
    made = GuiThreadCallQueue()
    yield made
    made.close()


def senders(channel: GuiThreadCallQueue, take: object, threads: int, each: int) -> list[threading.Thread]:
    def send(first: int) -> None:
        for at in range(each):
            channel.send(take, first + at)  # type: ignore[arg-type]

    made = [threading.Thread(target=send, args=(at * each,)) for at in range(threads)]
    for thread in made:
        thread.start()
    return made


def test_what_threads_send_arrives_once_and_in_their_order(channel: GuiThreadCallQueue, qtbot: QtBot) -> None:
    taken: list[int] = []
    for thread in senders(channel, taken.append, 4, MANY):
        thread.join()  # though nobody takes it: no thread waits for the window
    qtbot.waitUntil(lambda: len(taken) == 4 * MANY)
    for first in range(0, 4 * MANY, MANY):
        assert [each for each in taken if first <= each < first + MANY] == list(range(first, first + MANY))


def test_it_is_taken_on_the_gui_thread(channel: GuiThreadCallQueue, qtbot: QtBot) -> None:
    taken: list[int] = []
    (thread,) = senders(channel, lambda _: taken.append(threading.get_ident()), 1, 10)
    qtbot.waitUntil(lambda: len(taken) == 10)
    thread.join()
    assert set(taken) == {threading.get_ident()}


def test_the_window_turns_between_two_of_many(channel: GuiThreadCallQueue, qtbot: QtBot) -> None:
    taken: list[int] = []
    for thread in senders(channel, lambda at: (time.sleep(TURN_S / 4), taken.append(at)), 1, 100):
        thread.join()
    seen: list[int] = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: seen.append(len(taken)))
    timer.start()
    qtbot.waitUntil(lambda: len(taken) == 100)
    timer.stop()
    assert max(later - earlier for earlier, later in itertools.pairwise(seen)) <= 2


def test_one_that_fails_does_not_stop_the_next(channel: GuiThreadCallQueue, qtbot: QtBot) -> None:
    taken: list[int] = []
    with qtbot.captureExceptions() as failures:
        for thread in senders(channel, lambda at: taken.append(1 // at), 1, 3):
            thread.join()
        qtbot.waitUntil(lambda: len(taken) == 2)
    assert [kind for kind, _, _ in failures] == [ZeroDivisionError]


def test_a_dialog_that_waits_in_one_does_not_hold_the_others(
    channel: GuiThreadCallQueue, qtbot: QtBot
) -> None:
    taken: list[int] = []

    def take(at: int) -> None:
        if at == 0:
            qtbot.waitUntil(lambda: taken == [1, 2])
        taken.append(at)

    for thread in senders(channel, take, 1, 3):
        thread.join()
    qtbot.waitUntil(lambda: taken == [1, 2, 0])


def test_once_it_is_closed_nothing_is_taken_whoever_sends(qtbot: QtBot) -> None:
    taken: list[int] = []
    for _ in range(20):
        channel = GuiThreadCallQueue()
        threads = senders(channel, taken.append, 4, MANY)
        qtbot.wait(1)
        channel.close()
        there = len(taken)
        for thread in threads:
            thread.join()
        qtbot.wait(1)
        assert len(taken) == there
