"""The picker of presets: as written, as a build would get it, and a copy under another name."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from app.core.errors import InputError
from app.core.harmless import harmless
from app.planner.request.slicing import servers_at_once
from app.planner.starting.choices import PlanChoices, rendered
from app.planner.starting.draft import Draft
from app.protocol.answers import Survey
from app.variables import Preset
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.dialogs.questions import ask_before
from ui.models.choices import engine_text
from ui.widgets.actions import action, action_button
from ui.widgets.code_editor import CodeView
from ui.widgets.highlighter import MY_CNF, Highlighter
from ui.widgets.layouts import NATIVE, in_column, in_row
from ui.widgets.wrapping_row import WrappingRow

_WRITTEN = "as written"


class PresetView(QWidget):
    """Shows presets; listeners make the copies."""

    copy_wanted = Signal(str, str, str)  # engine, preset, name of the copy
    edit_wanted = Signal(str, str, str)  # engine, preset, build
    deletion_wanted = Signal(str, str)  # engine, preset: the person was asked

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._choices = PlanChoices()
        self._survey: Survey | None = None
        self._copy = ""  # that was made and is edited as soon as it is listed
        self._at_once = 1  # servers that share the target
        self.preset, self.form = QComboBox(), QComboBox()
        self.words = PlainTextLabel(role="muted", wraps=True)
        self.text = CodeView("my.cnf")
        Highlighter(theme, self.text.document(), MY_CNF)
        self.name = QLineEdit(placeholderText="name of a copy")
        self.name.setAccessibleName("Name of the copy")
        self.name.setToolTip("Empty: the name of this my.cnf with a number")
        self.name.returnPressed.connect(self._on_copy_wanted)
        tip = "Copy this my.cnf under another name and edit the copy"
        self.copy = action(self, "Duplicate and edit…", "", tip, self._on_copy_wanted)
        tip = "Edit the my.cnf, compare it with another, check it with the builds"
        self.edit = action(self, "Edit or check…", "edit preset", tip)  # by the page
        tip = "Delete your own my.cnf; shipped ones stay"
        self.delete = action(self, "Delete my.cnf…", "delete preset", tip, self._on_delete_wanted)
        self._build_layout()
        self.preset.currentIndexChanged.connect(lambda _: self._show())
        self.form.currentIndexChanged.connect(lambda _: self._show())

    def show_choices(self, choices: PlanChoices, survey: Survey | None) -> None:
        """Show the current choices; the preset on view stays if it exists."""
        self._choices, self._survey = choices, survey
        _refill(self.preset, [(f"{engine_text(p.engine)} · {p.name}", _key(p)) for p in choices.presets])
        builds = [each.name for each in choices.builds if not each.problem]
        _refill(self.form, [(_WRITTEN, ""), *((f"rendered for {name}", name) for name in builds)])
        self._show()
        if (at := self.preset.findData(self._copy)) >= 0 and self._copy:
            self._copy = ""
            self.name.clear()
            self.preset.setCurrentIndex(at)
            self.edit.trigger()

    def edit_copy(self, engine: str, name: str) -> None:
        """A copy was made: select and edit it once it is in the list."""
        self._copy = f"{engine}/{name}"

    def show_draft(self, draft: Draft) -> None:
        """Show the draft: shares of memory depend on its order."""
        at_once = servers_at_once(draft.request)
        if at_once != self._at_once:
            self._at_once = at_once
            self._show()

    def look_at(self, engine: str, name: str, build: str, takes_focus: bool = True) -> None:
        """Show this preset as rendered for this build, or as before if none is named."""
        if engine:
            self.preset.setCurrentIndex(max(self.preset.findData(f"{engine}/{name}"), 0))
            self.form.setCurrentIndex(max(self.form.findData(build), 0))
        if takes_focus:
            self.text.setFocus()

    def _build_layout(self) -> None:
        for box, name in ((self.preset, "my.cnf"), (self.form, "Form of the my.cnf")):
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(12)
        self.preset.setToolTip("Which my.cnf")
        self.form.setToolTip("The file as written, or as Dyno sends it to a build of this target")
        head = in_row((self.preset, 1), (self.form, 1))
        self.name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        buttons = map(action_button, (self.copy, self.edit, self.delete))
        parts = (head, WrappingRow(self.name, *buttons), self.words, (self.text, 1))
        self.setLayout(in_column(*parts, spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    def _chosen(self) -> Preset | None:
        engine, _, name = str(self.preset.currentData() or "").partition("/")
        return self._choices.preset(engine, name)

    def _show(self) -> None:
        preset, build = self._chosen(), str(self.form.currentData() or "")
        for each in (self.copy, self.edit):
            each.setEnabled(preset is not None)
        self.delete.setEnabled(preset is not None and not preset.shipped)
        if preset is None:
            return
        if not build or self._survey is None:
            lines = [preset.header.get("purpose", preset.title)]
            if "durability" in preset.header:
                lines.append(f"durability: {preset.header['durability']}")
            self.words.setText("\n".join(lines))
            self.text.show_text(preset.text)
            return
        try:
            found = rendered(preset, build, self._survey, self._at_once)
        except InputError as error:
            self.words.setText(str(error))
            self.text.show_text("")
            return
        dropped = "; ".join(f"line {each.line}: {each.option}: {each.reason}" for each in found.dropped)
        words = f"changed or left out: {dropped}" if dropped else "no line is changed or left out"
        share = f"; sized for one of {self._at_once} servers" if self._at_once > 1 else ""
        self.words.setText(words + share)
        self.text.show_text(found.text)

    def _on_copy_wanted(self) -> None:
        if preset := self._chosen():
            name = self.name.text().strip() or self._choices.copy_name(preset)
            self.copy_wanted.emit(preset.engine, preset.name, name)

    def edit_shown(self) -> None:
        """Edit the preset that is shown, for the build that it is shown for."""
        if preset := self._chosen():
            self.edit_wanted.emit(preset.engine, preset.name, str(self.form.currentData() or ""))

    def _on_delete_wanted(self) -> None:
        preset = self._chosen()
        if preset is None or preset.shipped:
            return
        question = f"Delete the my.cnf {engine_text(preset.engine)} {preset.name}?"
        text = "This cannot be undone. Sessions that used it keep its text."
        ask_before(self, question, text, lambda: self.deletion_wanted.emit(preset.engine, preset.name))


def _key(preset: Preset) -> str:
    return f"{preset.engine}/{preset.name}"


def _refill(box: QComboBox, entries: list[tuple[str, str]]) -> None:
    """Replace the entries and keep the choice."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for text, data in entries:
            box.addItem(harmless(text), data)
        box.setCurrentIndex(max(box.findData(chosen), 0))
