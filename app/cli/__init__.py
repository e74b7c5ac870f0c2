"""The command line: one file a noun, with its words and what they do; `main` is the one door for errors.

`ui.main` starts it. The code of a command is imported when it is used, so that none waits for another.
What people read goes through `screen`, the only place that prints.
Start with `parser` (`NOUNS`), then the file of a noun.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.core.errors import DynoError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from app.comparison.charts.request import ChartRequest

    Draw = Callable[[ChartRequest, Path], None]

INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


def main(argv: Sequence[str] | None = None, draw: Draw | None = None) -> int:
    """Run one command; 0: all well (or detached), 1: a failure, 2: wrong input, 130: Ctrl+C.

    `draw` makes a picture of a chart; it needs Qt. Where 1 is an answer, failures have another code.
    """
    from .parser import parse

    _open_closed_streams()
    failure = 1
    try:
        arguments = parse(list(sys.argv[1:] if argv is None else argv))
        arguments.draw = draw
        failure = getattr(arguments, "failure", failure)
        if arguments.word:
            _prepare(arguments)
        code: int = arguments.run(arguments) or 0
        sys.stdout.flush()
        return code
    except DynoError as error:
        return _say(str(error), failure if error.exit_code == 1 else error.exit_code)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if failure == 1 else failure
    except Exception as error:
        return _say(f"Dyno met something it did not expect: {error!r}; details: {_log(error)}", failure)


def _open_closed_streams() -> None:
    """What the caller has closed is nothing from now on: no file that is opened later gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _prepare(arguments: argparse.Namespace) -> None:
    """What comes before a word of any kind: the width of tables, and what targets have by now."""
    from .fetching import fetch_what_was_left, is_reader
    from .screen import show_whole_tables

    show_whole_tables(getattr(arguments, "wide", False))
    if is_reader(arguments):
        fetch_what_was_left()


def _say(text: str, code: int) -> int:
    from .screen import complain

    complain(f"dyno: {' '.join(text.split())}")
    return code


def _log(error: Exception) -> str:
    """Keep the traceback where a developer finds it, away from the person's screen."""
    import traceback

    from app.core.private import private
    from app.core.settings import home

    try:
        path = home() / "log" / "errors.log"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8", opener=private) as file:
            traceback.print_exception(error, file=file)
    except (OSError, DynoError) as why:
        return f"none were kept ({why})"
    return str(path)
