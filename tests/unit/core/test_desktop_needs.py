"""What a desktop lacks for the window, by the real loader of the system."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.core import desktop_needs
from app.core.desktop_needs import missing_for_window, missing_qt_libraries

NOWHERE = "libdyno-nowhere.so.1"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Qt that needs a library which is gone; no font, no display."""
    source, library = tmp_path / "f.c", tmp_path / NOWHERE
    source.write_text("int f(void) { return 0; }\n")
    compiler = ["gcc", "-shared", "-fPIC", "-o"]
    subprocess.run([*compiler, str(library), str(source), f"-Wl,-soname,{NOWHERE}"], check=True)
    needing = [str(tmp_path / "QtGui.abi3.so"), str(source), "-Wl,--no-as-needed", f"-L{tmp_path}"]
    subprocess.run([*compiler, *needing, f"-l:{NOWHERE}"], check=True)
    library.unlink()
    monkeypatch.setattr(desktop_needs, "_folder", lambda: tmp_path)
    monkeypatch.setitem(desktop_needs.PACKAGES, NOWHERE, "libdyno-nowhere1")
    monkeypatch.setattr(desktop_needs, "_FOLDERS", (str(tmp_path / "fonts"),))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("broken")
def test_what_is_missing_is_named_with_the_line_that_brings_it() -> None:
    assert missing_qt_libraries() == [NOWHERE]
    libraries, font, line, display = missing_for_window()
    assert libraries == f"the window lacks libraries: {NOWHERE}"
    assert font.startswith("the window lacks a font")
    assert line == "install them: sudo apt-get install libdyno-nowhere1 fonts-dejavu-core"
    assert display.startswith("there is no display here")


def test_nothing_is_missing_where_the_window_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    assert missing_qt_libraries() == []
    assert list(missing_for_window()) == []


def test_the_packages_are_those_that_are_installed() -> None:
    """install.sh and the .deb bring whatever doctor names; what others bring along need not be there."""
    root = Path(__file__).parents[3]
    brought = {"libx11-6", "libxcb1", "libxcb-render0", "libxcb-shm0", "libxcb-sync1", "libxkbcommon0"}
    for name in ("install.sh", "packages/control"):
        text = (root / name).read_text()
        lacking = {each for each in desktop_needs.PACKAGES.values() if each not in text}
        assert lacking <= brought | {"libfreetype6"}, name
