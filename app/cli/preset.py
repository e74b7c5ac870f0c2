"""`dyno preset`: the my.cnf files there are, what builds say to them, and one's own."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.catalog import Catalog
from app.catalog.own import copy_preset, diff_presets, read_own_preset, write_preset
from app.core.errors import InputError, TargetError
from app.core.toml_text import read_text
from app.engines import KNOWN
from app.variables.names import BASELINE

from .parser import Run, add_json, add_json_only, add_noun, add_target, add_verb
from .screen import ask_secret, complain, print_json, print_table, say, say_text

if TYPE_CHECKING:
    from app.planner.starting.preset_check import BuildReply
    from app.variables import Preset

HOW = "ENGINE/NAME or ENGINE NAME, as dyno preset list names it"


def add_words(words: Any) -> None:
    verbs = add_noun(words, "preset", "presets: a my.cnf for each engine")
    add_verb(verbs, list_presets, "list the presets", add_json)
    show = _verb(verbs, show_preset, "print a preset as written, or as a build would get it", "PRESET")
    _add_build(show, "render the preset for this build")
    add_json(show)
    check = _verb(verbs, check_preset, "show which options each build rejects, ignores or changes", "PRESET")
    _add_build(check, "check only this build (default: all with the engine)")
    check.add_argument(
        "--start", action="store_true", help="start each server once and compare the values in force"
    )
    add_json(check)
    diff = _verb(verbs, diff_preset, "show the lines in which two presets differ", "PRESET")
    _add_build(diff, "compare the presets as rendered for this build")
    add_json_only(diff)
    _verb(verbs, new_preset, "copy a preset under a new name, to edit it", "FROM NAME")
    _verb(verbs, edit_preset, "edit one of your presets with $VISUAL or $EDITOR", "PRESET")
    _verb(verbs, delete_preset, "delete one of your presets", "PRESET")


def _verb(verbs: Any, run: Run, text: str, metavar: str) -> Any:
    parser = add_verb(verbs, run, text)
    parser.add_argument("presets", nargs="+", metavar=metavar, help=HOW)
    return parser


def _add_build(parser: Any, text: str) -> None:
    add_target(parser)
    parser.add_argument("--build", default="", help=text)


def _named(words: Sequence[str], count: int) -> list[tuple[str, str]]:
    """Engine and name of each; an engine also applies to the names after it."""
    found: list[tuple[str, str]] = []
    engine = ""
    for word in words:
        first, slash, name = word.partition("/")
        if not slash and word.lower() in KNOWN and len(found) < count:
            engine = word.lower()
            continue
        engine = first.lower() if slash else engine or _only_engine(word)
        found.append((engine, name if slash else word))
    if len(found) != count:
        raise InputError(f"write {count} times ENGINE/NAME: there are {len(found)}")
    return found


def _only_engine(name: str) -> str:
    """The engine of a preset name that only one engine has."""
    catalog = Catalog()
    found = [each for each in KNOWN if catalog.preset_name(each, name) in catalog.preset_names(each)]
    if len(found) != 1:
        there = f"there is one for {', '.join(found)}" if found else f"there is no preset {name}"
        raise InputError(f"{there}: write ENGINE/NAME, such as {(found or list(KNOWN))[0]}/{name}")
    return found[0]


def list_presets(arguments: argparse.Namespace) -> int:
    from .workload import complain_of_files

    found, problems = Catalog().presets()
    if arguments.json:
        print_json([_entry(each) for each in found])
    else:
        rows = [(p.engine, p.name, "" if p.shipped else "yours", p.title) for p in found]
        print_table(("engine", "name", "whose", "title"), rows)
        say(f"A contender that names no preset has {BASELINE}.")
    return complain_of_files(problems)


def _entry(preset: Preset) -> dict[str, Any]:
    return {"engine": preset.engine, "name": preset.name, "shipped": preset.shipped, **preset.header}


def show_preset(arguments: argparse.Namespace) -> None:
    preset = _as_asked(arguments, 1)[0]
    if arguments.json:
        print_json({**_entry(preset), "build": arguments.build or None, "text": preset.text})
    else:
        say_text(preset.text)


def diff_preset(arguments: argparse.Namespace) -> None:
    first, second = _as_asked(arguments, 2)
    lines = diff_presets(first, second)
    if arguments.json:
        print_json(
            {"presets": [_entry(first), _entry(second)], "build": arguments.build or None, "lines": lines}
        )
    else:
        say_text("\n".join(lines or ["the presets do not differ"]) + "\n")


def _as_asked(arguments: argparse.Namespace, count: int) -> list[Preset]:
    """The presets as written; with a build, as the build would get them."""
    from dataclasses import replace

    from app.planner.starting.choices import rendered

    from .reach import survey_and_store

    presets = [Catalog().preset(*each) for each in _named(arguments.presets, count)]
    if not arguments.build:
        return presets
    survey = survey_and_store(arguments.target)
    return [replace(each, text=rendered(each, arguments.build, survey).text) for each in presets]


# what builds say


def check_preset(arguments: argparse.Namespace) -> None:
    from app.planner.starting.preset_check import UNANSWERED, try_preset
    from app.remote.reach import reached
    from app.targets.store import Targets

    preset = Catalog().preset(*_named(arguments.presets, 1)[0])
    target = Targets().get(arguments.target)
    with reached(target, ask_secret) as agent:
        survey = agent.survey(target.search_paths)
        builds = [arguments.build] if arguments.build else []
        answers = try_preset(agent, survey, preset, builds, arguments.start)
    _show_answers(answers, arguments.json)
    _refuse(preset, [each for each in answers if each.is_refusal])
    silent = [each for each in answers if each.state == UNANSWERED]
    if silent:
        raise TargetError("; ".join(each.text for each in silent))


def _show_answers(answers: Sequence[BuildReply], is_json: bool) -> None:
    if is_json:
        print_json([vars(each) for each in answers])
    else:
        rows = [(each.build, each.state, each.line or None, each.option, each.text) for each in answers]
        print_table(("build", "says", "line", "option", "in its words"), rows, right=(2,))


def _refuse(preset: Preset, refusals: Sequence[BuildReply]) -> None:
    """Raise InputError if a build refuses the preset, with the words of the first."""
    if refusals:
        first, others = refusals[0], len(refusals) - 1
        more = f", and {others} more as listed" if others else ""
        raise InputError(
            f"the preset {preset.engine}/{preset.name} cannot be used: {first.build}: {first.text}{more}"
        )


# one's own


def new_preset(arguments: argparse.Namespace) -> None:
    (engine, source), (other, name) = _named(arguments.presets, 2)
    if engine != other:
        raise InputError(f"a preset for {engine} is no preset for {other}: write {engine}/{name}")
    path = copy_preset(Catalog(), engine, source, name)
    say(f"{engine}/{name} is created; to edit it: dyno preset edit {engine}/{name}   ({path})")


def edit_preset(arguments: argparse.Namespace) -> None:
    catalog = Catalog()
    engine, name = _named(arguments.presets, 1)[0]
    path, text = read_own_preset(catalog, engine, name)
    changed = edit(path, text, lambda draft: write_preset(catalog, engine, name, draft))
    say(f"{engine}/{name} is changed" if changed else f"{engine}/{name}: nothing changed")


def delete_preset(arguments: argparse.Namespace) -> None:
    from app.catalog.own import delete_preset

    engine, name = _named(arguments.presets, 1)[0]
    delete_preset(Catalog(), engine, name)
    say(f"{engine}/{name} is deleted")


# edits a text in the person's editor at a terminal, and checks it before saving


FALLBACK = "vi"


def edit(path: Path, text: str, keep: Callable[[str], object]) -> bool:
    """Open a copy of a file until `keep` takes it or the person gives up; whether it was changed."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"there is no terminal to edit in: edit {path} yourself")
    words = _editor()
    with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
        draft = Path(folder, path.name)
        draft.write_text(text, encoding="utf-8")
        while True:
            _open(words, draft)
            try:
                written = read_text(draft)
                if written != text:
                    keep(written)
                return written != text
            except InputError as error:
                if not _is_again(error):
                    raise


def _editor() -> list[str]:
    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    try:
        words = shlex.split(said)
    except ValueError:
        words = []
    if not words:
        raise InputError(f"$EDITOR is {said!r}, which is not a program")
    return words


def _open(words: list[str], draft: Path) -> None:
    try:
        code = subprocess.run([*words, str(draft)]).returncode
    except OSError as error:
        raise InputError(
            f"the editor {words[0]} cannot be started: {error.strerror}; set $EDITOR to another"
        ) from None
    if code:
        raise InputError(f"the editor {words[0]} ended with code {code}: nothing changed")


def _is_again(error: InputError) -> bool:
    complain(str(error))
    try:
        return not input("edit it again? [Y/n] ").strip().lower().startswith("n")
    except EOFError:
        return False
