"""Asking a build about its options: which it knows, and whether it accepts all of a my.cnf."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from app.agent.system.caches import file_change_marker, read_file_cache, write_cache
from app.protocol.answers import Build
from app.protocol.my_cnf import normalised_option_name, option_key, split_line

from .error_log import bare_log_line
from .mycnf import plugin_dir
from .program import CannotStartError, ProgramOutput, ask, ask_with_retry, root_user_option

KEPT, KEPT_OF_PLUGINS = "options.json", "plugin-options.json"  # beside the builds
ROUNDS = 40  # a build that stops at the first wrong option is asked again without it

NEAR = 0.8  # a name that differs by a letter or two
REJECTED, IGNORED, ADJUSTED = "rejected", "ignored", "adjusted"
UNANSWERED = "unanswered"  # the build did not say anything, so nothing is known of its options

# Complaints about one option. A plugin whose options are wrong is disabled, and then its right ones
# are unknown: so what is only unknown is believed once nothing else is wrong.
_WRONG = [
    re.compile(r"Error while setting value '(?P<value>.*)' to '(?P<name>[^']+)'"),
    re.compile(r"Empty value for '(?P<name>[^']+)' specified"),
    re.compile(r"ambiguous option '-*(?P<name>[^'=]+)"),
    re.compile(r"option '-*(?P<name>[^'=]+)[^']*' (?:requires|cannot take) an argument"),
    re.compile(r"Can't open shared library '(?P<library>[^']+)'"),
]
_UNKNOWN = re.compile(r"unknown (?:variable|option) '-*(?P<name>[^'=]+)")
_HARMLESS = [
    (IGNORED, re.compile(r"unknown (?:variable|option) '-*(?P<name>loose[-_][^'=]+)")),
    (IGNORED, re.compile(r"'(?P<name>[^']+)' was removed\. It does nothing now")),
    (IGNORED, re.compile(r"ignoring option '-*(?P<name>[^'=]+)[^']*' due to invalid value")),
    (ADJUSTED, re.compile(r"option '(?P<name>[^']+)': (?:(?:un)?signed )?value \S+ adjusted to")),
]
_BESIDE = re.compile(r"Aborting|\[(?:Warning|Note|System)\]|error-message ?file|messagefile")

OptionReply = Dict[str, str]
OfPlugins = Dict[str, List[str]]  # options that a server has once it has loaded a plugin, by its file


class SurveyedOptions(NamedTuple):
    """What a survey has heard of the options of a server program, which have hyphens."""

    options: Dict[str, str]  # with their defaults
    of_plugins: OfPlugins


@dataclass(frozen=True)
class BuildWithOptions(Build):
    """A build, and every option that its `--verbose --help` names, with its default; names have hyphens."""

    options: Dict[str, str] = field(default_factory=dict)
    of_plugins: OfPlugins = field(default_factory=dict)


def known_options(build: Build) -> Dict[str, str]:
    """Ask the build for its options, which takes seconds."""
    return dict(_known(build.server, build.base, tuple(build.environment.items())))


def plugin_options(build: Build, known: Mapping[str, str], plugins: List[str]) -> OfPlugins:
    """The options of plugins that the build has not loaded: it is asked once more for each, 20 ms."""
    return {plugin: sorted(set(_with_plugin(build, known, plugin)) - set(known)) for plugin in plugins}


def _with_plugin(build: Build, known: Mapping[str, str], plugin: str) -> Dict[str, str]:
    own = ["--plugin-dir=" + plugin_dir(build.base, known), "--plugin-load-add=" + plugin]
    with tempfile.TemporaryDirectory(prefix="dyno-") as empty, contextlib.suppress(CannotStartError):
        return parse_help(
            ask(build.server, [*help_arguments(build.base, empty), *own], build.environment).out
        )
    return {}


def keep_options(folder: str, heard: Mapping[str, SurveyedOptions]) -> None:
    """Store the options that a survey has read, so that others need not ask the server."""
    for name, part in ((KEPT, "options"), (KEPT_OF_PLUGINS, "of_plugins")):
        known = {}
        for server, options in heard.items():
            with contextlib.suppress(OSError):
                known[server] = [*file_change_marker(server), getattr(options, part)]
        write_cache(os.path.join(folder, name), known)


def build_with_options(folder: str, build: Build) -> BuildWithOptions:
    """The options are those that the latest survey has heard, unless the program was changed since."""
    options = _kept(folder, KEPT, build.server) or known_options(build)
    return BuildWithOptions(
        **vars(build), options=options, of_plugins=_kept(folder, KEPT_OF_PLUGINS, build.server)
    )


def surveyed_option_names(folder: str) -> Dict[str, List[str]]:
    """The options that the latest survey has heard, by server program, named as variables are."""
    kept = read_file_cache(os.path.join(folder, KEPT))
    return {
        server: sorted(
            map(normalised_option_name, {*known[3], *chain(*_kept(folder, KEPT_OF_PLUGINS, server).values())})
        )
        for server, known in kept.items()
    }


def _kept(folder: str, name: str, server: str) -> Dict[str, Any]:
    kept = read_file_cache(os.path.join(folder, name)).get(server, [])
    with contextlib.suppress(OSError):
        if kept[:3] == file_change_marker(server) and isinstance(kept[3], dict):
            return dict(kept[3])
    return {}


@lru_cache(maxsize=32)
def _known(server: str, base: str, environment: Tuple[Tuple[str, str], ...]) -> Dict[str, str]:
    try:
        with tempfile.TemporaryDirectory(prefix="dyno-") as empty:
            return parse_help(ask_with_retry(server, help_arguments(base, empty), dict(environment)).out)
    except CannotStartError:
        return {}


def help_arguments(base: str, empty: str) -> List[str]:
    """The question for all options, in an empty directory: some versions open the tables they find.

    Others stop in the middle where the folder that is compiled in for secure-file-priv is missing.
    """
    own = ["--basedir=" + base, "--datadir=" + empty, "--loose-secure-file-priv=" + empty]
    return ["--no-defaults", *own, *root_user_option(), "--verbose", "--help"]


def parse_help(text: str) -> Dict[str, str]:
    """Options with their defaults from `--verbose --help`; one without a default has ''."""
    head, _, table = text.partition("\nVariables (--variable-name=value)")
    found = dict.fromkeys(re.findall(r"^  (?:-\w, )?--([a-z][a-z0-9_-]*)", head, re.MULTILINE), "")
    _, _, rows = table.partition("-------------\n")
    for row in rows.split("\n\n")[0].splitlines():
        name, _, value = row.partition(" ")
        found[name] = "" if value.strip() == "(No default value)" else value.strip()
    return found


def check_options(build: BuildWithOptions, cnf_path: str) -> List[OptionReply]:
    """What a build does not take as it is in a my.cnf: rejected, ignored, adjusted to another value."""
    with open(cnf_path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
        question = _question(build, folder)
        text = _aloud(build) + text
        rejected: List[OptionReply] = []
        answer = _ask(build, question, folder, text)
        while isinstance(answer, ProgramOutput) and len(rejected) < ROUNDS:
            complaints = rejected_options(answer)
            rest = text
            for each in complaints:
                rest = without(rest, each["option"], each.get("library", ""))
            rejected += [_with_suggestion(each, build) for each in complaints]
            if not complaints or rest == text:
                break
            text = rest
            answer = _ask(build, question, folder, text)
    if isinstance(answer, str):
        return [*rejected, {"option": "", "state": UNANSWERED, "text": answer}]
    return _distinct(
        [*rejected, *_unexplained(answer, rejected), *_as_written(ignored_options_in(answer), text)]
    )


def _with_suggestion(complaint: OptionReply, build: BuildWithOptions) -> OptionReply:
    """Of a name that a build does not know, with the nearest one, or the plugin that it needs."""
    if not _UNKNOWN.search(complaint["text"]):
        return complaint
    plugin_of = {
        normalised_option_name(name): plugin for plugin, names in build.of_plugins.items() for name in names
    }
    name = option_key(complaint["option"])
    near = get_close_matches(name, [*map(normalised_option_name, build.options), *plugin_of], 1, NEAR)
    if name in plugin_of:
        hint = ": it belongs to a plugin, load it by plugin_load_add={}".format(plugin_of[name])
    else:
        hint = ": did you mean {}?".format(near[0]) if near else ""
    return dict(complaint, text=complaint["text"].rstrip(".") + hint) if hint else complaint


def _as_written(found: List[OptionReply], text: str) -> List[OptionReply]:
    """The answers with option names as in the file: a build omits prefixes such as loose_."""
    written = [split_line(line)[0] for line in text.splitlines()]
    names = {option_key(name): name for name in written}
    return [dict(each, option=names.get(option_key(each["option"]), each["option"])) for each in found]


def _question(build: BuildWithOptions, folder: str) -> List[str]:
    empty, known = os.path.join(folder, "data"), build.options
    os.mkdir(empty)
    own = ["--basedir=" + build.base, "--datadir=" + empty, *root_user_option()]
    if "secure-file-priv" in known:  # its compiled folder may be missing, and then nothing else is looked at
        own.append("--secure-file-priv=" + empty)
    plugins = plugin_dir(build.base, known)
    if plugins != known.get("plugin-dir", ""):
        own.append("--plugin-dir=" + plugins)
    if "validate-config" in known:
        return [*own, "--validate-config"]
    return [*own, "--verbose", "--help"]


def _aloud(build: BuildWithOptions) -> str:
    """Lines that make MySQL 5.7 and later report warnings of the options that follow."""
    return "[mysqld]\nlog_error_verbosity=2\n" if "log-error-verbosity" in build.options else ""


def _ask(build: BuildWithOptions, question: List[str], folder: str, text: str) -> Any:
    """The answer of the build, or in words why there is none."""
    path = os.path.join(folder, "my.cnf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        return ask_with_retry(build.server, ["--defaults-file=" + path, *question], build.environment)
    except CannotStartError as error:
        return str(error)


def rejected_options(answer: ProgramOutput) -> List[OptionReply]:
    """The options an answer rejects; those it does not know only where nothing else is wrong."""
    lines = answer.err.splitlines()
    wrong = [found for line in lines for found in [_match_wrong(line)] if found]
    if wrong or not answer.code:
        return _distinct(wrong)
    unknown = []
    for line in lines:
        match = _UNKNOWN.search(line)
        if match and not match.group("name").startswith(("loose_", "loose-")):
            unknown.append({"option": match.group("name"), "state": REJECTED, "text": bare_log_line(line)})
    return _distinct(unknown)


def _match_wrong(line: str) -> Optional[OptionReply]:
    for pattern in _WRONG:
        match = pattern.search(line)
        if match:
            named = match.groupdict()
            found = {
                "option": named.get("name") or "plugin-load-add",
                "state": REJECTED,
                "text": bare_log_line(line),
            }
            if "library" in named:
                found["library"] = os.path.basename(named["library"]).partition(".")[0]
            return found
    return None


def ignored_options_in(answer: ProgramOutput) -> List[OptionReply]:
    """The options an answer takes without doing what they say."""
    found = []
    for line in answer.err.splitlines():
        for state, pattern in _HARMLESS:
            match = pattern.search(line)
            if match:
                found.append({"option": match.group("name"), "state": state, "text": bare_log_line(line)})
                break
    return found


def _unexplained(answer: ProgramOutput, rejected: List[OptionReply]) -> List[OptionReply]:
    """A refusal that names no known option is shown as it is."""
    if not answer.code or rejected:
        return []
    lines = [line for line in answer.err.splitlines() if line.strip() and not _BESIDE.search(line)]
    errors = [line for line in lines if "[ERROR]" in line]
    said = bare_log_line((errors or lines or ["without a word"])[-1])
    return [{"option": "", "state": REJECTED, "text": "refused with code {}: {}".format(answer.code, said)}]


def _distinct(found: List[OptionReply]) -> List[OptionReply]:
    first = {(option_key(each["option"]), each["state"]): each for each in reversed(found)}
    return list(first.values())[::-1]


def without(cnf: str, option: str, holding: str = "") -> str:
    """A my.cnf without the lines of one option, or without those of them that hold a text."""
    lines, key = cnf.splitlines(), option_key(option)
    rest = [line for line in lines if option_key(split_line(line)[0]) != key or holding not in line]
    return "\n".join(rest) + "\n"
