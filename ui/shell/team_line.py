"""The line about the team's history in the status bar."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QSizePolicy

from ui.core.plain import as_tip
from ui.core.team import Team, TeamState
from ui.widgets.elided import ElidedLabel

WIDTH = 420
_TIP = "The team's history: File, Team's history"


class TeamLine(QObject):
    """Shows nothing where this computer's own history is in use."""

    def __init__(self, team: Team, window: QMainWindow) -> None:
        super().__init__(window)
        self._label = ElidedLabel()
        self._label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._label.setMaximumWidth(WIDTH)
        self._label.setMinimumWidth(0)
        self._label.hide()
        window.statusBar().addPermanentWidget(self._label)
        team.told.connect(self._on_told)

    def _on_told(self, state: TeamState) -> None:
        self._label.setVisible(bool(state.text))
        self._label.setText(state.text)
        self._label.setToolTip(as_tip(f"{state.text}\n{_TIP}"))
