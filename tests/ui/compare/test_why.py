"""The Why panel: of a chosen cell, of all steps, before and after the writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.history.store.history import History
from tests import comparable, counted
from tests.journals import Maker
from tests.named import STATEMENTS, WAITS
from tests.plans import MARIADB
from tests.ui.compare.seen import Open, button, choose, panel
from tests.ui.find import find
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.models.text_table import SHARE
from ui.pages.compare import ComparePage
from ui.pages.compare.why import ALL, CAUSES, STEP, WRITES, WhyPanel
from ui.widgets.elided import ElidedLabel
from ui.widgets.fitted_table import FittedTable
from ui.widgets.image import temporarily_enlarged


def table(shown: WhyPanel) -> FittedTable:
    return find(shown, FittedTable)


def heading(shown: WhyPanel) -> str:
    return find(shown, ElidedLabel).text()


def lines(shown: WhyPanel) -> list[list[str]]:
    model = table(shown).model()
    return [
        [model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())
    ]


def test_enter_on_a_cell_shows_why(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(3)
    choose(page, "read-only", 2)
    qtbot.keyClick(page.body.table, Qt.Key.Key_Return)
    shown = panel(qtbot, page, WhyPanel)
    assert button(shown, CAUSES).isChecked()
    shown.go_to(STEP)
    assert (
        heading(shown)
        == f"read-only threads=1: {MARIADB}-innodb-preset1-1 against {MARIADB}-innodb-preset0-1, n = 1"
    )
    found = {line[0]: line for line in lines(shown)}
    assert found["CPU"][1:5] == ["us/query", "35.50", "35.50", "1.00"]
    assert "KiB written by the device" not in found, "nobody measured it"
    assert "not a proof of the cause" in shown.remark.text() or "No measured cost" in shown.remark.text()
    assert table(shown).model().index(0, 5).data(SHARE) is None
    choose(page, "read-only", 1)
    assert "rocksdb-preset0-1 against" in heading(shown)
    choose(page, "read-only", 0)  # the base: the first other column
    assert "rocksdb-preset0-1 against" in heading(shown)


def test_the_costs_of_all_steps(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, WhyPanel)
    qtbot.mouseClick(button(shown, ALL), Qt.MouseButton.LeftButton)
    relative = lines(shown)
    assert {line[2] for line in relative} == {f"{MARIADB}-rocksdb-preset0-1"}
    page.controls.turn()
    assert len(lines(shown)) == 2 * len(relative)
    assert ["update-index threads=4", "query"] in [line[:2] for line in lines(shown)]


def test_before_and_after_the_writes(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(repeats=2)
    shown = panel(qtbot, page, WhyPanel)
    qtbot.mouseClick(button(shown, WRITES), Qt.MouseButton.LeftButton)
    assert [line[0] for line in lines(shown)[::2]] == ["point-query threads=1", "point-query threads=4"]
    assert {line[-1] for line in lines(shown)} == {"2"}
    opened(number=2, its_steps=comparable.steps(driven=(("update-index", "write"),)))
    qtbot.waitUntil(lambda: not table(shown).isVisible())
    assert shown.remark.text().startswith("No test")


def test_a_picture_of_it_shows_all_lines(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(8)
    shown = panel(qtbot, page, WhyPanel)
    qtbot.mouseClick(button(shown, ALL), Qt.MouseButton.LeftButton)
    needed = table(shown).verticalHeader().length()
    assert needed > table(shown).height()
    path = tmp_path / "why.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.sharing.save_chart()
    assert QImage(str(path)).height() >= 2 * needed
    assert table(shown).height() < needed
    bar = table(shown).verticalScrollBar()
    with temporarily_enlarged(shown.picture, shown.least):
        assert not bar.isVisible() and bar.maximum() == 0
    assert bar.maximum() > 0


def test_one_column_has_no_costs_to_compare(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(1)
    shown = panel(qtbot, page, WhyPanel)
    shown.go_to(STEP)
    assert shown.remark.text().startswith("Choose a step")


def test_a_picture_says_of_what_it_is(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(2)
    choose(page, "read-only", 1)
    panel(qtbot, page, WhyPanel).go_to(STEP)
    path = tmp_path / "why.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.sharing.save_chart()
    drawn = path.read_text()
    assert f"read-only threads=1: {MARIADB}-rocksdb-preset0-1 against {MARIADB}-innodb-preset0-1" in drawn
    assert "not a proof of the cause" in drawn or "No measured cost" in drawn


def test_waits_and_statements_of_a_step(
    qtbot: QtBot, opened: Open, page: ComparePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Maker, "waits", WAITS)
    monkeypatch.setattr(Maker, "statements", STATEMENTS)
    opened()
    choose(page, "read-only", 1)
    shown = panel(qtbot, page, WhyPanel)
    for way, first in (("Waits", "InnoDB row lock"), ("Statements", "COMMIT")):
        with qtbot.waitSignal(shown.drawn):
            qtbot.mouseClick(button(shown, way), Qt.MouseButton.LeftButton)
        assert lines(shown)[0][0] == first
        assert first in shown.csv()
    with qtbot.waitSignal(shown.drawn):
        qtbot.mouseClick(button(shown, STEP), Qt.MouseButton.LeftButton)
    assert lines(shown)[0][0] == "result"


def test_without_waits_it_says_what_would_bring_them(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    choose(page, "read-only", 1)
    shown = panel(qtbot, page, WhyPanel)
    with qtbot.waitSignal(shown.drawn):
        qtbot.mouseClick(button(shown, "Waits"), Qt.MouseButton.LeftButton)
    assert lines(shown) == [] and "The instruments *waits*" in shown.remark.text()


def test_of_a_counted_step_the_functions_are_the_cause(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    counts = {"mysql-5.6.24": [(10,), (10,)], "mysql-9.7.4": [(30,), (10,)]}
    folded = {"client;send": 1000}, {"client;send": 1200, "client;read": 1800}
    with History(context.home) as history:
        ids = counted.keep(history, counts, 3, stacks=dict(zip(counts, folded, strict=True)))
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: page.body.comparison is not None)
    choose(page, "point-query", 1)
    shown = panel(qtbot, page, WhyPanel)
    qtbot.waitUntil(lambda: len(lines(shown)) > 1)
    assert [line[0] for line in lines(shown)] == ["read", "send"]
    assert "takes 20 instructions more" in shown.remark.text()
    choose(page, "order", 1)  # without stacks
    qtbot.waitUntil(lambda: not lines(shown))


@pytest.mark.parametrize("columns", [1, 2])
def test_causes_of_a_step_by_name(
    qtbot: QtBot, opened: Open, page: ComparePage, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """The last column waits for row locks."""

    def waits(maker: Maker) -> dict[str, dict[str, float]]:
        is_last = maker.plan.turn_of(maker.session).contender == columns - 1
        return {"kinds": {"row_lock": 200.0 if is_last else 0.0}}

    monkeypatch.setattr(Maker, "waits", property(waits))
    opened(columns)
    choose(page, "read-only", columns - 1)
    shown = panel(qtbot, page, WhyPanel)
    qtbot.waitUntil(lambda: len(lines(shown)) > 0)
    assert lines(shown)[0][0] == "1. The clients wait for row locks"
    assert ("against" in heading(shown)) == (columns == 2)
    assert "not a proof" in shown.remark.text()
    assert "row locks" in shown.csv()
    with qtbot.waitSignal(shown.drawn):
        qtbot.mouseClick(button(shown, "Waits"), Qt.MouseButton.LeftButton)
    assert lines(shown) == []
    assert ("The instruments *waits*" in shown.remark.text()) == (columns == 2)
