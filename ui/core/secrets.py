"""Passwords and passphrases: a pool thread asks, a dialog of the GUI thread answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from .channel import GuiThreadCallQueue
    from .secret_dialog import SecretDialog


class _Question:
    """A question, and the place of its answer."""

    def __init__(self, prompt: str, was_refused: bool) -> None:
        self.prompt = prompt
        self.was_refused = was_refused
        self._answer: str | None = None
        self._is_answered = threading.Event()

    def wait(self) -> str | None:
        self._is_answered.wait()
        return self._answer

    def give(self, answer: str | None) -> None:
        """The first answer counts."""
        if not self._is_answered.is_set():
            self._answer = answer
            self._is_answered.set()


class SecretPrompter:
    """Asks for secrets, one dialog after the other; two threads with one question share the answer."""

    def __init__(self, channel: GuiThreadCallQueue) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._questions: dict[str, _Question] = {}  # those without an answer, by what is asked for
        self._answered: set[str] = set()
        self._dialog: SecretDialog | None = None
        self._is_closed = False

    def ask(self, prompt: str) -> str | None:
        """Wait for an answer; None if the person skips it. Never called on the GUI thread."""
        label = prompt.strip().rstrip(":")
        with self._lock:
            if self._is_closed:
                return None
            question = self._questions.get(label)
            if question is None:
                # the right secret is remembered: who asks for one again was refused with it
                question = self._questions[label] = _Question(label, label in self._answered)
                self._channel.send(self._on_asked, question)
        return question.wait()

    @staticmethod
    def silent(_prompt: str) -> None:
        """Ask nobody: for background work."""

    def close(self) -> None:
        """Threads that wait for a secret go on without it; called before they are joined."""
        with self._lock:
            self._is_closed = True
            waiting = list(self._questions.values())
            self._questions.clear()
        for question in waiting:
            question.give(None)
        if self._dialog is not None:
            self._dialog.reject()

    def _on_asked(self, _question: _Question) -> None:
        self._show_next()

    def _show_next(self) -> None:
        from .secret_dialog import SecretDialog

        with self._lock:
            question = next(iter(self._questions.values()), None)
        if question is None or self._dialog is not None:
            return
        dialog = self._dialog = SecretDialog(question.prompt, question.was_refused, _window())
        dialog.finished.connect(lambda _: self._on_finished(question, dialog))
        dialog.open()

    def _on_finished(self, question: _Question, dialog: SecretDialog) -> None:
        answer = dialog.secret()
        self._dialog = None
        dialog.deleteLater()
        with self._lock:
            self._questions.pop(question.prompt, None)
            if answer is None:
                self._answered.discard(question.prompt)
            else:
                self._answered.add(question.prompt)
        question.give(answer)
        self._show_next()


def _window() -> QWidget | None:
    """The window that the dialog belongs to."""
    windows = (Qt.WindowType.Window, Qt.WindowType.Dialog)  # neither menus nor tooltips
    shown = (each for each in QApplication.topLevelWidgets() if each.isVisible())
    return QApplication.activeWindow() or next((each for each in shown if each.windowType() in windows), None)
