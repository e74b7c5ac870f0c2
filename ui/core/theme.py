"""Colours: palettes of our own on Fusion, light and dark; one accent, one a contender, one a group."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.comparison.cells.palette import CONTENDERS, VERDICTS
from app.core.shipped import shipped_folder

TITLE_PT, MOST_OF_TITLE = 15, 120  # percent: large enough already
LARGE_TEXT = 110  # percent: above it the usual widths do not do
SPACE = 8  # pixels: the grid that everything is on
BUTTON, FIELD = 16, 18  # pixels of their text, at the least

Appearance = str  # "system" "light" "dark"
_LIGHT = {
    "window": "#f4f5f7",
    "base": "#ffffff",
    "raised": "#ffffff",
    "text": "#1c2126",
    "muted": "#5f6871",
    "line": "#d5d9de",
    "field": "#868e97",  # the border of a field, 3:1 against what is around it
    "grid": "#e8eaed",
    "accent": "#0b6bcb",
    "on_accent": "#ffffff",
    "selected": "#d6e6f8",
    "good": "#0a7d4f",
    "bad": "#bf2d2d",
    "warn": "#94620a",
}
_DARK = {
    "window": "#1b1e22",
    "base": "#22262b",
    "raised": "#2a2f35",
    "text": "#e4e7ea",
    "muted": "#98a1aa",
    "line": "#3c434b",
    "field": "#78828c",
    "grid": "#30363c",
    "accent": "#5aa9f5",
    "on_accent": "#0d1620",
    "selected": "#264a70",
    "good": "#4cc38a",
    "bad": "#f2777a",
    "warn": "#e0aa4b",
}
# after Okabe and Ito: distinct for colour-blind people, on white and on black
_GROUPS = {
    "load": ("#8d99a6", "#7d8996"),
    "index": ("#a79a84", "#8f846f"),
    "settle": ("#c9ced4", "#4b535c"),
    "warmup": ("#dfc58c", "#7d6c42"),
    "write": ("#d08a5c", "#b8734a"),
    "read": ("#5e9fd0", "#4b87b8"),
    "point": ("#5e9fd0", "#4b87b8"),
    "scan": ("#7fb08a", "#5f9470"),
    "text": ("#a88ac0", "#8a6fa5"),
}
# cividis: equal steps look equal, also to colour-blind people; the ends near the background are left out
_RAMP = (
    ("#f8e04a", "#e1cc55", "#c3b369", "#a59c74", "#8a8678", "#707173", "#575d6d", "#3b496c", "#123570"),
    ("#31487a", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
_PARTS = {
    "tables": ("#4f7cac", "#6d9dce"),
    "shared": ("#7fb7be", "#4f8f97"),
    "redo": ("#d9822b", "#e39a4f"),
    "undo": ("#8a6fa5", "#a88ac0"),
    "binlog": ("#9a9437", "#bdb75c"),
    "temporary": ("#c9757b", "#b5626a"),
}
_STATES = {  # of threads
    "running": ("#3f9b6c", "#4cab7c"),
    "runnable": ("#cdb64e", "#b8a34a"),
    "disk": ("#4f7cac", "#6d9dce"),
    "fsync": ("#8a6fa5", "#a88ac0"),
    "commit": ("#c77fa0", "#b06a8c"),
    "lock": ("#bf4b4b", "#d9686b"),
    "network": ("#c3c9cf", "#56606a"),
    "asleep": ("#a79a84", "#8f846f"),
}
_OTHERS = tuple(_GROUPS[name] for name in ("write", "read", "scan", "text", "index", "load"))
_FULL = 1.0  # a relative figure this far from 1.00, up or down on a scale of doubling, is coloured in full
_LEAST_TINT, _FULL_TINT = 0.14, 0.42  # how much of the colour is laid over the ground


def colours_of(is_dark: bool) -> Mapping[str, str]:
    """The colours by their roles."""
    return _DARK if is_dark else _LIGHT


class Theme(QObject):
    """The current colours; `changed` when they change."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_dark = False
        self._appearance: Appearance = "system"
        self._usual_pt = QApplication.font().pointSizeF()
        self.text_size = 100  # percent of the usual size
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    @property
    def appearance(self) -> Appearance:
        return self._appearance

    @property
    def has_large_text(self) -> bool:
        """Whether parts that are side by side must give way to one another."""
        return self.text_size > LARGE_TEXT

    def set_appearance(self, appearance: Appearance) -> None:
        """Follow the system, or stay light or dark."""
        self._appearance = appearance
        self._apply()

    def set_text_size(self, percent: int) -> None:
        """Show all text at a share of the usual size."""
        self.text_size = percent
        font = QApplication.font()
        font.setPointSizeF(self._usual_pt * percent / 100)
        QApplication.setFont(font)
        self._apply()

    def colour(self, role: str) -> QColor:
        return QColor(colours_of(self.is_dark)[role])

    def ramp(self) -> list[QColor]:
        """Colours of a heat map, from few to many."""
        return [QColor(colour) for colour in _RAMP[self.is_dark]]

    def contender(self, index: int) -> QColor:
        """The colour of a contender, by the index in the history."""
        palette = CONTENDERS[self.is_dark]
        return QColor(palette[index % len(palette)])

    def group(self, name: str) -> QColor:
        """The colour of a group of steps."""
        word = next((known for known in _GROUPS if name.lower().startswith(known)), "")
        shades = _GROUPS[word] if word else _OTHERS[zlib.crc32(name.encode()) % len(_OTHERS)]
        return QColor(shades[self.is_dark])

    def part(self, name: str) -> QColor:
        """The colour of a part of a size on disk."""
        return QColor(_PARTS.get(name, ("#a4acb4", "#6f7a85"))[self.is_dark])

    def state(self, name: str) -> QColor:
        """The colour of a state of threads."""
        return QColor(_STATES.get(name, ("#6f7a85", "#a4acb4"))[self.is_dark])

    def verdict(self, word: str | None, ratio: float | None) -> QColor | None:
        """The tint of a better or worse ratio, stronger the further it is from 1; None for others."""
        colours = VERDICTS[self.is_dark]
        if word not in colours or ratio is None:
            return None
        far = min((max(ratio, 1 / ratio) - 1) / _FULL, 1.0) if ratio > 0 else 1.0
        tint = QColor(colours[word])
        tint.setAlphaF(_LEAST_TINT + far * (_FULL_TINT - _LEAST_TINT))
        return tint

    def _on_scheme_changed(self) -> None:
        if self._appearance == "system":
            self._apply()

    def _apply(self) -> None:
        scheme = QGuiApplication.styleHints().colorScheme()
        system_is_dark = scheme == Qt.ColorScheme.Dark
        self.is_dark = {"light": False, "dark": True}.get(self._appearance, system_is_dark)
        QApplication.setPalette(self._palette())
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setStyleSheet(_style(self))
        self.changed.emit()

    def _palette(self) -> QPalette:
        palette = QPalette()
        for role, name in _ROLES.items():
            palette.setColor(role, self.colour(name))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self._faded())
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, self.colour("line"))
        return palette

    def _faded(self) -> QColor:
        """The colour of disabled text: still legible."""
        text, ground = self.colour("text"), self.colour("window")
        pairs = ((text.red(), ground.red()), (text.green(), ground.green()), (text.blue(), ground.blue()))
        return QColor(*(round(0.45 * ours + 0.55 * behind) for ours, behind in pairs))


_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "base",
    QPalette.ColorRole.AlternateBase: "window",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.BrightText: "bad",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.Highlight: "selected",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Midlight: "grid",
    QPalette.ColorRole.Dark: "line",
    QPalette.ColorRole.Light: "raised",
}


def _style(theme: Theme) -> str:
    """resources/style.qss with the colours of this theme in place of @names."""
    resources = shipped_folder("resources")
    text = (resources / "style.qss").read_text(encoding="utf-8")
    for name in ("down", "check", "partly"):
        picture = resources / "icons" / f"{name}-{'dark' if theme.is_dark else 'light'}.svg"
        text = text.replace(f"@{name}", picture.as_posix())
    text = text.replace("@title_pt", f"{TITLE_PT * min(theme.text_size, MOST_OF_TITLE) / 100:g}pt")
    height = QFontMetrics(QApplication.font()).height()  # below it a crowded layout would cut text off
    text = text.replace("@button_px", f"{max(BUTTON, height)}px")
    text = text.replace("@field_px", f"{max(FIELD, height)}px")
    for role in sorted(_LIGHT, key=len, reverse=True):
        text = text.replace(f"@{role}", theme.colour(role).name())
    return text
