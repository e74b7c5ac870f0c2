"""`dyno _complete`: what may follow the words typed so far, for the script of a shell.

A shell waits for it at each Tab: it imports no noun, reads `words.txt` and a few files, connects to nothing,
creates nothing, and prints nothing but candidates. Each ends with a zero byte, as a name may hold line ends.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from .complete_names import NAMES
from .shell_words import quoted, words_of
from .words import FLAG, VALUE, VERB, CommandWord, command_words, nouns


def main(arguments: Sequence[str]) -> int:
    """`bash LINE BREAKS`, or `zsh|fish WORDS…` with the word at the cursor last; never fails."""
    try:
        shell, *rest = arguments
        texts = _for_bash(*rest) if shell == "bash" else _for_others(shell, rest)
        out = "".join(f"{text}\0" for text in texts)
        sys.stdout.buffer.write(out.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except Exception:
        return 0  # half a line is no reason to write into it
    return 0


def _for_bash(line: str, breaks: str) -> list[str]:
    """As they stand in the line, from where bash takes the word to begin."""
    typed = words_of(line)
    typed = typed[next((at for at, each in enumerate(typed) if "=" not in each.text), 0) :]
    last = typed[-1]
    found = candidates([each.text for each in typed[1:-1]], last.text)
    starting = [each.text for each in found if each.text.startswith(last.text)]
    begin = last.begin_after(breaks)
    return [quoted(text[len(begin) :], last.quote) for text in starting]


def _for_others(shell: str, typed: Sequence[str]) -> list[str]:
    found = candidates(typed[1:-1], typed[-1])
    if shell == "zsh":  # which chooses among them and quotes itself
        return [each.text for each in found]
    return [
        f"{each.text}\t{each.help}" if each.help else each.text for each in found if "\t" not in each.text
    ]


class Candidate(NamedTuple):
    text: str
    help: str = ""


def candidates(before: Sequence[str], at_cursor: str) -> list[Candidate]:
    """What may stand where the cursor is, after these words."""
    command, rest = _command(before)
    known = command_words().get(command, [])
    option = _open_option(known, rest)
    if option is None and at_cursor.startswith("--") and "=" in at_cursor:
        name, value = at_cursor.split("=", 1)
        option = next((each for each in known if name in each.names), None)
        return [Candidate(f"{name}={each.text}") for each in _values(option, command, before, value)]
    if option is not None:
        return _values(option, command, before, at_cursor)
    if at_cursor.startswith("-"):
        open_ = (each for each in known if each.kind != FLAG or not set(rest).intersection(each.names))
        return [Candidate(_longest(each), each.help) for each in open_ if _is_option(each)]
    return [*_verbs(known, command), *_arguments(known, command, before, rest, at_cursor)]


def _command(before: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is typed, and what follows it."""
    known, command, rest = command_words(), "dyno", list(before)
    if rest[:1] == ["help"]:
        rest = rest[1:]
    while rest and f"{command} {rest[0]}" in known:
        command = f"{command} {rest.pop(0)}"
    return command, rest


def _open_option(known: Sequence[CommandWord], rest: Sequence[str]) -> CommandWord | None:
    """The option whose value comes next."""
    last = rest[-1] if rest else ""
    return next(
        (each for each in known if last in each.names and last.startswith("-") and each.kind != FLAG), None
    )


def _verbs(known: Sequence[CommandWord], command: str) -> list[Candidate]:
    kinds = _kinds_of_words(command)
    return [
        Candidate(each.names[0], each.help) for each in known if not _is_option(each) and each.kind in kinds
    ]


def _arguments(
    known: Sequence[CommandWord], command: str, before: Sequence[str], rest: Sequence[str], at_cursor: str
) -> list[Candidate]:
    """Values of the arguments without dashes: of the one whose turn it is, the last for all that follow."""
    places = [each for each in known if not _is_option(each) and each.kind not in _kinds_of_words(command)]
    with_value = {name for each in known if each.kind != FLAG for name in each.names if name.startswith("-")}
    given = [
        each
        for at, each in enumerate(rest)
        if not each.startswith("-") and not (at and rest[at - 1] in with_value)
    ]
    if not places:
        return []
    return _values(places[min(len(given), len(places) - 1)], command, before, at_cursor)


def _is_option(word: CommandWord) -> bool:
    return word.names[0].startswith("-")


def _kinds_of_words(command: str) -> tuple[str, ...]:
    return (VERB, *nouns().values()) if command == "dyno" else (VERB,)


def _values(word: CommandWord | None, command: str, before: Sequence[str], at_cursor: str) -> list[Candidate]:
    if word is None:
        return []
    if word.kind not in (VALUE, FLAG, VERB):
        return [Candidate(each) for each in word.kind.split("|")]
    name = _longest(word).lstrip("-")
    find = NAMES.get((command, name)) or NAMES.get(("", name))
    return [Candidate(each) for each in (find(before, at_cursor) if find else [])]


def _longest(word: CommandWord) -> str:
    return max(word.names, key=len)
