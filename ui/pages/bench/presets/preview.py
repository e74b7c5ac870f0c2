"""The preview next to a preset: what a build would get of it, or how another one differs."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from app.core.harmless import harmless
from app.planner.starting.choices import Choices
from app.variables import Preset
from ui.core.theme import SPACE, Theme
from ui.widgets.code import CodeView
from ui.widgets.highlighter import DIFFERENCE, MY_CNF, Highlighter

_BUILD, _PRESET = "build", "preset"


class PresetBeside(QWidget):
    """Shows a preview; `chosen` requests another one."""

    chosen = Signal()

    def __init__(self, theme: Theme, choices: Choices, preset: Preset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices, self._engine = choices, preset.engine
        self.form, self.text = QComboBox(), CodeView("Preview it")
        self._colours = Highlighter(theme, self.text.document(), MY_CNF)
        self._fill(preset)
        self.form.setAccessibleName("What surrounds it")
        self.form.setToolTip(
            "The file as Dyno sends it to a build of this target, or how it differs from another preset"
        )
        self.form.currentIndexChanged.connect(lambda _: self.chosen.emit())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.form)
        layout.addWidget(self.text, 1)

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
