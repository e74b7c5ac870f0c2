"""The words of the command line: each says what it is for."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.metadata import version

import pytest

from app.cli import main
from app.cli.parser import NOUNS, dyno_parser, parse
from app.cli.word_table import table_text
from app.cli.words import PATH, command_words
from tests.unit.cli.words import WHOLE, parsers, refused


@pytest.mark.parametrize("parser", list(parsers(WHOLE)), ids=lambda each: each.prog)
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
        for whole in (dyno_parser(noun), WHOLE)
    )
    assert alone == among_all != []


def test_the_table_of_words_is_that_of_the_parsers() -> None:
    assert PATH.read_text() == table_text(WHOLE), "the words have changed: make words"


def test_the_help_names_all_words_and_imports_none() -> None:
    assert dyno_parser("").format_help() == WHOLE.format_help()
    code = (
        "import sys; from app.cli import main\n"
        "for word in ('--version', '--help'):\n    try: main([word])\n    except SystemExit: pass\n"
        "dear = {'app.cli.session', 'app.cli.run', 'msgspec', 'app.catalog', 'app.protocol'}\n"
        "print(sorted(dear & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dyno {version('dyno')}\n"
    assert main([]) == 2
    assert "give a command (see dyno --help)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("sesion", "list"), "session"),
        (("session", "lst"), "list"),
        (("run", "--detatch"), "--detach"),
        (("session", "list", "--target-x=1", "--enginee", "innodb"), "--target"),
        (("run", "--order", "slice"), "slices"),
        (("preset", "show", "innodb/baselin"), "baseline"),
        (("sequence", "show", "quik"), "quick"),
        (("target", "survey", "locl"), "local"),
    ],
)
def test_a_mistyped_word_comes_with_what_was_meant(
    words: tuple[str, ...], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"(did you mean {meant}?)" in refused(capsys, *words)


def test_what_is_like_nothing_has_no_such_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean" not in refused(capsys, "zzzz") + refused(capsys, "run", "--zzzz")


@pytest.mark.parametrize("words", [(), ("session",), ("session", "list"), ("run",)])
def test_help_is_a_word_too(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for asked in (("help", *words), (*words, "--help"), (*words, "-h")):
        with pytest.raises(SystemExit):
            main(asked)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == texts[2] != ""


def test_what_is_typed_often_has_a_letter() -> None:
    letters = {"--json": "-j", "--dry-run": "-n", "--out": "-o", "--target": "-t", "--details": "-v"}
    for parser in parsers(WHOLE):
        for action in parser._actions:
            for option in letters.keys() & set(action.option_strings):
                assert letters[option] in action.option_strings, parser.prog


@pytest.mark.parametrize("command", command_words())
def test_no_option_is_the_plural_of_another(command: str) -> None:
    options = {name for each in command_words()[command] for name in each.names}
    assert not [each for each in options if f"{each}s" in options]


def test_the_smallest_difference_may_be_shortened() -> None:
    assert parse(["compare", "a", "b", "--diff", "3%"]).matters == 3
