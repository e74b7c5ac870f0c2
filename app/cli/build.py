"""`dyno build`: the servers on a target: list, install, describe, remove."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.remote.reach import reached
from app.targets.builds import NOTES, install, problem_of, register, remove, store_build_notes
from app.targets.store import Targets
from app.targets.tested_versions import with_tested_versions

from .parser import add_json, add_noun, add_target, add_verb
from .reach import survey_and_store
from .screen import ask_secret, print_json, say, transfer_progress
from .target import show_builds

if TYPE_CHECKING:
    from app.protocol.answers import Build
    from app.remote.agent import RemoteAgent


def add_words(words: Any) -> None:
    verbs = add_noun(words, "build", "installed servers")
    add_verb(verbs, list_builds, "list the builds on a target", add_target, add_json)
    install = add_verb(verbs, install_build, "install a tarball on a target, or add a directory there")
    install.add_argument("path", help="a tarball on this computer; with --there a directory on the target")
    install.add_argument("--there", action="store_true", help="use a directory on the target")
    install.add_argument("--name", default="", help="name of the build (default: the tarball's)")
    _add_notes(install)
    facts = "add facts that the build does not report; sessions store them"
    add_verb(verbs, note_build, facts, _add_build, _add_notes)
    gone = "delete a build that Dyno installed, or remove a directory from the list"
    add_verb(verbs, remove_build, gone, _add_build, add_target)


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("build", help="build, as dyno build list names it")


def _add_notes(parser: argparse.ArgumentParser) -> None:
    add_target(parser)
    for name, text in NOTES.items():
        parser.add_argument(f"--{name}", type=str, help=text)


def _notes(arguments: argparse.Namespace) -> dict[str, str]:
    """The notes that were given; an empty one deletes a note."""
    return {name: getattr(arguments, name) for name in NOTES if getattr(arguments, name) is not None}


def list_builds(arguments: argparse.Namespace) -> None:
    builds = survey_and_store(arguments.target).builds
    if arguments.json:
        print_json(with_tested_versions(builds))
    else:
        show_builds(builds)


def install_build(arguments: argparse.Namespace) -> None:
    with reached(Targets().get(arguments.target), ask_secret) as agent:
        build = _register(agent, arguments) if arguments.there else _bring(agent, arguments)
    what = f"{build.family} {build.version}" if build.version else "a server"
    is_able = ": it cannot start" if build.problem else ""
    problem = f": {problem_of(build)}" if problem_of(build) else ""
    say(f"{what} is installed in {build.base} on {arguments.target} as {build.name}{is_able}{problem}")


def _bring(agent: RemoteAgent, arguments: argparse.Namespace) -> Build:
    with transfer_progress(Path(arguments.path).name) as on_progress:
        return install(agent, Path(arguments.path), arguments.name, _notes(arguments), on_progress)


def _register(agent: RemoteAgent, arguments: argparse.Namespace) -> Build:
    if arguments.name:
        raise InputError("--name is for a tarball: a directory takes the name that its server reports")
    return register(agent, arguments.target, arguments.path, _notes(arguments))


def note_build(arguments: argparse.Namespace) -> None:
    notes = _notes(arguments)
    if not notes:
        words = ", ".join(f"--{name}" for name in NOTES)
        raise InputError(f"no note of {arguments.build} is given: give one of {words}")
    with _named(arguments) as (agent, build):
        store_build_notes(agent, build.base, notes)


def remove_build(arguments: argparse.Namespace) -> None:
    with _named(arguments) as (agent, build):
        say(remove(agent, arguments.target, build.base))


@contextmanager
def _named(arguments: argparse.Namespace) -> Iterator[tuple[RemoteAgent, Build]]:
    """The build that is named, and the agent of its target."""
    target = Targets().get(arguments.target)
    with reached(target, ask_secret) as agent:
        builds = {each.name: each for each in agent.survey(target.search_paths).builds}
        if arguments.build not in builds:
            meant, names = did_you_mean(arguments.build, builds), ", ".join(builds) or "none"
            raise InputError(f"no build {arguments.build} on this target{meant}; choose one of {names}")
        yield agent, builds[arguments.build]
