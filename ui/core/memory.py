"""What the window remembers between starts: sizes, splitters, columns, last choices."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QHeaderView, QMainWindow, QSplitter


_FOLDER = "history/folder"  # the first dialog that remembered it was one of History


class WindowStateFile:
    """A separate file: losing it loses nothing important."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_private = False
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)

    def value(self, key: str, default: Any) -> Any:
        """The stored value, if it has the type of `default`; else that."""
        found = self._settings.value(key, default)
        if isinstance(default, bool):
            return str(found).lower() == "true"
        if isinstance(default, list) and isinstance(found, str):
            return [found] if found else []
        try:
            return type(default)(found)
        except (TypeError, ValueError):
            return default

    def keep(self, key: str, value: Any) -> None:
        if not self._is_private:
            self._make_private()
        self._settings.setValue(key, value)

    @property
    def folder(self) -> str:
        """The folder of the last saved or opened file."""
        return self.value(_FOLDER, str(Path.home()))  # type: ignore[no-any-return]

    def keep_folder(self, folder: Path) -> None:
        self.keep(_FOLDER, str(folder))

    def _make_private(self) -> None:
        """Make the file private: Qt does not change the mode of an existing file."""
        self._is_private = True
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._path.chmod(0o600)

    def restore_splitter(self, splitter: QSplitter, key: str) -> None:
        """Restore a splitter, and store its moves from now on."""
        splitter.restoreState(self._bytes(key))
        splitter.splitterMoved.connect(lambda: self.keep(key, splitter.saveState()))

    def restore_header(self, header: QHeaderView, key: str) -> bool:
        """Restore a header, if it was stored, and store changes of its columns from now on."""
        is_restored = header.restoreState(self._bytes(key))
        header.sectionResized.connect(lambda: self.keep(key, header.saveState()))
        header.sectionMoved.connect(lambda: self.keep(key, header.saveState()))
        return is_restored

    def restore_window(self, window: QMainWindow) -> bool:
        return window.restoreGeometry(self._bytes("window/geometry"))

    def keep_window(self, window: QMainWindow) -> None:
        self.keep("window/geometry", window.saveGeometry())

    def store(self) -> None:
        """Write to the disk what Qt still holds in memory."""
        self._settings.sync()

    def _bytes(self, key: str) -> QByteArray:
        found = self._settings.value(key, QByteArray())
        return found if isinstance(found, QByteArray) else QByteArray()
