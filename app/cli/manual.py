"""Manual pages for the packages: `dyno.1`, and a page for each word with all its verbs, from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from .parser import whole_parser


def write_manual_pages(folder: Path) -> None:
    """One file a page."""
    for name, text in manual_pages().items():
        (folder / f"{name}.1").write_text(text, encoding="utf-8")


def manual_pages() -> dict[str, str]:
    """The text of each page in the language of man, by its name such as `dyno-session`."""
    whole = whole_parser()
    found = {"dyno": _page(whole, whole.description or "", [])}
    for (_, text), word in zip(_helps(whole), _below(whole), strict=True):
        found[word.prog.replace(" ", "-")] = _page(word, text, list(_below(word)))
    return found


def _page(parser: argparse.ArgumentParser, about: str, verbs: list[argparse.ArgumentParser]) -> str:
    name = parser.prog.replace(" ", "-")
    lines = [
        f'.TH {name.upper()} 1 "" dyno Dyno',
        ".SH NAME",
        f"{_text(name)} \\- {_text(about)}",
        ".SH SYNOPSIS",
        *(_usage(each) for each in verbs or [parser]),
    ]
    if parser.prog == "dyno":
        lines.append(".SH WORDS")
        for word, text in _helps(parser):
            lines += [".TP", f"\\fB{_text(word)}\\fR", f"{_text(text)}; see \\fBdyno\\-{_text(word)}\\fR(1)."]
    lines += _options(parser, ".SH OPTIONS") if not verbs else []
    for (_, text), verb in zip(_helps(parser), verbs, strict=False):
        lines += [f'.SH "{_text(verb.prog)}"', _text(text), *_options(verb, ".SS Options")]
    if parser.prog != "dyno":
        lines += [".SH SEE ALSO", "\\fBdyno\\fR(1)"]
    return "\n".join(lines) + "\n"


def _below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _helps(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """The words below a parser with what they are for."""
    return [
        (each.dest, each.help or "")
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for each in action._choices_actions
    ]


def _usage(parser: argparse.ArgumentParser) -> str:
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    return f".PP\n{_text(usage)}"


def _options(parser: argparse.ArgumentParser, head: str) -> list[str]:
    lines = [head]
    for group in parser._action_groups:
        actions = [each for each in group._group_actions if not isinstance(each, argparse._SubParsersAction)]
        if actions and group.title not in ("options", "positional arguments"):
            lines += [".PP", f"\\fI{_text(group.title or '')}\\fR"]
        for action in actions:
            lines += [".TP", f"\\fB{_text(_names(parser, action))}\\fR", _text(action.help or "")]
    return lines


def _names(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return parser._get_formatter()._format_action_invocation(action)


def _text(text: str) -> str:
    """As man shows it: no character is taken for a command."""
    text = " ".join(text.split()).replace("%%", "%").replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text.replace('"', "\\(dq")
