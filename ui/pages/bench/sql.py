"""The dialog for custom SQL: checked while typing, saved as a person's own workload.

`app.catalog.custom_sql` says what is wrong, `app.catalog.own_sql` saves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QListWidget,
    QWidget,
)

from app.catalog import Catalog
from app.catalog.custom_sql import CustomSqlProblem
from app.catalog.mydbtest import read_custom_sql
from app.catalog.own_sql import FIGURES, OwnSql, sql_problems, sql_workloads, write_sql
from app.core.harmless import harmless
from app.core.units import count_text
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import Theme
from ui.dialogs.questions import Act, leave
from ui.widgets.actions import action, action_button
from ui.widgets.code_editor import CodeEditor
from ui.widgets.form import Choice, Form, FormFieldSpec
from ui.widgets.highlighter import CUSTOM_SQL, Highlighter
from ui.widgets.layouts import NATIVE, dialog_buttons, in_column, in_row, lay_out_dialog, split
from ui.widgets.message import MessageBar

from .plan.draft_controller import DraftController

SIZE, HEIGHTS = (860, 640), (420, 120)
SOON_MS = 150  # after the last letter
_NEW = "new"
_LINE = Qt.ItemDataRole.UserRole
_FIGURES = {"rate": "queries a second", "latency": "mean latency (less is better)"}
FIELDS = (
    FormFieldSpec("name", "&Name", "Lowercase letters, digits and dashes"),
    FormFieldSpec("figure", "&Result", "The value that Compare shows", Choice,
          choices=tuple((key, _FIGURES[key]) for key in FIGURES), joins_row=True),
    FormFieldSpec("title", "&Title", "What it measures, in a few words"),
)  # fmt: skip


class CustomSqlDialog(QDialog):
    """Edits one workload at a time; unsaved changes are never lost silently."""

    kept = Signal(str, bool)  # its name, whether it is a new one

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._kept = OwnSql()  # as it was opened or kept
        self._is_new = True
        self._checks = NewestAnswerRunner(context.tasks, self)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._check)
        self.setWindowTitle("Custom SQL")
        self.resize(*SIZE)
        self.box, self.form = QComboBox(), SqlForm(context.theme)
        self.said, self.message = PlainTextLabel(role="muted"), MessageBar()
        self._make_actions()
        self._build_layout()
        self.box.activated.connect(self._on_chosen)
        self.form.typed.connect(self._soon.start)
        self._show(OwnSql(), is_new=True)
        self._reload()

    # making it

    def _make_actions(self) -> None:
        tip = "Copy the workload under another name and edit the copy"
        self.copy = action(self, "Edit a copy", "", tip, self._copy)
        tip = "Load the text of a file, mydbtest files included"
        self.open_file = action(self, "Open file…", "open", tip, self._ask_for_file)
        tip = "Save it as a workload, with a sequence that runs it"
        self.save = action(self, "Save", "save", tip, self._save)

    def _build_layout(self) -> None:
        self.box.setAccessibleName("Workload")
        self.box.setToolTip("Your own workload to edit, or a shipped one to read")
        label = PlainTextLabel("&Workload", buddy=self.box)
        head = in_row(label, (self.box, 1), action_button(self.copy), action_button(self.open_file))
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close, self.save)
        foot = in_row((self.said, 1), buttons, spacing=NATIVE)
        lay_out_dialog(self, self.message, head, (self.form, 1), foot)

    # what is shown

    @property
    def is_changed(self) -> bool:
        return self.form.written != self._kept

    def _show(self, sql: OwnSql, is_new: bool) -> None:
        """Show a saved workload, or a new one."""
        self._kept, self._is_new = (OwnSql() if is_new else sql), is_new
        self.form.show_sql(sql, is_new)
        self.copy.setEnabled(not is_new)
        self.save.setEnabled(not sql.shipped)
        self.message.clear()
        self._check()

    def _reload(self) -> None:
        """Reload the choices."""
        self._context.tasks.run(self, lambda: sql_workloads(Catalog()), self._fill, self.message.show_failure)

    def _fill(self, found: list[OwnSql]) -> None:
        self.box.clear()
        self.box.addItem(_NEW, OwnSql())
        for each in found:
            self.box.addItem(harmless(f"{each.name} (shipped)" if each.shipped else each.name), each)
        names = [_NEW, *(each.name for each in found)]
        self.box.setCurrentIndex(names.index(self._kept.name) if self._kept.name in names else 0)

    def _check(self) -> None:
        text = self.form.written.text
        self._checks.run(lambda: sql_problems(text), self._on_checked, self.message.show_failure)

    def _on_checked(self, problems: list[CustomSqlProblem]) -> None:
        self.form.show_problems(problems)
        wrong = f"{count_text(len(problems), 'error')}"
        self.said.setText(wrong if problems else "No errors")

    # what a person does

    def _on_chosen(self, at: int) -> None:
        sql = self.box.itemData(at)
        if not self._leave(lambda: self._show(sql, is_new=at == 0)):
            self._reload()

    def _copy(self) -> None:
        copied = replace(self._kept, name=f"{self._kept.name}-mine", shipped=False)
        self._leave(lambda: self._begin(copied))

    def _begin(self, sql: OwnSql) -> None:
        """Begin a new workload with this text."""
        self.box.setCurrentIndex(0)
        self._show(sql, is_new=True)
        self.form.name.setFocus()

    def _ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Open a file of custom SQL or of mydbtest")
        if path:
            self._leave(lambda: self._open(Path(path)))

    def _open(self, path: Path) -> None:
        self._context.tasks.run(
            self, lambda: read_custom_sql(path), self._on_opened, self.message.show_failure
        )

    def _on_opened(self, found: tuple[OwnSql, tuple[str, ...]]) -> None:
        sql, notes = found
        self._begin(sql)
        if notes:
            self.message.show_info("\n".join(notes))

    def _save(self, then: Act = lambda: None) -> None:
        """Save, then continue with `then`."""
        written, is_new = self.form.written, self._is_new

        def done(_: None) -> None:
            self._kept, self._is_new = written, False  # more may have been typed meanwhile
            self.form.name.setReadOnly(True)
            self.copy.setEnabled(True)
            self.message.show_info(f"Saved as the workload {written.name}, with a sequence of this name.")
            self._reload()
            self.kept.emit(written.name, is_new)
            then()

        self._context.tasks.run(
            self,
            lambda: write_sql(Catalog(), written, over=not is_new),
            done,
            self.message.show_failure,
            stores=True,
        )

    def _leave(self, then: Act) -> bool:
        """Continue with `then`, unless the person stays."""
        if self.is_changed:
            name = self.form.written.name or "the new workload"
            return leave(self, "Custom SQL", name, self._save, then)
        then()
        return True

    def reject(self) -> None:
        self._leave(super().reject)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.reject()


def edit_sql(controller: DraftController, context: WindowContext, parent: QWidget) -> None:
    """Open the dialog; a sequence saved there can be chosen on Bench; a new one is chosen."""
    dialog = CustomSqlDialog(context, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def on_kept(name: str, is_new: bool) -> None:
        if is_new:
            controller.change(controller.draft.with_sequence(name))
        context.bus.changed.emit(PartsToReload(sequences=True))

    dialog.kept.connect(on_kept)
    dialog.open()


class SqlForm(QWidget):
    """A form for a workload; a shipped one is read-only."""

    typed = Signal()  # in the text

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._given = OwnSql()
        self.fields = Form(FIELDS)
        self.name, self.title = self.fields.line("name"), self.fields.line("title")
        self.text, self.problems = CodeEditor(theme, "SQL"), QListWidget()
        self._colours = Highlighter(theme, self.text.document(), CUSTOM_SQL)
        self.problems.setAccessibleName("What is wrong")
        self.problems.setToolTip("Press Enter to go to the line")
        work = split(Qt.Orientation.Vertical, (self.text, HEIGHTS[0], 1), (self.problems, HEIGHTS[1], 0))
        self.setLayout(in_column(self.fields, (work, 1)))
        self.text.textChanged.connect(self.typed)
        self.problems.itemActivated.connect(lambda item: self.text.go_to_line(item.data(_LINE)))

    def show_sql(self, sql: OwnSql, is_new: bool) -> None:
        """Show another workload; only a new one can be named."""
        self._given = sql
        self.fields.fill({"name": sql.name, "figure": sql.figure, "title": sql.title})
        self.text.setPlainText(sql.text)
        self.name.setReadOnly(not is_new)
        for part in (self.title, self.text):
            part.setReadOnly(sql.shipped)
        self.fields.inputs["figure"].setEnabled(not sql.shipped)

    @property
    def written(self) -> OwnSql:
        """The workload as typed."""
        return replace(
            self._given,
            name=self.name.text().strip(),
            title=self.title.text(),
            figure=self.fields.values()["figure"],
            text=self.text.toPlainText(),
        )

    def show_problems(self, problems: Sequence[CustomSqlProblem]) -> None:
        self.problems.clear()
        for line, text in problems:
            self.problems.addItem(harmless(f"line {line}: {text}"))
            self.problems.item(self.problems.count() - 1).setData(_LINE, line)
        self.text.mark_lines({problem.line for problem in problems})
