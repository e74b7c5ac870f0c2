"""`dyno build`: the servers on a target: list, install, describe, remove."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.targets.builds import NOTES, problem_of

from .parser import add_json, add_target
from .screen import ask_secret, print_json, say, transfer

if TYPE_CHECKING:
    from app.protocol.answers import Build, Survey
    from app.remote.agent import Agent


def add_words(words: Any) -> None:
    noun = words.add_parser("build", help="installed servers")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="list the builds on a target")
    add_target(listing)
    add_json(listing)
    listing.set_defaults(run=list_builds)
    install = verbs.add_parser("install", help="install a tarball on a target, or add a directory there")
    install.add_argument("path", help="a tarball on this computer; with --there a directory on the target")
    install.add_argument("--there", action="store_true", help="use a directory on the target")
    install.add_argument("--name", default="", help="name of the build (default: the tarball's)")
    _add_notes(install)
    install.set_defaults(run=install_build)
    note = verbs.add_parser("note", help="add facts that the build does not report; sessions store them")
    note.add_argument("build", help="build, as dyno build list names it")
    _add_notes(note)
    note.set_defaults(run=note_build)
    remove = verbs.add_parser(
        "remove", help="delete a build that Dyno installed, or remove a directory from the list"
    )
    remove.add_argument("build", help="build, as dyno build list names it")
    add_target(remove)
    remove.set_defaults(run=remove_build)


def _add_notes(parser: argparse.ArgumentParser) -> None:
    add_target(parser)
    for name, text in NOTES.items():
        parser.add_argument(f"--{name}", type=str, help=text)


def _notes(arguments: argparse.Namespace) -> dict[str, str]:
    """The notes that were given; an empty one deletes a note."""
    return {name: getattr(arguments, name) for name in NOTES if getattr(arguments, name) is not None}


def list_builds(arguments: argparse.Namespace) -> None:
    from app.targets.tested_versions import with_tried

    from .reach import survey_of
    from .target import show_builds

    builds = survey_of(arguments.target).builds
    if arguments.json:
        print_json(with_tried(builds))
    else:
        show_builds(builds)


def install_build(arguments: argparse.Namespace) -> None:
    from app.remote.reach import reached
    from app.targets.store import Targets

    with reached(Targets().get(arguments.target), ask_secret) as agent:
        build = _register(agent, arguments) if arguments.there else _bring(agent, arguments)
    what = f"{build.family} {build.version}" if build.version else "a server"
    is_able = ": it cannot start" if build.problem else ""
    problem = f": {problem_of(build)}" if problem_of(build) else ""
    say(f"{what} is installed in {build.base} on {arguments.target}{is_able}{problem}")


def _bring(agent: Agent, arguments: argparse.Namespace) -> Build:
    from app.targets.builds import install

    with transfer(Path(arguments.path).name) as on_progress:
        return install(agent, Path(arguments.path), arguments.name, _notes(arguments), on_progress)


def _register(agent: Agent, arguments: argparse.Namespace) -> Build:
    from app.targets.builds import register

    if arguments.name:
        raise InputError("--name is for a tarball: a directory takes the name that its server reports")
    return register(agent, arguments.target, arguments.path, _notes(arguments))


def note_build(arguments: argparse.Namespace) -> None:
    notes = _notes(arguments)
    if not notes:
        words = ", ".join(f"--{name}" for name in NOTES)
        raise InputError(f"no note of {arguments.build} is given: give one of {words}")
    from app.remote.reach import reached
    from app.targets.builds import note
    from app.targets.store import Targets

    target = Targets().get(arguments.target)
    with reached(target, ask_secret) as agent:
        build = _named(arguments.build, agent.survey(target.search_paths))
        note(agent, build.base, notes)


def remove_build(arguments: argparse.Namespace) -> None:
    from app.remote.reach import reached
    from app.targets.builds import remove
    from app.targets.store import Targets

    target = Targets().get(arguments.target)
    with reached(target, ask_secret) as agent:
        build = _named(arguments.build, agent.survey(target.search_paths))
        say(remove(agent, target.name, build.base))


def _named(name: str, survey: Survey) -> Build:
    found = [each for each in survey.builds if each.name == name]
    if not found:
        names = ", ".join(each.name for each in survey.builds) or "none"
        raise InputError(f"no build {name} on this target; choose one of {names}")
    return found[0]
