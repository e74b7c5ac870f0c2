"""The overview of a session: work and machine in two columns of selectable text."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QScrollArea

from app.core.harmless import harmless
from app.history.steps.figures import SessionDetails
from app.protocol.states import reason_text, state_word
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.models.session_columns import tone_of
from ui.widgets.layouts import NATIVE, boxed, in_column, in_row
from ui.widgets.pairs import TitleTextGrid

from .reading import SessionDetailTexts

_TOLD = 3  # failed steps; the others are in the results


class SessionOverview(QScrollArea):
    tags_changed = Signal(str, object)  # session id, the tags it is to have

    def __init__(self) -> None:
        super().__init__()
        self._session = ""
        self._what, self._on = TitleTextGrid(), TitleTextGrid()
        self._state = PlainTextLabel(wraps=True, selectable=True)
        self._tags = QLineEdit(placeholderText="Tags, separated by commas; press Enter to save")
        self._tags.setAccessibleName("Tags")
        self._tags.editingFinished.connect(self._on_tags_edited)
        self._shown_tags: list[str] = []
        self.setWidgetResizable(True)
        self.setAccessibleName("Session")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        lines = in_row((self._what, 1), (self._on, 1), spacing=4 * SPACE)
        tags = in_row(PlainTextLabel("&Tags", "muted", buddy=self._tags), (self._tags, 1), spacing=NATIVE)
        self.setWidget(boxed(in_column(self._state, lines, tags, 1, margins=(0, SPACE, 0, SPACE))))

    def show_detail(self, detail: SessionDetailTexts) -> None:
        shown = detail.shown
        self._what.show_pairs(detail.what)
        self._on.show_pairs(detail.on)
        self._show_state(shown)
        if not (self._tags.hasFocus() and self._session == shown["id"]):
            self._session, self._shown_tags = shown["id"], list(shown["tags"])
            self._tags.setText(harmless(", ".join(self._shown_tags)))

    def _show_state(self, shown: SessionDetails) -> None:
        state, reason = shown["state"], shown["reason"]
        lines = [f"{state_word(state, reason)}: {reason_text(reason)}"] if reason else []
        failed = [step for step in shown["steps"] if step["state"] == "failed"]
        lines += [
            f"{step['name']} failed: {step['reason'] or 'no reason is known'}" for step in failed[:_TOLD]
        ]
        if len(failed) > _TOLD:
            lines.append(f"and {len(failed) - _TOLD} more: see the results")
        self._state.set_role(tone_of(state, reason) or ("warn" if failed else ""))
        self._state.setText("\n".join(lines))
        self._state.setVisible(bool(lines))

    def _on_tags_edited(self) -> None:
        tags = sorted({tag.strip() for tag in self._tags.text().split(",")} - {""})
        if self._session and tags != sorted(self._shown_tags):
            self._shown_tags = tags
            self.tags_changed.emit(self._session, tags)
