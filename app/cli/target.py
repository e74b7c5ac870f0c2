"""`dyno target`: the machines a person has, and what is found on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError, TargetError
from app.core.units import count_text
from app.remote.reach import reached
from app.targets.store import Targets

from .parser import add_directory, add_json, add_noun, add_quiet, add_verb, whole_number
from .reach import survey_and_store
from .screen import ask_secret, print_json, print_table, print_tables, quietly, say, say_wrapped
from .session import opened_history

if TYPE_CHECKING:
    from app.planner.request.request import PlanRequest
    from app.protocol.answers import Build, Survey
    from app.protocol.plan import Plan

_TEXTS = {
    "host": "host name, address, or a Host of ~/.ssh/config",
    "user": "user to log in as",
    "identity": "private key file",
    "jump": "jump hosts: user@host:port,...",
    "python": "Python on the target: a name or a path",
}


def add_words(words: Any) -> None:
    verbs = add_noun(words, "target", "machines that run servers")
    add_verb(verbs, add_target, "add a target", _add_fields)
    add_verb(verbs, edit_target, "change a target", _add_fields)
    add_verb(verbs, list_targets, "list the targets", add_json)
    add_verb(verbs, survey_target, "look at the machine: hardware, system, builds", _add_name, add_json)
    text = "measure the noise of the machine, and look for planted differences: about eight minutes"
    starts = {"dry_run": False, "start": False, "detach": False, "queue": None, "at": None, "details": False}
    calibrate = add_verb(verbs, calibrate_noise, text, _add_name, **starts)
    calibrate.add_argument("--last", action="store_true", help="show the latest calibration; measure nothing")
    calibrate.add_argument(
        "--allow-busy", action="store_true", help="start even while a plan of another directory runs there"
    )
    add_directory(calibrate)
    add_quiet(calibrate, "print only the result")
    add_json(calibrate)
    add_verb(verbs, canaries_target, "show how fast the machine was before each session", _add_name, add_json)
    trust = add_verb(verbs, trust_target, "accept the host key with this fingerprint", _add_name)
    trust.add_argument("fingerprint", help="SHA256:..., as the error message shows it")
    text = "end servers that a killed agent left there, delete their data, unmake its changes (change_by)"
    add_verb(verbs, clean_target, text, _add_name, add_directory)
    text = "remove a target from the list; nothing on the machine changes"
    add_verb(verbs, remove_target, text, _add_name)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="target, as dyno target list names it")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="name of the target")
    for name, text in _TEXTS.items():
        parser.add_argument(f"--{name}", type=str, help=text)
    parser.add_argument("--port", type=whole_number(1, 65535), help="SSH port of the target")
    parser.add_argument(
        "--directory",
        action="append",
        dest="directories",
        metavar="DIRECTORY",
        help="directory for Dyno on the disk to measure; repeat it for more",
    )
    parser.add_argument(
        "--search-path",
        action="append",
        dest="search_paths",
        metavar="PATTERN",
        help="a place to look for builds, such as '/opt/*'; repeat it for more",
    )
    parser.add_argument(
        "--remember",
        action=argparse.BooleanOptionalAction,
        help="store passwords and passphrases in the system keyring",
    )


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    names = (*_TEXTS, "port", "directories", "search_paths", "remember")
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}


def add_target(arguments: argparse.Namespace) -> None:
    from app.remote.target import Target

    Targets().add(Target(arguments.name, **_given(arguments)))
    say(f"{arguments.name} is added; next: dyno target survey {arguments.name}")


def edit_target(arguments: argparse.Namespace) -> None:
    Targets().edit(arguments.name, **_given(arguments))


def remove_target(arguments: argparse.Namespace) -> None:
    Targets().remove(arguments.name)


def clean_target(arguments: argparse.Namespace) -> None:
    target, left = Targets().get(arguments.name), list[str]()
    for directory in [arguments.directory] if arguments.directory else target.directories:
        with reached(target, ask_secret, directory) as agent:
            found = agent.clean()
        for each in found.removed:
            say(f"removed {each}")
        if not found.removed and not found.left:
            say(f"nothing is left in {directory}")
        left += found.left
    if left:
        raise TargetError("; ".join(left))


def list_targets(arguments: argparse.Namespace) -> None:
    targets = Targets().all()
    if arguments.json:
        print_json([asdict(target) for target in targets])
        return
    rows = [(each.name, each.place, ", ".join(each.directories)) for each in targets]
    print_table(("name", "host", "directories"), rows)


def trust_target(arguments: argparse.Namespace) -> None:
    from app.remote.dial import trust

    trust(Targets().get(arguments.name), arguments.fingerprint, ask_secret)
    say(f"{arguments.name}: host key {arguments.fingerprint} accepted")


def survey_target(arguments: argparse.Namespace) -> None:
    from app.protocol.answers import to_json
    from app.targets.tested_versions import with_tested_versions

    survey = survey_and_store(arguments.name)
    if arguments.json:
        print_json({"name": arguments.name, **to_json(survey), "builds": with_tested_versions(survey.builds)})
    else:
        _show(arguments.name, survey)


def _show(name: str, survey: Survey) -> None:
    from app.core.units import bytes_text
    from app.protocol.answers import Disk
    from app.variables.memory_text import supported_memory_settings

    cpu, disk = survey.cpu, survey.disk or Disk()
    threads = count_text(cpu.threads, "thread")
    say_wrapped(f"{name}: {cpu.model}, {count_text(cpu.cores, 'core')}, {threads}")
    memory = bytes_text(survey.memory_bytes or 0)
    say_wrapped(f"memory {memory}, {survey.distribution}, Linux {survey.kernel}")
    say_wrapped(
        f"disk of {disk.path}: {disk.model or disk.device or 'unknown'}"
        f" ({disk.kind}), {disk.filesystem}, {bytes_text(disk.free_bytes or 0)} free"
    )
    say_wrapped(f"Python {survey.python}, sysbench {survey.sysbench or 'not installed'}")
    for what, found in supported_memory_settings(survey):
        say_wrapped(f"{what}: {found}")
    say("")
    show_builds(survey.builds)
    for warning in survey.warnings:
        say_wrapped(f"warning: {warning}")


def show_builds(builds: Sequence[Build]) -> None:
    from app.targets.builds import build_notes_text, problem_of
    from app.targets.tested_versions import how_tested

    heads = ("build", "family", "version", "engines", "tried", "server", "notes", "problem")
    rows = [
        (
            *(each.name, each.family, each.version, " ".join(each.engines)),
            *(how_tested(each.family, each.version).how, each.server),
            *(build_notes_text(each.notes or {}), problem_of(each)),
        )
        for each in builds
    ]
    print_table(heads, rows, least=("server", "tried"))


def calibrate_noise(arguments: argparse.Namespace) -> int:
    """Measure the noise, then look for planted differences; JSON alone on standard output."""
    if arguments.last:
        return _show_calibration(arguments.name, _latest_machine_key(arguments.name), arguments.json)
    from app.planner.kinds.calibration import calibration_request, self_test_request

    with redirect_stdout(sys.stderr) if arguments.json else nullcontext():
        for request in (calibration_request, self_test_request):
            code, plan, is_over = _measured(arguments, request)
            if code or not is_over:
                return code
    return _show_calibration(arguments.name, plan.machine_key, arguments.json)


def _measured(
    arguments: argparse.Namespace, request: Callable[[Survey, str], PlanRequest]
) -> tuple[int, Plan, bool]:
    """Carry out one plan of a calibration: the exit code, the plan, and whether it is over."""
    from app.history.lists.sessions import sessions
    from app.protocol.states import GOING_ON

    from .launching import launch_plan

    code, plan = launch_plan(
        arguments.name,
        lambda survey: replace(request(survey, arguments.name), allow_busy=arguments.allow_busy),
        arguments,
    )
    with quietly(arguments.quiet):
        say("")
    with opened_history() as history:
        its = sessions(history, plan=plan.id)
    return code, plan, bool(its) and all(each["state"] not in GOING_ON for each in its)


def canaries_target(arguments: argparse.Namespace) -> None:
    from app.comparison.texts.canary_text import canary_table
    from app.history.machines.canaries import canary_runs

    machine_key = _latest_machine_key(arguments.name)
    with opened_history() as history:
        runs = canary_runs(history, machine_key)
    if arguments.json:
        print_json([asdict(run) for run in runs])
    else:
        print_tables([canary_table(runs)])


def _latest_machine_key(name: str) -> str:
    from app.history.lists.sessions import latest_machine_key

    with opened_history() as history:
        return latest_machine_key(history, Targets().get(name).name)


def _show_calibration(name: str, machine_key: str, is_json: bool) -> int:
    from app.comparison.answers.self_test import self_test
    from app.comparison.texts.calibration_text import calibration_entry, calibration_table
    from app.history.machines.calibration import calibration

    with opened_history() as history:
        found, tested = calibration(history, machine_key), self_test(history, machine_key)
    if found is None:
        raise InputError(f"{name} is not calibrated yet: run dyno target calibrate {name}")
    if is_json:
        print_json(calibration_entry(found, tested))
    else:
        print_tables([calibration_table(found, tested)])
    return 0
