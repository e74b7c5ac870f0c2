"""The settings; each valid change is saved at once."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QWidget,
)

from app.core.errors import DynoError
from app.core.settings import APPEARANCES, TEXT_SIZES, Settings, keep_settings, read_settings
from app.remote.target import LOCAL
from app.targets.store import Targets
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, in_row, lay_out_dialog
from ui.widgets.message import MessageBar

_WORDS = {"system": "Same as system", "light": "Light", "dark": "Dark"}


class SettingsDialog(QDialog):
    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle("Settings")
        self._message = MessageBar()
        self._appearance = QComboBox()
        for name in APPEARANCES:
            self._appearance.addItem(_WORDS[name], name)
        self._text_size = QComboBox()
        for size in TEXT_SIZES:
            self._text_size.addItem(f"{size} %", size)
        self._target = QComboBox()
        self._notifications = QCheckBox("Notify when a plan ends and the window is in the background")
        self._settings = self._read()
        self._show(self._settings)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.addRow("&Appearance", self._appearance)
        form.addRow("Te&xt size", self._text_size)
        form.addRow("Target at &start", self._target)
        form.addRow("Notifications", self._notifications)
        form.addRow("Dyno directory", self._directory())
        standard = QDialogButtonBox.StandardButton
        lay_out_dialog(
            self, self._message, form, dialog_buttons(self, standard.Ok, standard.Cancel), spacing=2 * SPACE
        )

    def _read(self) -> Settings:
        try:
            return read_settings(self._context.home)
        except DynoError as error:
            self._message.show_failure(error)
            return Settings()

    def _show(self, settings: Settings) -> None:
        self._appearance.setCurrentIndex(self._appearance.findData(settings.appearance))
        self._text_size.setCurrentIndex(self._text_size.findData(settings.text_size))
        self._target.addItem("last used", "")
        for target in Targets(self._context.home).all():
            self._target.addItem("this computer" if target.name == LOCAL else target.name, target.name)
        self._target.setCurrentIndex(max(0, self._target.findData(settings.target)))
        self._notifications.setChecked(settings.notifications)
        self._notifications.setAccessibleName("Notifications")

    def _directory(self) -> QHBoxLayout:
        path = PlainTextLabel(str(self._context.home))
        path.setToolTip("History, journals, presets, targets; set DYNO_HOME to use another directory")
        open_it = QPushButton("Open")
        open_it.setToolTip("Show the directory in the file manager")
        open_it.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.home))))
        return in_row((path, 1), open_it)

    def accept(self) -> None:
        settings = replace(
            self._settings,
            appearance=self._appearance.currentData(),
            text_size=self._text_size.currentData(),
            target=self._target.currentData(),
            notifications=self._notifications.isChecked(),
        )
        try:
            keep_settings(settings, self._context.home)
        except (DynoError, OSError) as error:
            self._message.show_failure(error)
            return
        self._context.theme.set_text_size(settings.text_size)
        self._context.theme.set_appearance(settings.appearance)
        self._context.bus.changed.emit(PartsToReload(settings=True))
        super().accept()
