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
    if not has_display():
        from app.cli.screen import complain

        complain(f"dyno: {NO_DISPLAY}")
        return 2
    log_crashes()
    from .core.imports import speed_up_imports

    speed_up_imports()
    try:
        from .shell.application import open_window
    except ImportError as error:
        return _complain_of(error)
    return open_window()


def _complain_of(error: ImportError) -> int:
    """What brings a library that Qt does not find; raises the error where nothing is missing."""
    from app.cli.screen import complain
    from app.core.desktop_needs import missing_for_window, missing_qt_libraries

    if not missing_qt_libraries():
        raise error
    complain(f"dyno: {'; '.join(missing_for_window())}")
    return 1


def _draw(request: ChartRequest, path: Path) -> None:
    """Draw a chart for the command line, which knows no Qt."""
    from .shell.pictures import draw_chart

    draw_chart(request, path)
