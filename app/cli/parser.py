"""The words of the command line; what they do is imported only when it is asked for."""

from __future__ import annotations

import argparse
import importlib
from typing import Any, NoReturn

from ..errors import InputError

NOUNS = ("target", "build", "preset", "workload", "sequence", "run", "follow", "session", "compare", "doctor")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments, with `carry_out` set to the function that does it."""
    parser = Parser(prog="dyno", description="The test bench for MySQL storage engines.", allow_abbrev=False)
    words = parser.add_subparsers(dest="word", metavar="WORD", parser_class=Parser)
    parser.set_defaults(carry_out=later("run", "play_duel"))
    for noun in NOUNS:
        importlib.import_module(f".{noun}", __package__).add_words(words)
    return parser.parse_args(argv)


def later(module: str, function: str) -> Any:
    """A function of a noun, imported when it is called."""

    def carry_out(arguments: argparse.Namespace) -> int | None:
        found = getattr(importlib.import_module(f".{module}", __package__), function)
        code: int | None = found(arguments)
        return code

    return carry_out


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for scripts")
