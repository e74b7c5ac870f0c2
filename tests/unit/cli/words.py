"""Words given to the command line, and what it says to them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from app.cli import main
from app.cli.parser import whole_parser

WHOLE = whole_parser()  # of all words: to look at, as making it takes a tenth of a second


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and those of all words below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command is refused with."""
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("dyno: ") and said.count("\n") == 1
    return said


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that succeeds."""
    assert main(words) == 0
    return capsys.readouterr().out
