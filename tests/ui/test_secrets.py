"""Secrets: threads ask, one dialog answers; closing lets nobody wait."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from ui.core.context import WindowContext
from ui.core.secret_dialog import SecretDialog
from ui.core.secrets import SecretPrompter


def ask(secrets: SecretPrompter, prompt: str) -> Future[str | None]:
    """As a pool thread does."""
    answer: Future[str | None] = Future()
    threading.Thread(target=lambda: answer.set_result(secrets.ask(prompt))).start()
    return answer


def shown() -> list[SecretDialog]:
    return [
        each for each in QApplication.topLevelWidgets() if isinstance(each, SecretDialog) and each.isVisible()
    ]


def give(qtbot: QtBot, prompt: str, secret: str) -> None:
    qtbot.waitUntil(lambda: [each.prompt for each in shown()] == [prompt])
    qtbot.keyClicks(shown()[0].field, secret)
    qtbot.keyClick(shown()[0].field, Qt.Key.Key_Return)


def test_two_threads_with_one_question_share_the_answer(qtbot: QtBot, context: WindowContext) -> None:
    answers = [ask(context.secrets, "password of me@nuc port 22: ") for _ in range(2)]
    other = ask(context.secrets, "passphrase of /key: ")
    qtbot.waitUntil(lambda: len(context.secrets._questions) == 2)
    first = next(iter(context.secrets._questions))
    for prompt in (first, ({"password of me@nuc port 22", "passphrase of /key"} - {first}).pop()):
        give(qtbot, prompt, prompt.partition(" ")[0])
    assert [answer.result(5) for answer in answers] == ["password", "password"]
    assert other.result(5) == "passphrase"


def test_a_secret_is_hidden_until_it_is_to_be_seen(qtbot: QtBot, context: WindowContext) -> None:
    answer = ask(context.secrets, "password of me@nuc port 22: ")
    qtbot.waitUntil(lambda: bool(shown()))
    dialog = shown()[0]
    assert dialog.field.echoMode() == QLineEdit.EchoMode.Password and not dialog.accept_button.isEnabled()
    qtbot.keyClicks(dialog.field, "word")
    assert dialog.accept_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert answer.result(5) is None


def test_closing_lets_nobody_wait(qtbot: QtBot, context: WindowContext) -> None:
    answer = ask(context.secrets, "password of me@nuc port 22: ")
    qtbot.waitUntil(lambda: bool(shown()))
    context.secrets.close()
    assert answer.result(5) is None and not shown()
    assert context.secrets.ask("password of me@nuc port 22: ") is None


def test_in_the_background_nobody_is_asked(context: WindowContext) -> None:
    assert context.secrets.silent("password of me@nuc port 22: ") is None  # type: ignore[func-returns-value]
