"""The fields of a target, each with its error message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.remote.target import Target
from ui.core.plain import Label, as_tip
from ui.core.theme import SPACE

_REMOTE = ("host", "user", "port", "identity", "jump", "remember")  # this computer has none of these
_LINES = {  # one line of text: label, what is in it while it is empty, tooltip
    "name": ("&Name", "nuc-i3", "Name of the target: a-z, 0-9, '.', '_' and '-'"),
    "host": ("H&ost", "nuc.lan", "Host name, address, or a Host of ~/.ssh/config"),
    "user": ("&User", "as ssh does", "SSH user; empty: as ~/.ssh/config says, else your user name"),
    "port": ("Po&rt", "22", "SSH port; empty: as ~/.ssh/config says, else 22"),
    "identity": (
        "&Key file",
        "as ssh does",
        "Private key; empty: the keys of ~/.ssh and of the SSH agent",
    ),
    "jump": ("&Jump host", "user@host:port", "Hosts to connect through, separated by commas"),
    "python": ("&Python", "python3", "Python on the target: a name like python3.12, or a path"),
}
_TEXTS = {  # a line each
    "directories": (
        "&Directories",
        "/data/dyno",
        "One per line, on the disks to measure; plans run in the first",
    ),
    "search_paths": (
        "Builds &in",
        "/opt/*",
        "One per line: more directories to search for builds",
    ),
}
_ORDER = (
    "name",
    "host",
    "user",
    "port",
    "identity",
    "jump",
    "directories",
    "search_paths",
    "python",
    "remember",
)


class TargetForm(QWidget):
    """Fields for a target, valid or not."""

    edited = Signal()  # something was typed, or a field was left
    identity_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.taken: frozenset[str] = frozenset()  # names of other targets
        self._left: set[str] = set()  # fields the person has been in
        self._rows: dict[str, list[QWidget]] = {}
        self.lines = {field: self._make_line(field) for field in _LINES}
        self.texts = {field: self._make_text(field) for field in _TEXTS}
        self.remember = QCheckBox("Re&member secrets in the keyring")
        self.remember.setToolTip(
            "The system stores passwords and passphrases; otherwise Dyno forgets them when it closes"
        )
        self.remember.toggled.connect(lambda: self.edited.emit())
        self.problems = {field: _problem_label() for field in _ORDER}
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(SPACE)
        self._layout.setColumnStretch(1, 1)
        for field in _ORDER:
            self._add_row(field)

    def fill(self, target: Target | None) -> None:
        """Fill in the known values; focus goes to the first field to type in."""
        known = target or Target("")
        for field, line in self.lines.items():
            line.setText(str(getattr(known, field) or ""))
        for field, text in self.texts.items():
            text.setPlainText("\n".join(getattr(known, field)))
        self.remember.setChecked(known.remember)
        self._show_rows(target)
        self._left.clear()
        self.show_problems({})
        self._first(target).setFocus()

    def target(self) -> Target:
        lines = {field: line.text().strip() for field, line in self.lines.items()}
        texts = {field: _lines_in(text.toPlainText()) for field, text in self.texts.items()}
        return Target(
            name=lines["name"],
            host=lines["host"],
            user=lines["user"],
            port=_port_in(lines["port"]),
            identity=lines["identity"],
            jump=lines["jump"],
            directories=texts["directories"],
            python=lines["python"],
            search_paths=texts["search_paths"],
            remember=self.remember.isChecked(),
        )

    def set_identity(self, path: str) -> None:
        self.lines["identity"].setText(path)

    def judged(self) -> set[str]:
        """The fields whose errors may be shown."""
        return self._left | {field for field, label in self.problems.items() if not label.isHidden()}

    def judge_all(self) -> None:
        """Show all errors from now on."""
        self._left.update(_ORDER)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        for field, label in self.problems.items():
            label.setText(problems.get(field, ""))
            label.setHidden(field not in problems)

    def focus_first(self, fields: Iterable[str]) -> None:
        wrong = set(fields)
        field = next((each for each in _ORDER if each in wrong), None)
        if field is not None:
            self.field(field).setFocus()

    def field(self, name: str) -> QWidget:
        return self.lines.get(name) or self.texts.get(name) or self.remember

    def _first(self, target: Target | None) -> QWidget:
        if target is None:
            return self.lines["name"]
        return self.texts["directories"] if target.is_local else self.lines["host"]

    def _show_rows(self, target: Target | None) -> None:
        is_local = target is not None and target.is_local
        self.lines["name"].setReadOnly(target is not None)
        self.lines["name"].setEnabled(target is None)
        for field in _REMOTE:
            for widget in self._rows[field]:
                widget.setVisible(not is_local)

    # making it

    def _add_row(self, field: str) -> None:
        at = self._layout.rowCount()
        widget = self._with_button(self.lines[field]) if field == "identity" else self.field(field)
        self._layout.addWidget(self.problems[field], at + 1, 1)
        self._rows[field] = [widget]
        if field == "remember":
            self._layout.addWidget(widget, at, 0, 1, 2)
            return
        self._layout.addWidget(widget, at, 1)
        label = Label((_LINES | _TEXTS)[field][0])
        label.setBuddy(self.field(field))
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setContentsMargins(0, SPACE // 2, 0, 0)
        self._layout.addWidget(label, at, 0)
        self._rows[field].append(label)

    def _with_button(self, line: QLineEdit) -> QWidget:
        button = QPushButton("Choose…")
        button.setToolTip("Choose a private key file")
        button.clicked.connect(lambda: self.identity_wanted.emit())
        both = QWidget()
        layout = QHBoxLayout(both)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE // 2)
        layout.addWidget(line, 1)
        layout.addWidget(button)
        return both

    def _make_line(self, field: str) -> QLineEdit:
        label, placeholder, tip = _LINES[field]
        line = QLineEdit()
        line.setPlaceholderText(placeholder)
        line.setToolTip(as_tip(tip))
        line.setAccessibleName(label.replace("&", ""))
        line.textEdited.connect(lambda: self.edited.emit())
        line.editingFinished.connect(lambda: self._on_left(field))
        return line

    def _make_text(self, field: str) -> QPlainTextEdit:
        label, placeholder, tip = _TEXTS[field]
        text = QPlainTextEdit()
        text.setPlaceholderText(placeholder)
        text.setToolTip(as_tip(tip))
        text.setAccessibleName(label.replace("&", ""))
        text.setTabChangesFocus(True)
        text.setFixedHeight(3 * text.fontMetrics().lineSpacing() + 2 * SPACE)
        text.textChanged.connect(lambda: self.edited.emit())
        return text

    def _on_left(self, field: str) -> None:
        if self.lines[field].text() or field in self.judged():
            self._left.add(field)
            self.edited.emit()


def _lines_in(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _port_in(text: str) -> int:
    """The port as typed; other text is no valid port."""
    return int(text) if text.isascii() and text.isdigit() else -1 if text else 0


def _problem_label() -> QLabel:
    label = Label()
    label.setProperty("role", "bad")
    label.setWordWrap(True)
    label.hide()
    return label
