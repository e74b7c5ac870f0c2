"""The dialog of one preset: the editor on the left; on the right what a build gets, or another preset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.catalog import Catalog
from app.catalog.own import write_preset
from app.core.harmless import harmless
from app.core.units import count_text
from app.planner.starting.choices import PlanChoices
from app.planner.starting.preset_check import (
    BuildReply,
    PresetPreview,
    preset_preview,
    try_preset,
    written_options,
)
from app.protocol.answers import Survey
from app.protocol.my_cnf import option_key, split_line
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.store import Targets
from app.variables import Preset, parse_preset
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import Theme
from ui.dialogs.questions import Act, leave
from ui.models.choices import engine_text
from ui.pages.bench.plan.draft_controller import DraftController
from ui.pages.bench.variables import read_option_names
from ui.widgets.actions import action
from ui.widgets.code_editor import CodeView, CompletingEditor
from ui.widgets.elided import ElidedLabel
from ui.widgets.highlighter import DIFFERENCE, MY_CNF, Highlighter
from ui.widgets.layouts import NATIVE, boxed, dialog_buttons, in_column, in_row, lay_out_dialog, split
from ui.widgets.message import MessageBar

SIZE, WIDTHS, HEIGHTS = (1080, 680), (540, 540), (440, 140)
SOON_MS = 150  # after the last letter
_FINE = ("accepted", "started", "compression")  # states of an answer
_BUILD, _PRESET = "build", "preset"  # what is beside a preset
_LINE = Qt.ItemDataRole.UserRole


class PresetDialog(QDialog):
    """Edits a preset; shipped ones are read-only, and unsaved changes are never lost silently."""

    kept = Signal()

    def __init__(
        self,
        context: WindowContext,
        target: Target,
        choices: PlanChoices,
        survey: Survey | None,
        preset: Preset,
        parent: QWidget | None = None,
        build: str = "",
    ) -> None:
        """`build`: the one that it is shown for at first."""
        super().__init__(parent)
        self._context, self._target, self._survey = context, target, survey
        self._preset = preset  # as it was opened or kept
        self._verdict = ""  # of the builds on the text as it is
        self._bad: set[int] = set()
        self._doubtful: set[int] = set()
        self._answers: dict[int, str] = {}  # by line
        self._looks, self._asking = (
            NewestAnswerRunner(context.tasks, self),
            NewestAnswerRunner(context.tasks, self),
        )
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._look)
        self.setWindowTitle(f"my.cnf {engine_text(preset.engine)} {preset.name}")
        self.resize(*SIZE)
        self.text = CompletingEditor(context.theme, "my.cnf")
        self.beside = PresetPreviewPane(context.theme, choices, preset, build)
        self.answers, self.message = BuildAnswerList(context.theme), MessageBar()
        self.said = ElidedLabel(role="muted")
        Highlighter(context.theme, self.text.document(), MY_CNF)
        self._make_actions()
        self._build_layout()
        self.text.setPlainText(preset.text)
        self.text.setReadOnly(preset.shipped)
        self._connect()
        self._look()
        builds = [each.name for each in choices.builds if each.has(preset.engine)]
        self._written = written_options(each for each in choices.presets if each.engine == preset.engine)
        self.text.complete_with(self._written)
        read_option_names(context, self, target, survey, builds, self._on_options)

    # making it

    def _make_actions(self) -> None:
        tip = "Ask every build with this engine whether it accepts the my.cnf, also while a plan is under way"
        self.ask = action(self, "&Ask the builds", "ask builds", tip, lambda: self._try(start=False))
        tip = "Start each build once on an empty directory and compare its variables with the my.cnf"
        self.start = action(self, "S&tart them once", "start builds", tip, lambda: self._try(start=True))
        self.save = action(self, "&Save", "save", "Save the my.cnf", self._save)
        self.save.setEnabled(not self._preset.shipped)
        for each in (self.ask, self.start):
            each.setEnabled(self._survey is not None)

    def _build_layout(self) -> None:
        whose = PlainTextLabel(self._whose())
        whose.setFixedHeight(self.beside.form.sizeHint().height())  # both texts begin at one height
        left = boxed(in_column(whose, (self.text, 1)))
        both = split(Qt.Orientation.Horizontal, (left, WIDTHS[0], 1), (self.beside, WIDTHS[1], 1))
        work = split(Qt.Orientation.Vertical, (both, HEIGHTS[0], 1), (self.answers, HEIGHTS[1], 0))
        close = QDialogButtonBox.StandardButton.Close
        buttons = dialog_buttons(self, close, self.ask, self.start, self.save)
        lay_out_dialog(self, self.message, (work, 1), in_row((self.said, 1), buttons, spacing=NATIVE))

    def _whose(self) -> str:
        if self._preset.shipped:
            return "Shipped and read-only: Duplicate and edit creates your own copy"
        return "Your own my.cnf"

    def _connect(self) -> None:
        self.text.textChanged.connect(self._on_typed)
        self.beside.chosen.connect(self._look)
        self.answers.line_wanted.connect(self.text.go_to_line)

    # what is shown

    def _on_options(self, found: list[frozenset[str]]) -> None:
        self.text.complete_with(self._written.union(*found))

    def go_to_option(self, name: str) -> None:
        """Go to the last line of an option, which is the one that counts."""
        lines = enumerate(self.text.toPlainText().splitlines(), 1)
        found = [at for at, line in lines if option_key(split_line(line)[0]) == option_key(name)]
        self.text.go_to_line(found[-1] if found else 1)

    @property
    def is_changed(self) -> bool:
        return self.text.toPlainText() != self._preset.text

    def _on_typed(self) -> None:
        """Mark the answers as old: they are about another text."""
        self._verdict, self._bad, self._doubtful, self._answers = "", set(), set(), {}
        self._soon.start()

    def _look(self) -> None:
        text, preset, survey = self.text.toPlainText(), self._preset, self._survey
        build, other = self.beside.build, self.beside.other
        self._looks.run(
            lambda: preset_preview(preset, text, build, survey, other),
            self._on_looked,
            self.message.show_failure,
        )

    def _on_looked(self, found: PresetPreview) -> None:
        self.beside.show_text(found.text)
        words = self._verdict or ("Changed, not saved yet" if self.is_changed else "")
        self.said.setText(found.problem or words)
        if found.line:
            self.text.mark_lines({found.line}, self._doubtful, {**self._answers, found.line: found.problem})
        else:
            self._mark_answers()

    def _mark_answers(self) -> None:
        self.text.mark_lines(self._bad, self._doubtful, self._answers)

    # what a person does

    def _try(self, start: bool) -> None:
        target, ask, text, preset = (
            self._target,
            self._context.secrets.ask,
            self.text.toPlainText(),
            self._preset,
        )
        self._set_busy(True)

        def work() -> list[BuildReply]:
            draft = parse_preset(text, preset.name, preset.engine, preset.label, preset.shipped)
            with reached(target, ask) as agent:
                return try_preset(agent, agent.survey(target.search_paths), draft, start=start)

        def failed(error: Exception) -> None:
            self._set_busy(False)
            self.message.show_failure(error)

        self._asking.run(work, self._on_answered, failed)

    def _set_busy(self, is_busy: bool) -> None:
        for each in (self.ask, self.start):
            each.setEnabled(not is_busy)
        if is_busy:
            self.message.clear()
            self.answers.clear()
            self.said.setText(f"Asking the builds of {self._target.name}…")

    def _on_answered(self, answers: list[BuildReply]) -> None:
        self._set_busy(False)
        self.answers.show_answers(answers)
        self._bad = {each.line for each in answers if each.is_refusal}
        self._doubtful = {each.line for each in answers if not each.is_information} - self._bad
        self._answers = by_line(answers)
        self._verdict = preset_check_summary(answers)
        self.said.setText(self._verdict)
        self._mark_answers()

    def _save(self, then: Act = lambda: None) -> None:
        """Save, then continue with `then`."""
        text, preset = self.text.toPlainText(), self._preset

        def done(_: object) -> None:
            self._preset = replace(preset, text=text)
            self.message.clear()
            self.said.setText("Saved")
            self.kept.emit()
            then()

        self._context.tasks.run(
            self,
            lambda: write_preset(Catalog(), preset.engine, preset.name, text),
            done,
            self.message.show_failure,
            stores=True,
        )

    def reject(self) -> None:
        if self.is_changed:
            leave(self, "my.cnf", self._preset.name, self._save, super().reject)
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.reject()


def edit_preset(
    controller: DraftController,
    context: WindowContext,
    parent: QWidget,
    engine: str,
    name: str,
    build: str = "",
    option: str = "",
) -> None:
    """Open the dialog at the line of an option, as a build gets it; plans use what is saved there."""
    preset = controller.choices.preset(engine, name)
    if preset is None:
        return
    target = Targets(context.home).get(controller.draft.request.target)
    dialog = PresetDialog(context, target, controller.choices, controller.survey, preset, parent, build)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.kept.connect(lambda: context.bus.changed.emit(PartsToReload(presets=True)))
    dialog.open()
    if option:
        dialog.go_to_option(option)


class BuildAnswerList(QListWidget):
    """The answers of builds about a preset, one per line; Enter jumps to the line of the preset."""

    line_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._answers: Sequence[BuildReply] = ()
        self.setAccessibleName("What builds say")
        self.setToolTip("Click or press Enter to go to the line")
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for chosen in (self.itemActivated, self.itemClicked):
            chosen.connect(lambda item: self.line_wanted.emit(item.data(_LINE)))
        theme.changed.connect(self._on_theme_changed)

    def show_answers(self, answers: Sequence[BuildReply]) -> None:
        self._answers = answers
        self.clear()
        for each in answers:
            place = f", line {each.line}" if each.line else ""
            item = QListWidgetItem(harmless(f"{each.build} · {each.state}{place}: {each.text}"))
            item.setData(_LINE, each.line or 1)
            item.setForeground(self._theme.colour(_colour_of(each)))
            self.addItem(item)

    def _on_theme_changed(self) -> None:
        self.show_answers(self._answers)


def by_line(answers: Sequence[BuildReply]) -> dict[int, str]:
    """The answers for each line, a text line per build."""
    found: dict[int, list[str]] = {}
    for each in answers:
        found.setdefault(each.line, []).append(f"{each.build}: {each.state}: {each.text}")
    return {line: "\n".join(texts) for line, texts in found.items() if line}


def preset_check_summary(answers: Sequence[BuildReply]) -> str:
    """The answers in one line: the builds that refuse the preset, or the number of changed lines."""
    refused = sorted({each.build for each in answers if each.is_refusal})
    if refused:
        return f"Refused by {', '.join(refused)}"
    lines = len(by_line([each for each in answers if not each.is_information]))
    otherwise = f"; {count_text(lines, 'line')} not as written" if lines else ""
    return f"Accepted by every build asked{otherwise}"


def _colour_of(answer: BuildReply) -> str:
    if answer.is_refusal:
        return "bad"
    if answer.is_information:
        return "muted"
    return "text" if answer.state in _FINE else "warn"


class PresetPreviewPane(QWidget):
    """The preview next to a preset: what a build would get of it, or how another one differs."""

    chosen = Signal()

    def __init__(self, theme: Theme, choices: PlanChoices, preset: Preset, build: str = "") -> None:
        super().__init__()
        self._choices, self._engine = choices, preset.engine
        self.form, self.text = QComboBox(), CodeView("Preview it")
        self._colours = Highlighter(theme, self.text.document(), MY_CNF)
        self._fill(preset)
        kinds = [tuple(self.form.itemData(at)) for at in range(self.form.count())]
        if (_BUILD, build) in kinds:
            self.form.setCurrentIndex(kinds.index((_BUILD, build)))
        self.form.setAccessibleName("What surrounds it")
        self.form.setToolTip(
            "The file as Dyno sends it to a build of this target, or how it differs from another my.cnf"
        )
        self.form.currentIndexChanged.connect(lambda _: self.chosen.emit())
        self.setLayout(in_column(self.form, (self.text, 1)))

    @property
    def build(self) -> str:
        """The build of the preview; '' for a preset."""
        kind, name = self.form.currentData() or ("", "")
        return str(name) if kind == _BUILD else ""

    @property
    def other(self) -> Preset | None:
        kind, name = self.form.currentData() or ("", "")
        return self._choices.preset(self._engine, name) if kind == _PRESET else None

    def show_text(self, text: str) -> None:
        self._colours.paint_by(DIFFERENCE if self.other else MY_CNF)
        self.text.show_text(text)

    def _fill(self, preset: Preset) -> None:
        for build in self._choices.builds:
            if build.has(preset.engine):
                self.form.addItem(harmless(f"rendered for {build.name}"), (_BUILD, build.name))
        for other in self._choices.presets:
            if other.engine == preset.engine and other.name != preset.name:
                self.form.addItem(harmless(f"differs from {other.name}"), (_PRESET, other.name))
