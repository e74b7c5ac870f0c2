"""The words of the command line: each says what it is for."""

from __future__ import annotations

import argparse
from importlib.metadata import version

import pytest

from app.cli import main
from app.cli.parser import NOUNS, dyno_parser
from tests.unit.cli.words import parsers


@pytest.mark.parametrize("parser", list(parsers(dyno_parser())), ids=lambda each: each.prog)
def test_every_word_says_what_it_is_for(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {each.dest for each in action._choices_actions if each.help}
            assert set(action.choices) == told
        else:
            assert action.help, f"{parser.prog} {action.option_strings or action.dest}"
    assert parser.format_help()


@pytest.mark.parametrize("noun", NOUNS)
def test_a_word_by_itself_is_the_same_as_among_all(noun: str) -> None:
    """A command makes the parser of its own word alone."""
    alone, among_all = (
        [each.format_help() for each in parsers(whole) if each.prog.split()[1:2] == [noun]]
        for whole in (dyno_parser(noun), dyno_parser())
    )
    assert alone == among_all != []


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dyno {version('dyno')}\n"
    assert main([]) == 2
    assert "give a command (see dyno --help)" in capsys.readouterr().err
