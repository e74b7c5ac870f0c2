"""The line below the fields of Bench: it shows a reason whole, and moves nothing for a short one."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.pages.bench.plan.field_rows import FieldRows

LONG = (
    "9 s is too short: 4 repeats of 4 timed steps of 3 s on 12,500 rows a table take about 4 min 20 s:"
    " give it 5 min, or choose fewer steps"
)


def test_a_long_reason_is_readable_to_its_end(qtbot: QtBot) -> None:
    page, rows, fields = QWidget(), FieldRows((1, 1)), [QLineEdit(), QLineEdit()]
    for title, field in zip(("Threads", "How long"), fields, strict=True):
        rows.add(title, field, "")
    layout = QVBoxLayout(page)
    layout.addWidget(rows)
    layout.addStretch(1)
    qtbot.addWidget(page)
    page.resize(400, 300)
    page.show()
    line = rows.line_of(fields[1])
    empty = line.height()
    rows.show_reason(fields[1], "1 min is too short")
    qtbot.wait(50)
    assert line.height() == empty > 0, "nothing moves"
    rows.show_reason(fields[1], LONG)
    qtbot.waitUntil(lambda: line.height() >= 2 * line.fontMetrics().height())
    assert line.height() >= line.heightForWidth(line.width()) and line.width() <= 400
    rows.show_reason(None, "")
    qtbot.waitUntil(lambda: line.height() == empty)
