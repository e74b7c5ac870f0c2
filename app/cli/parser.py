"""The words of the command line; their code is imported on use."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.quantity import ALLOWED, count_of, percent_of, seconds_of

from .words import HELP, nouns
from .words import command_words as words_by_command

NOUNS = (
    *("target", "server", "build", "preset", "workload", "sequence", "snapshot"),
    *("run", "work", "queue", "follow", "plan", "session", "history", "compare", "explain", "bisect"),
    *("gate", "changes", "chart", "report", "doctor", "completion"),
)
ABOUT = "The test bench for MySQL storage engines. Without arguments dyno opens the window."
HELP_TEXT = "explain a word or one of its verbs: dyno help run"
Run = Callable[[argparse.Namespace], int | None]
AddOptions = Callable[[argparse.ArgumentParser], object]
_OPTION, _NEGATIVE = re.compile("--[a-z][a-z-]*"), re.compile(r"-\.?\d")
MOST = 400  # characters of a message that may repeat what was typed


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error; an option takes no empty text."""

    between = ""  # the argument of any number of words

    def __init__(self, **what: Any) -> None:
        self.group_of: dict[str, str] = {}  # of the help, of options that bring their own
        super().__init__(**what)

    def add_argument(self, *names: Any, group: str = "", **what: Any) -> argparse.Action:
        """Like argparse; only `type=str` accepts an empty text, which deletes a value."""
        if not names[0].startswith("-") and "choices" not in what:
            what.setdefault("metavar", names[0].upper())
        takes_text = what.get("action", "append") == "append" and "choices" not in what
        if names[0].startswith("-") and takes_text and what.get("type", Path) is Path:
            what["type"] = non_empty_option(what.get("type", str))
            if what.get("default") == "":
                what["default"] = UnsetOptionText()  # argparse reads a default as if it were typed
        action = super().add_argument(*names, **what)
        if group:
            self.group_of[action.dest] = group
        return action

    def format_usage(self) -> str:
        from .help_text import usage_of

        return f"usage: {usage_of(self)}\n"

    def format_help(self) -> str:
        from .help_text import help_of

        return help_of(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse; the words of `between` may also be between options."""
        found, rest = super().parse_known_args(args, namespace)
        if self.between:
            words = [each for each in rest if not each.startswith("-")]
            setattr(found, self.between, [*getattr(found, self.between), *words])
            rest = [each for each in rest if each.startswith("-")]
        return found, rest

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse; an unknown option comes with the one that is like it."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{_meant_option(found, unknown)}")
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            meant = did_you_mean(str(value), choices)
            text = f"invalid choice: {value!r}{meant} (choose from {', '.join(map(repr, choices))})"
            raise argparse.ArgumentError(action, text)

    def error(self, message: str) -> NoReturn:
        message = message.replace("ignored explicit argument", "takes no value, got")  # it is not ignored
        text = message if len(message) <= MOST else message[:MOST] + "..."
        raise InputError(f"{text} (see {self.prog} --help)")


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments, with `run` set to the function of the verb."""
    for word in argv:
        if any("\ud800" <= each <= "\udfff" for each in word):
            raise InputError(f"{word!r} is not UTF-8 text")
    while argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    return dyno_parser(argv[0] if argv else "").parse_args(_joined(argv))


def _meant_option(found: argparse.Namespace, unknown: list[str]) -> str:
    """What the first unknown option may have meant, of the command that was typed."""
    wrong = next((each.partition("=")[0] for each in unknown if each.startswith("--")), "")
    command = " ".join(filter(None, ("dyno", found.word, getattr(found, "verb", None))))
    known = (name for each in words_by_command().get(command, []) for name in each.names if name[:2] == "--")
    return did_you_mean(wrong, known) if wrong else ""


def _joined(argv: list[str]) -> list[str]:
    """`--difference -3%` as `--difference=-3%`: argparse takes -3 for a value, and -3% for an option."""
    words: list[str] = []
    for word in argv:
        if words and _NEGATIVE.match(word) and _OPTION.fullmatch(words[-1]):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def dyno_parser(word: str) -> argparse.ArgumentParser:
    """The parser with one word, or with the mere names of all, as importing them takes time."""
    modules = nouns()
    parser, words = _empty_parser()
    if word in modules:
        _add_module(words, modules[word])
    else:
        for each in words_by_command()["dyno"]:
            if each.names[0] in modules:
                words.add_parser(each.names[0], help=each.help, prog=f"dyno {each.names[0]}")
        _add_help(words)
    return parser


def whole_parser() -> argparse.ArgumentParser:
    """The parser with all of all words: for tests, manual pages and the table of words."""
    parser, words = _empty_parser()
    for module in NOUNS:
        _add_module(words, module)
    _add_help(words)
    return parser


def _empty_parser() -> tuple[Parser, Any]:
    parser = Parser(prog="dyno", description=ABOUT, allow_abbrev=False)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    words = parser.add_subparsers(dest="word", metavar="WORD", parser_class=Parser)
    parser.set_defaults(run=_without_word)
    return parser, words


def _add_help(words: Any) -> None:
    """The word `help`, which `parse` turns into an option."""
    parser = words.add_parser(HELP, help=HELP_TEXT, description=HELP_TEXT)
    parser.set_defaults(module=HELP)
    parser.add_argument("words", nargs="*", metavar="WORD", help="a word, and one of its verbs")


def _add_module(words: Any, module: str) -> None:
    """All words of one file."""
    before = set(words.choices)
    importlib.import_module(f".{module}", __package__).add_words(words)
    for name in words.choices.keys() - before:
        words.choices[name].set_defaults(module=module)


def _without_word(arguments: argparse.Namespace) -> None:
    from importlib.metadata import version

    from .screen import say

    if not arguments.version:
        raise InputError("give a command (see dyno --help)")
    say(f"dyno {version('dyno')}")


def add_noun(words: Any, noun: str, text: str) -> Any:
    """A noun; the answer takes its verbs."""
    parser = words.add_parser(noun, help=text, description=text)
    return parser.add_subparsers(dest="verb", metavar="VERB", required=True)


def add_verb(verbs: Any, run: Run, text: str, *options: AddOptions, **values: Any) -> Parser:
    """A verb is called as its function begins: `show_session` carries out `show`.

    `options` add some that several verbs have; `values` are arguments that nobody types.
    """
    parser: Parser = verbs.add_parser(run.__name__.partition("_")[0], help=text, description=text)
    for add in options:
        add(parser)
    parser.set_defaults(run=run, **values)
    return parser


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a number between these."""
    return _between(count_of, "number", low, high)


def duration_between(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a duration; its value is in seconds."""
    return _between(seconds_of, "time of seconds", low, high)


def _between(read: Callable[[str], int | None], what: str, low: int, high: int) -> Callable[[str], int]:
    def read_between(text: str) -> int:
        value = read(text)
        if value is None or not low <= value <= high:
            from app.core.toml_text import short_value_repr

            raise argparse.ArgumentTypeError(
                f"must be a {what} from {low:,} to {high:,}, not {short_value_repr(text)}"
            )
        return value

    return read_between


def percent_type(most: int, is_above_0: bool = False) -> Callable[[str], float]:
    """The type of an option that is a percentage, with or without its sign."""

    def read(text: str) -> float:
        value = percent_of(text)
        if value is not None and 0 <= value <= most and (value or not is_above_0):
            return value
        allowed = f"above 0, up to {most}%" if is_above_0 else f"from 0 to {most}%"
        raise argparse.ArgumentTypeError(f"must be {allowed}, not {text}")

    return read


def typed(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """The type of an option that raises InputError for what it cannot be."""

    def read_typed(text: str) -> Any:
        try:
            return read(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_typed


def duration(text: str) -> int:
    """The type of an option that is a time: seconds, or as people write it."""
    seconds = seconds_of(text)
    if seconds is None:
        raise argparse.ArgumentTypeError(f"must be {ALLOWED['time']}, not {text!r}")
    return seconds


class UnsetOptionText(str):
    """The value of a text option that was not given."""


def non_empty_option(kind: type[Any]) -> Callable[[str], Any]:
    """The type of an option that is a text or path and not empty."""

    def read(text: str) -> Any:
        if isinstance(text, UnsetOptionText):
            return ""
        if not text.strip():
            raise argparse.ArgumentTypeError("the value is empty: give a value, or leave the option out")
        return kind(text)

    return read


def split_word_list(option: str, text: str) -> list[str]:
    """The members of a list such as `a,b,c`: none of them empty, none twice."""
    from app.core.toml_text import first_twice

    words = [word.strip() for word in text.split(",")]
    twice = first_twice(words)
    if not all(words):
        raise InputError(f"--{option} {text!r} has an empty item: write a,b,c")
    if twice is not None:
        raise InputError(f"--{option} {text!r} names {twice} twice")
    return words


def add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-t", "--target", default="local", help="target (default: local, this computer)")


def add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--directory", default="", help="directory on the target (default: the target's first)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Of each verb that reads, and prints a table."""
    add_json_only(parser)
    add_wide(parser)


def add_json_only(parser: argparse._ActionsContainer) -> None:
    """Of each verb that reads, and prints no table."""
    parser.add_argument("-j", "--json", action="store_true", help="print JSON, for scripts")


def add_wide(parser: argparse.ArgumentParser) -> None:
    """Of each verb that prints a table."""
    parser.add_argument(
        "--wide", action="store_true", help="show whole tables, also where they do not fit the terminal"
    )


def add_quiet(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("-q", "--quiet", action="store_true", help=what)


def add_details(parser: argparse.ArgumentParser) -> None:
    """Of a verb that starts a plan."""
    text = "print all steps and checks of a plan before it starts, as --dry-run does"
    parser.add_argument("-v", "--details", action="store_true", help=text)


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Of a list of the history."""
    parser.add_argument(
        "--limit",
        type=whole_number(1, 1_000_000),
        default=-1,
        help="show at most this many, the latest first",
    )
