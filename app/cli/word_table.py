"""Makes `words.txt` from the parsers: `make words`, after a word or option has changed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .parser import whole_parser
from .words import FLAG, PATH, VALUE, VERB, CommandWord


def table_text(parser: argparse.ArgumentParser) -> str:
    """The table, from the parser with all words."""
    lines = ("\t".join((each.command, " ".join(each.names), each.kind, each.help)) for each in _of(parser))
    return "".join(f"{line}\n" for line in lines)


def _of(parser: argparse.ArgumentParser) -> Iterator[CommandWord]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._choices_actions}
            for name, each in action.choices.items():
                yield CommandWord(parser.prog, (name,), _module(parser, each), helps[name])
            for each in action.choices.values():
                yield from _of(each)
        else:
            names = tuple(action.option_strings) or (action.dest,)
            yield CommandWord(parser.prog, names, _kind(action), " ".join((action.help or "").split()))


def _module(parser: argparse.ArgumentParser, word: argparse.ArgumentParser) -> str:
    """Of a word its module, of a verb VERB."""
    return VERB if parser.prog != "dyno" else str(word.get_default("module"))


def _kind(action: argparse.Action) -> str:
    if action.option_strings and action.nargs == 0:
        return FLAG
    return "|".join(map(str, action.choices)) if action.choices else VALUE


def write_word_table() -> None:
    """Renew the table: `make words`."""
    PATH.write_text(table_text(whole_parser()), encoding="utf-8")
