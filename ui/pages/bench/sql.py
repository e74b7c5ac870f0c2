"""The dialog in which custom SQL is written: checked while it is typed, kept as a workload of one's own."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.catalog import Catalog
from app.catalog.custom_sql import Problem
from app.catalog.own_sql import OwnSql, sql_problems, sql_workloads, write_sql

from ...bus import Changes
from ...context import Context
from ...tasks import Latest
from ...theme import SPACE
from ...widgets.actions import action, action_button
from ...widgets.code_editor import CodeEditor
from ...widgets.message import Message
from .desk import PlanDesk

SIZE, HEIGHTS = (860, 640), (420, 120)
SOON_MS = 150  # after the last letter
_FIGURES = {"rate": "queries a second", "latency": "mean latency (less is better)"}
_BUTTON = QMessageBox.StandardButton
_NEW = "new"
_LINE = Qt.ItemDataRole.UserRole


class SqlDialog(QDialog):
    """One workload at a time; what was changed and not kept is never left without a question."""

    kept = Signal(str, bool)  # its name, whether it is a new one

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown = OwnSql()  # as it was opened or kept
        self._is_new = True
        self._checks = Latest(context.tasks, self)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._check)
        self.setWindowTitle("Custom SQL")
        self.resize(*SIZE)
        self.box, self.name, self.title, self.figure = QComboBox(), QLineEdit(), QLineEdit(), QComboBox()
        self.text = CodeEditor(context.theme, "SQL")
        self.problems = QListWidget()
        self.said, self.message = QLabel(), Message()
        self.copy = action(
            self, "Edit a copy", "", "The same under another name, yours to change", self._copy
        )
        self.save = action(
            self, "Save", "Ctrl+S", "Keep it as a workload, with a sequence for it", self._save
        )
        self._name_parts()
        self._lay_out()
        self._connect()
        self._show(OwnSql(), is_new=True)
        self._reload()

    # making it

    def _name_parts(self) -> None:
        for key, text in _FIGURES.items():
            self.figure.addItem(text, key)
        for part, name, tip in (
            (self.box, "Workload", "One of your own to be changed, or a shipped one to be read"),
            (self.name, "Name", "Small letters, digits and dashes"),
            (self.title, "Title", "What it measures, in a few words"),
            (self.figure, "Figure", "What is compared of it"),
            (self.problems, "What is wrong", "Enter goes to the line"),
        ):
            part.setAccessibleName(name)
            part.setToolTip(tip)
        self.said.setProperty("role", "muted")

    def _lay_out(self) -> None:
        work = QSplitter(Qt.Orientation.Vertical)
        work.addWidget(self.text)
        work.addWidget(self.problems)
        work.setSizes(HEIGHTS)
        work.setChildrenCollapsible(False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(action_button(self.save), QDialogButtonBox.ButtonRole.ApplyRole)
        buttons.rejected.connect(self.reject)
        foot = QHBoxLayout()
        foot.addWidget(self.said, 1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.message)
        layout.addLayout(self._form())
        layout.addWidget(work, 1)
        layout.addLayout(foot)

    def _form(self) -> QGridLayout:
        """Two beside each other, each with its label before it."""
        form = QGridLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(SPACE)
        for at, part in enumerate((self.box, self.figure, self.name, self.title)):
            label = QLabel(f"&{part.accessibleName()}")
            label.setBuddy(part)
            form.addWidget(label, at // 2, at % 2 * 2)
            form.addWidget(part, at // 2, at % 2 * 2 + 1)
        form.addWidget(action_button(self.copy), 0, 4)
        form.setColumnStretch(1, 1)
        form.setColumnStretch(3, 1)
        return form

    def _connect(self) -> None:
        self.box.activated.connect(self._on_chosen)
        self.text.textChanged.connect(self._soon.start)
        self.problems.itemActivated.connect(lambda item: self.text.go_to_line(item.data(_LINE)))

    # what is shown

    @property
    def written(self) -> OwnSql:
        """As it stands here."""
        return replace(
            self._shown,
            name=self.name.text().strip(),
            title=self.title.text(),
            figure=self.figure.currentData(),
            text=self.text.toPlainText(),
        )

    @property
    def is_changed(self) -> bool:
        return self.written != self._shown

    def _show(self, sql: OwnSql, is_new: bool) -> None:
        self._shown, self._is_new = sql, is_new
        self.name.setText(sql.name)
        self.title.setText(sql.title)
        self.figure.setCurrentIndex(self.figure.findData(sql.figure))
        self.text.setPlainText(sql.text)
        for part in (self.title, self.text):
            part.setReadOnly(sql.shipped)
        self.name.setReadOnly(not is_new)
        self.figure.setEnabled(not sql.shipped)
        self.copy.setEnabled(not is_new)
        self.save.setEnabled(not sql.shipped)
        self.message.clear()
        self._check()

    def _reload(self) -> None:
        """What there is to choose from."""
        self._context.tasks.run(self, lambda: sql_workloads(Catalog()), self._fill, self.message.show_failure)

    def _fill(self, found: list[OwnSql]) -> None:
        self.box.clear()
        self.box.addItem(_NEW, OwnSql())
        for each in found:
            self.box.addItem(f"{each.name} (shipped)" if each.shipped else each.name, each)
        names = [_NEW, *(each.name for each in found)]
        self.box.setCurrentIndex(names.index(self._shown.name) if self._shown.name in names else 0)

    def _on_chosen(self, at: int) -> None:
        if self._may_go():
            self._show(self.box.itemData(at), is_new=at == 0)
        else:
            self._reload()

    # checks

    def _check(self) -> None:
        text = self.text.toPlainText()
        self._checks.run(lambda: sql_problems(text), self._on_checked, self.message.show_failure)

    def _on_checked(self, problems: list[Problem]) -> None:
        self.problems.clear()
        for line, text in problems:
            self.problems.addItem(f"line {line}: {text}")
            self.problems.item(self.problems.count() - 1).setData(_LINE, line)
        self.text.mark_lines({problem.line for problem in problems})
        wrong = f"{len(problems)} thing{'s' * (len(problems) > 1)} to be put right"
        self.said.setText(wrong if problems else "Nothing is wrong with it")

    # what a person does

    def _copy(self) -> None:
        if self._may_go():
            name = f"{self._shown.name}-mine"
            self.box.setCurrentIndex(0)
            self._show(replace(self._shown, name="", shipped=False), is_new=True)
            self.name.setText(name)
            self.name.setFocus()

    def _save(self) -> None:
        written, is_new = self.written, self._is_new

        def done(_: None) -> None:
            self._shown, self._is_new = written, False
            self.name.setReadOnly(True)
            self.copy.setEnabled(True)
            self.message.show_info(f"Kept as the workload {written.name}, with a sequence of this name.")
            self._reload()
            self.kept.emit(written.name, is_new)

        self._context.tasks.run(
            self, lambda: write_sql(Catalog(), written, over=not is_new), done, self.message.show_failure
        )

    def _may_go(self) -> bool:
        """Whether what stands here may be left."""
        if not self.is_changed:
            return True
        text = f"What was changed of {self.written.name or 'the new workload'} is not kept."
        answer = QMessageBox.question(
            self, "Custom SQL", f"{text} Leave it all the same?",
            _BUTTON.Discard | _BUTTON.Cancel, _BUTTON.Cancel,
        )  # fmt: skip
        return answer == _BUTTON.Discard

    def reject(self) -> None:
        if self._may_go():
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.reject()


def edit_sql(desk: PlanDesk, context: Context, parent: QWidget) -> None:
    """Open the dialog; what is kept there can be chosen on the desk, and a new one is."""
    dialog = SqlDialog(context, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def on_kept(name: str, is_new: bool) -> None:
        if is_new:
            desk.change(desk.draft.with_sequence(name))
        context.bus.changed.emit(Changes(sequences=True))

    dialog.kept.connect(on_kept)
    dialog.open()
