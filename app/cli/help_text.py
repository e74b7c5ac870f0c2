"""What `--help` says of a command: its usage in a line, examples, and options by what they are about."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.core.option_groups import (
    GROUPS,
    HOW_EXACT,
    HOW_LONG,
    OUTPUT,
    SELDOM,
    WHAT,
    WHERE,
)
from app.core.units import capitalised

WORDS, OPTIONS = "Words", "Options"  # of a word that has others below it
EXAMPLES = Path(__file__).with_name("examples.txt")
# of options that are no field of a plan, which names its own; the others are WHAT
_GROUP_OF = {
    **dict.fromkeys(("--within", "--by", "--dry-run", "--watch", "--last"), HOW_LONG),
    **dict.fromkeys(("--difference", "--false-share"), HOW_EXACT),
    **dict.fromkeys(("--target", "--directory", "--detach", "--queue", "--at"), WHERE),
    **dict.fromkeys(
        (
            *("--json", "--wide", "--format", "--details", "--verdict", "--quiet", "--limit", "--out"),
            *("--markdown", "--junit", "--svg", "--folded", "--help", "--version"),
        ),
        OUTPUT,
    ),
    **dict.fromkeys(("--contender", "--start", "--allow-busy", "--allow-small-disk"), SELDOM),
}
# what is typed most often, first in its group
_FIRST = (
    "--sequence",
    "--rows",
    "--threads",
    "--within",
    "--by",
    "--seconds",
    "--repeats",
    "--difference",
    "--vary",
    "--memory-limit",
    "--table-options",
)


def help_of(parser: argparse.ArgumentParser) -> str:
    """The whole help."""
    text = parser._get_formatter()
    text.add_usage(usage_of(parser), [], [])
    text.add_text(f"{capitalised(parser.description or '').rstrip('.')}.")
    if examples := examples_of(parser):
        text.start_section("Examples")
        text._add_item("".join, [[f"  {each}\n" for each in examples]])
        text.end_section()
    for title, actions in groups_of(parser).items():
        text.start_section(title)
        text.add_arguments(actions)
        text.end_section()
    text.add_text(parser.epilog)
    return text.format_help()


def usage_of(parser: argparse.ArgumentParser) -> str:
    """`dyno gate A B --difference PERCENT [options]`."""
    shown = parser._get_formatter()
    needed = [each for each in parser._actions if not each.option_strings or each.required]
    words = shown._format_actions_usage(needed, [])
    return " ".join(filter(None, (parser.prog, words, "[options]"))).replace("%", "%%")


def groups_of(parser: argparse.ArgumentParser) -> dict[str, list[argparse.Action]]:
    """Arguments and options by what they are about, in the order in which people need them."""
    found: dict[str, list[argparse.Action]] = {}
    for action in sorted(parser._actions, key=_place):
        found.setdefault(_group(parser, action), []).append(action)
    titles = (WORDS, *GROUPS, OPTIONS)
    return {title: found[title] for title in titles if title in found}


def _group(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    if parser._subparsers is not None:
        return OPTIONS if action.option_strings else WORDS
    if action.required and "--contender" in action.option_strings:  # without it there is nothing to measure
        return WHAT
    own: str | None = getattr(parser, "group_of", {}).get(action.dest)
    return own or next((_GROUP_OF[each] for each in action.option_strings if each in _GROUP_OF), WHAT)


def _place(action: argparse.Action) -> int:
    """Arguments, what has to be given, what is typed often, the rest, and the help itself."""
    if not action.option_strings:
        return -2
    if action.required:
        return -1
    name = action.option_strings[-1]
    return _FIRST.index(name) if name in _FIRST else len(_FIRST) + (action.dest == "help")


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """Those of a verb; none of a word that has verbs."""
    if parser._subparsers is not None:
        return []
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return [each for each in lines if each == parser.prog or each.startswith(f"{parser.prog} ")]
