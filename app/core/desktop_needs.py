"""What the window lacks here: Python packages, libraries of Qt, a font, a display; what brings it."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# module -> what pip installs: `window` of setup.cfg, by its own names, as PyPI has another `dyno`
WINDOW = {"PySide6": "PySide6-Essentials>=6.10.2,<6.12", "pyqtgraph": "pyqtgraph>=0.14,<0.15"}
# library -> Debian package, of what PySide6 does not bring along
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
FONT = "fonts-dejavu-core"
_MODULES = ("QtWidgets", "QtGui", "QtSvg")
_MISSING = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")


def missing_window_packages() -> str:
    """The line that installs the Python packages which the window lacks; empty where they are there."""
    missing = [wanted for module, wanted in WINDOW.items() if importlib.util.find_spec(module) is None]
    command = shlex.join([sys.executable, "-m", "pip", "install", *missing])
    return f"the window is not installed: {command}" if missing else ""


def missing_for_window() -> Iterator[str]:
    """A line for each thing that the window lacks; none where it can be shown."""
    if line := missing_window_packages():
        yield line
    if sys.platform != "linux":
        return
    libraries = missing_qt_libraries()
    packages = [PACKAGES[each] for each in libraries if each in PACKAGES]
    if libraries:
        yield f"the window lacks libraries: {', '.join(libraries)}"
    if not _has_font():
        packages.append(FONT)
        yield f"the window lacks a font: none in {_FOLDERS[0]}"
    if packages:
        yield f"install them: sudo apt-get install {' '.join(dict.fromkeys(packages))}"
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        yield "there is no display here: start dyno on a desktop, or use the command line, see dyno --help"


def missing_qt_libraries() -> list[str]:
    """The libraries that Qt does not find, as the loader of the system says."""
    folder, ldd = _folder(), shutil.which("ldd")
    if folder is None or ldd is None:
        return []
    files = [next(folder.glob(f"{each}.*.so"), None) for each in _MODULES]
    files.append(folder / "Qt/plugins/platforms/libqxcb.so")
    there = [str(each) for each in files if each is not None and each.is_file()]
    asked = subprocess.run([ldd, *there], capture_output=True, text=True, timeout=30, check=False)
    return list(dict.fromkeys(_MISSING.findall(asked.stdout)))


def _folder() -> Path | None:
    """Where PySide6 is; it is not imported, as that is what may fail."""
    found = importlib.util.find_spec("PySide6")
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def _has_font() -> bool:
    endings = (".ttf", ".otf", ".ttc", ".pfb")
    return any(
        name.lower().endswith(endings)
        for folder in _FOLDERS
        for _, _, names in os.walk(Path(folder).expanduser())
        for name in names
    )
