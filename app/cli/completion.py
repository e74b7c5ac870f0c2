"""`dyno completion`: the script by which a shell completes words, options and names."""

from __future__ import annotations

import argparse
from typing import Any

from app.core.shipped import shipped_folder

from .parser import add_verb
from .screen import say_text

SHELLS = ("bash", "zsh", "fish")


def add_words(words: Any) -> None:
    text = "print the script that completes dyno in a shell"
    parser = add_verb(words, completion_script, text)
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")


def completion_script(arguments: argparse.Namespace) -> None:
    path = shipped_folder("resources") / "completion" / f"dyno.{arguments.shell}"
    say_text(path.read_text(encoding="utf-8"))
