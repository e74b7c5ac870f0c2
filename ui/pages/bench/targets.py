"""The targets of the Bench page: which there are, what state they are in, what the latest survey has found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.surveys import Survey, Surveys
from app.targets import LOCAL, Target, Targets

from ...context import Context


class TargetsPanel(QWidget):
    """A list of targets, and below it the chosen one: its survey, the way to it, or its form."""

    target_chosen = Signal(str)  # its name
    surveyed = Signal(str, object)  # name, the survey as `dyno target survey --json` gives it

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._targets = Targets(context.home)
        self._surveys = Surveys(context.home)
        self._latest: dict[str, Survey] = {}
        self._chosen = LOCAL
        self._actions: list[QAction | None] = []

    @property
    def chosen(self) -> Target:
        """The one that plans are for."""
        return self._targets.get(self._chosen)

    def choose(self, name: str) -> None:
        """Show this target; it is surveyed afresh in the background, without a question."""
        self._chosen = name
        self.target_chosen.emit(name)

    def survey_of(self, name: str) -> dict[str, Any] | None:
        """The latest survey, kept from an earlier day too; None where there was none yet."""
        found = self._latest.get(name)
        return found.content if found else None

    def surveyed_at(self, name: str) -> float | None:
        """When that was, by this computer's clock."""
        found = self._latest.get(name)
        return found.at if found else None

    def survey_chosen(self) -> None:
        """Survey the chosen target afresh, asking for secrets and host keys where they are needed."""

    def panel_actions(self) -> Sequence[QAction | None]:
        """Add, edit, test, survey, remove: for the menu of the page."""
        return self._actions

    def reload(self) -> None:
        """Read targets.toml and the kept surveys anew."""
