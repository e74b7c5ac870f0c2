"""`dyno`: alone it opens the window, with arguments it is headless."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from app.comparison.charts.request import ChartRequest

NO_DISPLAY = (
    "there is no display to open the window on: play the duel in the terminal with `dyno run --duel`,"
    " or see `dyno --help`"
)


def main() -> int:
    if sys.argv[1:2] == ["_complete"]:  # a shell waits for it: nothing else is imported
        from app.cli.complete import main as complete

        return complete(sys.argv[2:])
    from app.core.crashes import log_crashes

    from .core.display import has_display

    if len(sys.argv) > 1:
        log_crashes()
        from app.cli import main as run_command

        return run_command(sys.argv[1:], _draw)
    from app.core.desktop_needs import missing_window_packages

    if missing := missing_window_packages():
        return _complain(f"{missing}; the command line is there without it: dyno --help", 1)
    if not has_display():
        return _complain(NO_DISPLAY, 2)
    log_crashes()
    from .core.imports import speed_up_imports

    try:
        speed_up_imports()
        from .shell.application import open_window
    except ImportError as error:
        return _complain(_missing(error), 1)
    return open_window()


def _complain(text: str, code: int) -> int:
    from app.cli.screen import complain

    complain(f"dyno: {text}")
    return code


def _missing(error: ImportError) -> str:
    """What the window lacks, and the line that brings it; raises the error where nothing is missing."""
    from app.core.desktop_needs import missing_for_window, missing_qt_libraries, missing_window_packages

    if line := missing_window_packages():
        return line
    if not missing_qt_libraries():
        raise error
    return "; ".join(missing_for_window())


def _draw(request: ChartRequest, path: Path) -> None:
    """Draw a chart for the command line, which knows no Qt."""
    from app.core.errors import DynoError

    try:
        from .shell.pictures import draw_chart
    except ImportError as error:
        raise DynoError(f"{path} cannot be drawn, save as .csv instead: {_missing(error)}") from None
    draw_chart(request, path)
