"""`dyno doctor`: checks the history and what the window needs, or rebuilds the history."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import add_json, add_verb
from .screen import print_json, say


def add_words(words: Any) -> None:
    text = "check the history and what the window needs, or rebuild the history"
    parser = add_verb(words, doctor_history, text)
    parser.add_argument("--rebuild", action="store_true", help="rebuild the history from the stored journals")
    add_json(parser)


def doctor_history(arguments: argparse.Namespace) -> int:
    from app.core.desktop_needs import missing_for_window
    from app.core.settings import home
    from app.core.units import count_text
    from app.history.recorded.rebuilding import history_file_fault, rebuild, unstored_journals

    if arguments.rebuild:
        rebuilt = rebuild(home())
        if arguments.json:
            print_json({"rebuilt_sessions": rebuilt.sessions, "problems": list(rebuilt.problems)})
            return int(bool(rebuilt.problems))
        say(f"rebuilt from the stored journals: {count_text(rebuilt.sessions, 'session')}")
        for problem in rebuilt.problems:
            say(problem)
        return int(bool(rebuilt.problems))
    path = home() / "history.sqlite"
    problem = ""
    if fault := history_file_fault(path):
        problem = f"{fault}: to rebuild it from the journals: dyno doctor --rebuild"
    elif unknown := unstored_journals(home()):
        what = f"{count_text(len(unknown), 'journal')} of {unknown[0].parent}"
        state = "incomplete, it lacks" if path.exists() else "missing, there are"
        problem = f"{state} {what}: dyno doctor --rebuild reads them"
    missing = missing_for_window()
    if arguments.json:
        print_json({"history": str(path), "problem": problem, "missing_for_window": list(missing)})
    else:
        say(f"{path}: {problem or 'sound'}", *missing)
    return int(bool(problem))
