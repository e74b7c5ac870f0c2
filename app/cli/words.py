"""All words, verbs and options in one table, `words.txt`: read where no noun is imported, as that takes time.

`word_table` writes it from the parsers; a test holds that both agree.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("words.txt")
VERB, FLAG, VALUE = "verb", "flag", "value"


class CommandWord(NamedTuple):
    """A line: what may follow a command."""

    command: str  # such as `dyno session list`
    names: tuple[str, ...]  # `--target -t`; of an argument without dashes its one name
    kind: str  # VERB, FLAG, VALUE, the module of a word, or the choices `a|b|c`
    help: str


@cache
def command_words() -> dict[str, list[CommandWord]]:
    """By command."""
    found: dict[str, list[CommandWord]] = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        command, names, kind, text = line.split("\t")
        found.setdefault(command, []).append(CommandWord(command, tuple(names.split()), kind, text))
    return found


def nouns() -> dict[str, str]:
    """The module of each word, such as `status`: `follow`."""
    return {each.names[0]: each.kind for each in command_words()["dyno"] if not each.names[0].startswith("-")}
