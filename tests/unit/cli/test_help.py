"""What `--help` says: examples that work, and options by what they are about, within 80 columns."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from contextlib import suppress

import pytest

from app.cli.help_text import EXAMPLES, OPTIONS, WORDS, examples_of, groups_of
from app.cli.parser import Parser, parse
from app.cli.words import command_words
from app.core.option_groups import GROUPS
from app.core.wrapping import display_width
from tests.unit.cli.words import WHOLE, parsers

PARSERS = [each for each in parsers(WHOLE) if isinstance(each, Parser)]
VERBS = [each for each in PARSERS if WORDS not in groups_of(each)]
LINES = EXAMPLES.read_text().splitlines()


def verb_of(parser: argparse.ArgumentParser) -> str:
    return parser.prog


@pytest.mark.parametrize("line", LINES)
def test_an_example_is_one_that_the_parser_takes(line: str) -> None:
    first, *words = shlex.split(line)
    assert first == "dyno" and len(line) <= 76
    with suppress(SystemExit):  # of a help
        assert parse(words).run


@pytest.mark.parametrize("verb", VERBS, ids=verb_of)
def test_a_verb_has_three_examples_unless_it_takes_nothing(verb: Parser) -> None:
    shown = {"--help", "--wide", "--json"}
    actions = [each for members in groups_of(verb).values() for each in members]
    taken = [each for each in actions if not shown.intersection(each.option_strings)]
    found = len(examples_of(verb))
    assert found == 3 if taken else 1 <= found <= 3
    assert len(set(examples_of(verb))) == len(examples_of(verb))


def test_each_example_is_of_a_verb() -> None:
    assert sorted(LINES) == sorted(line for verb in VERBS for line in examples_of(verb))


@pytest.mark.parametrize("parser", PARSERS, ids=verb_of)
def test_help_shows_each_option_once_in_its_group(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text, groups = parser.format_help(), groups_of(parser)
    assert list(groups) == [each for each in (WORDS, *GROUPS, OPTIONS) if each in groups]
    shown = [each.option_strings or [each.dest] for members in groups.values() for each in members]
    known = [list(each.names) for each in command_words()[parser.prog]]
    assert WORDS in groups or sorted(shown) == sorted(known)
    assert [line for line in text.splitlines() if line.endswith(":") and line[0] != " "] == [
        f"{title}:" for title in (*(["Examples"] if examples_of(parser) else []), *groups)
    ]
    assert max(map(display_width, text.splitlines())) <= 80
    assert (text.startswith(f"usage: {parser.prog}") and "\n  dyno" in text) or WORDS in groups


def test_what_is_typed_often_is_first() -> None:
    text = next(each for each in VERBS if each.prog == "dyno run").format_help()
    often = ("BUILD[", "--sequence", "--again", "--within", "--repeats", "--target", "--vary", "--pause")
    places = [text.index(f"\n  {each}") if each != "--target" else text.index("\n  -t") for each in often]
    assert places == sorted(places)


def test_help_is_one_of_the_words() -> None:
    code = "from app.cli import main; main(['help', 'help', 'run'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: dyno run [BUILD") and not done.stderr
    assert "\n    help " in WHOLE.format_help()
