"""What a person reads of a Bench page, and does to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.planner.request.plan_file import plan_request_of_text
from app.planner.request.request import PlanRequest
from app.protocol.answers import Survey
from app.remote.target import LOCAL
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey, Surveys
from tests.plans import survey
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.server_dialog import ServerDialog

OLD = "mysql-5.6.24"
OpenPage = Callable[..., BenchPage]


def surveyed(home: Path, name: str = LOCAL, **changes: Any) -> None:
    """As if this target had been surveyed just now."""
    content = survey(clock_utc=time.time(), **changes)
    Surveys(home).keep(Targets(home).get(name), DatedSurvey(time.time(), content))


def settle(qtbot: QtBot, page: BenchPage) -> None:
    """Until what is shown is about the draft as it is now."""

    def is_settled() -> bool:
        found = page.outcome
        return (
            found is not None
            and found.draft is page.controller.draft
            and bool(page.controller.choices.sequences)
        )

    qtbot.waitUntil(is_settled)


def request_of(page: BenchPage) -> PlanRequest:
    """What the plan file in the window says."""
    return plan_request_of_text(page.run_panel.plan.text.toPlainText())


def reason(page: BenchPage) -> str:
    return page.run_panel.run_bar.reason.text()


def checks_of(page: BenchPage) -> str:
    found = page.run_panel.checks
    return "\n".join(found.item(row).text() for row in range(found.count()))


def cell(page: BenchPage, build_name: str, engine: str, preset: str = "baseline") -> Any:
    model = page.contenders.choices
    return next(
        index
        for row in range(model.rowCount())
        for column in range(model.columnCount())
        for index in [model.index(row, column)]
        if model.place(index.row(), index.column()) == (build_name, engine, preset)
    )


def click_cell(qtbot: QtBot, view: QAbstractItemView, index: Any, at: QPoint | None = None) -> None:
    view.scrollTo(index)
    place = at or view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def retype(qtbot: QtBot, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, text) if text else qtbot.keyClick(edit, Qt.Key.Key_Delete)


def steps(page: BenchPage) -> dict[str, QTreeWidgetItem]:
    return {item.text(0).split(" ")[0]: item for item in page.sequence.steps.items()}


def now(**changes: Any) -> Survey:
    return survey(clock_utc=time.time(), **changes)


def dialogs(kind: type[QWidget]) -> list[Any]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def opened(qtbot: QtBot, kind: type[Any]) -> Any:
    qtbot.waitUntil(lambda: bool(dialogs(kind)))
    return dialogs(kind)[0]


def wrong(dialog: ServerDialog) -> dict[str, str]:
    return {name: label.text() for name, label in dialog.form.problems.items() if not label.isHidden()}
