"""`dyno build`: the servers on a target; brought there, described, taken away."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..installing import NOTES
from .parser import add_json, add_target, later


def add_words(words: Any) -> None:
    noun = words.add_parser("build", help="installed servers")
    verbs = noun.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="what there is on a target")
    add_target(listing)
    add_json(listing)
    listing.set_defaults(carry_out=later("build", "list_builds"))
    install = verbs.add_parser("install", help="bring a tarball to a target, or name a directory there")
    install.add_argument("path", help="a tarball on this computer; with --there a directory on the target")
    install.add_argument("--there", action="store_true", help="it is installed on the target already")
    install.add_argument("--name", default="", help="of its directory; else as the tarball is called")
    _add_notes(install)
    install.set_defaults(carry_out=later("build", "install_build"))
    note = verbs.add_parser("note", help="say what a build does not say itself; sessions keep it")
    note.add_argument("build", help="as dyno build list names it")
    _add_notes(note)
    note.set_defaults(carry_out=later("build", "note_build"))
    remove = verbs.add_parser("remove", help="delete one that Dyno has installed, or forget a directory")
    remove.add_argument("build", help="as dyno build list names it")
    add_target(remove)
    remove.set_defaults(carry_out=later("build", "remove_build"))


def _add_notes(parser: argparse.ArgumentParser) -> None:
    add_target(parser)
    for name, text in NOTES.items():
        parser.add_argument(f"--{name}", help=text)


def _notes(arguments: argparse.Namespace) -> dict[str, str]:
    """Those that were given; an empty one takes it away."""
    return {name: getattr(arguments, name) for name in NOTES if getattr(arguments, name) is not None}


def list_builds(arguments: argparse.Namespace) -> None:
    from .reach import survey_of
    from .screen import print_json
    from .target import show_builds

    builds = survey_of(arguments.target)["builds"]
    if arguments.json:
        print_json(builds)
    else:
        show_builds(builds)


def install_build(arguments: argparse.Namespace) -> None:
    build = _register(arguments) if arguments.there else _bring(arguments)
    what = f"{build['family']} {build['version']}" if build["version"] else "a server"
    problem = f": it cannot start: {build['problem']}" if build["problem"] else ""
    print(f"{what} is installed in {build['base']} on {arguments.target}{problem}")


def _bring(arguments: argparse.Namespace) -> dict[str, Any]:
    from ..installing import install
    from ..targets import Targets
    from .reach import agent_of
    from .screen import transfer

    with agent_of(Targets().get(arguments.target)) as agent, transfer(Path(arguments.path).name) as told:
        return install(agent, Path(arguments.path), arguments.name, _notes(arguments), told)


def _register(arguments: argparse.Namespace) -> dict[str, Any]:
    """The directory becomes one in which surveys look for builds."""
    from ..targets import Targets
    from .reach import agent_of

    targets, path = Targets(), arguments.path.rstrip("/")
    target = targets.get(arguments.target)
    with agent_of(target) as agent:
        builds = agent.survey([*target.search_paths, path])["builds"]
        build = next((each for each in builds if f"{each['base']}/".startswith(f"{path}/")), None)
        if build is None:
            raise InputError(f"no server was found in {path} on {target.name}: name its base directory")
        if _notes(arguments):
            agent.note_build(build["base"], _notes(arguments))
    if path not in target.search_paths:
        targets.edit(target.name, search_paths=[*target.search_paths, path])
    return dict(build)


def note_build(arguments: argparse.Namespace) -> None:
    notes = _notes(arguments)
    if not notes:
        words = ", ".join(f"--{name}" for name in NOTES)
        raise InputError(f"nothing is said about {arguments.build}: give one of {words}")
    from ..targets import Targets
    from .reach import agent_of

    target = Targets().get(arguments.target)
    with agent_of(target) as agent:
        build = _named(arguments.build, agent.survey(target.search_paths))
        agent.note_build(build["base"], notes)


def remove_build(arguments: argparse.Namespace) -> None:
    from ..targets import Targets
    from .reach import agent_of

    targets = Targets()
    target = targets.get(arguments.target)
    with agent_of(target) as agent:
        base = _named(arguments.build, agent.survey(target.search_paths))["base"]
        own = (base, base.removesuffix("/server"))
        paths = [path for path in target.search_paths if path.rstrip("/") not in own]
        if len(paths) == len(target.search_paths):
            agent.remove_build(base)
            print(f"{base} is gone from {target.name}")
            return
    targets.edit(target.name, search_paths=paths)
    print(f"{base} on {target.name} is no longer looked at; nothing was deleted there")


def _named(name: str, survey: Mapping[str, Any]) -> Mapping[str, Any]:
    found: list[Mapping[str, Any]] = [each for each in survey["builds"] if each["name"] == name]
    if not found:
        names = ", ".join(each["name"] for each in survey["builds"]) or "none"
        raise InputError(f"there is no build {name} on this target; there are {names}")
    return found[0]
