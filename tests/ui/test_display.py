"""`dyno` where there is no screen, and where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.screen import screen_of
from ui.core.display import has_display

HIDDEN = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def test_without_a_display_one_line_names_the_headless_command(dyno_home: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in HIDDEN}
    code = "import sys; sys.argv = ['dyno']; from ui.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "dyno run --duel" in done.stderr
    assert not dyno_home.exists()


@pytest.mark.parametrize("display", ["", ":987", "nowhere.invalid:1", "nonsense"])
def test_a_display_that_does_not_answer_is_none(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in HIDDEN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    assert not has_display()


def test_a_display_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with screen_of() as screen:
        for name in HIDDEN:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("DISPLAY", screen.display)
        assert has_display()
