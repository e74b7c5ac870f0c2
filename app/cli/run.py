"""`dyno run`, and `dyno` alone: from what a person asked for to a plan that is carried out and watched."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DynoError, InputError, TargetError
from .parser import later

if TYPE_CHECKING:
    from ..planner import PlanRequest
    from ..protocol.plan import Plan
    from ..remote.agent import Agent

DEMONSTRATION = "n = 1, in memory, two minutes: a demonstration, not a verdict"
_NUMBERS = ("tables", "seconds", "warmup", "pause", "repeats")


def add_words(words: Any) -> None:
    parser = words.add_parser("run", help="carry out a plan")
    parser.add_argument("plan", nargs="?", type=Path, help="a plan file (TOML)")
    parser.add_argument("--target")
    parser.add_argument("--contender", action="append", metavar="BUILD:ENGINE:PRESET")
    parser.add_argument("--sequence")
    parser.add_argument("--steps", help="only these, by name: a,b,c")
    for name in _NUMBERS:
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--rows", help='of each table; or "3x memory"')
    parser.add_argument("--threads", help="of the client: 1,2,4")
    parser.add_argument("--name")
    parser.add_argument("--order", choices=("grouped", "interleaved"))
    parser.add_argument("--transport", choices=("socket", "loopback"))
    parser.add_argument("--start-state", dest="start_state", choices=("loaded", "restarted"))
    parser.add_argument("--table-options", help="of every contender")
    parser.add_argument("--cores", help="of every contender's server, as taskset takes them")
    parser.add_argument("--allow-busy", action="store_true", default=None)
    parser.add_argument("--directory", default="", help="another directory of the target")
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, estimate and checks; nothing is started"
    )
    parser.add_argument("--start", action="store_true", help="with --dry-run: the rehearsal too")
    parser.add_argument("--detach", action="store_true", help="leave it to the target and come back")
    parser.set_defaults(carry_out=later("run", "run"))


def run(arguments: argparse.Namespace) -> int:
    return carry_out(request_of(arguments), arguments)[0]


def request_of(arguments: argparse.Namespace) -> PlanRequest:
    """The plan file, with what the command line says in its place."""
    from ..planner import ContenderRequest, PlanRequest

    request = PlanRequest.from_file(arguments.plan) if arguments.plan else PlanRequest()
    named = [ContenderRequest.from_text(text) for text in arguments.contender or ()]
    shared = {
        name: getattr(arguments, name) for name in ("table_options", "cores") if getattr(arguments, name)
    }
    contenders = named or list(request.contenders)
    return request.with_options(
        **{
            name: getattr(arguments, name)
            for name in (*_NUMBERS, "target", "sequence", "name", "order", "transport")
        },
        start=arguments.start_state,
        rows=_rows(arguments.rows),
        threads=_threads(arguments.threads),
        steps=[name for name in arguments.steps.split(",") if name] if arguments.steps else None,
        contenders=tuple(ContenderRequest(**{**vars(each), **shared}) for each in contenders) or None,
        allow_busy=arguments.allow_busy,
    )


def _rows(text: str | None) -> int | str | None:
    return int(text) if text and re.fullmatch("-?[0-9]{1,18}", text) else text


def _threads(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return list(dict.fromkeys(int(word) for word in text.split(",")))
    except ValueError:
        raise InputError(f"--threads {text!r} is no list of numbers: write 1,2,4") from None


def carry_out(request: PlanRequest, arguments: argparse.Namespace) -> tuple[int, Plan]:
    """Resolve, check, start and watch; the answer is the exit code, and the plan."""
    from ..targets import Targets
    from .reach import agent_of

    target = Targets().get(request.target)
    with agent_of(target, arguments.directory) as agent:
        plan = prepare(request, agent, target.search_paths, arguments.start or not arguments.dry_run)
        if arguments.dry_run:
            return 0, plan
        started = agent.start(plan)
        directory = agent.directory
    print(f"plan {started['plan']} is being carried out on {request.target}, {len(plan.turns)} sessions")
    if arguments.detach:
        print(how_to_come_back(request.target))
        return 0, plan
    from .follow import watch_plan

    return watch_plan(target, directory, plan, agent.sha), plan


def how_to_come_back(target: str) -> str:
    return f"come back with: dyno follow --target {target}   end it with: dyno stop --target {target}"


def prepare(request: PlanRequest, agent: Agent, search_paths: list[str], rehearse: bool) -> Plan:
    """The resolved plan, shown with its estimate and checks; a failed check ends it here, nothing started."""
    from ..catalog import Catalog, approved_hashes
    from ..checks import check_plan
    from ..planner import estimate, resolve
    from .plan_text import show_checks, show_plan

    survey = agent.survey(search_paths)
    plan = resolve(request, survey, Catalog(), approved_hashes())
    show_plan(plan, estimate(plan, survey))
    checks = [vars(check) for check in check_plan(plan, survey)]
    checks += agent.check(plan, start=rehearse and not _failed(checks), allow_busy=plan.allow_busy)
    show_checks(checks)
    failed = _failed(checks)
    if failed:
        texts = "; ".join(f"{each['text']} ({each['todo']})" for each in failed)
        raise _refusal(failed)(f"nothing was started: {texts}")
    return plan


def _failed(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [check for check in checks if check["state"] == "fail"]


def _refusal(failed: list[dict[str, Any]]) -> type[DynoError]:
    """A preset that cannot be is wrong input; what the machine lacks is not."""
    return InputError if any(check["name"] == "options" for check in failed) else TargetError


def play_duel(_: argparse.Namespace) -> int:
    """InnoDB against MyRocks on this computer, in about two minutes, until the window is there."""
    from ..planner import ContenderRequest, PlanRequest
    from .compare import show_comparison
    from .reach import survey_of

    build = _duel_build(survey_of("local"))
    contenders = tuple(ContenderRequest(build, engine) for engine in ("innodb", "rocksdb"))
    request = PlanRequest(sequence="duel", name="duel", contenders=contenders)
    quiet = argparse.Namespace(directory="", dry_run=False, start=False, detach=False)
    code, plan = carry_out(request, quiet)
    if code == 0:
        show_comparison([turn.session for turn in plan.turns])
        print(f"\n{DEMONSTRATION}")
    return code


def _duel_build(survey: dict[str, Any]) -> str:
    for build in survey["builds"]:
        if not build["problem"] and {"innodb", "rocksdb"} <= {engine.lower() for engine in build["engines"]}:
            return str(build["name"])
    raise TargetError(
        "no build with InnoDB and RocksDB is here: install mariadb-server and mariadb-plugin-rocksdb"
    )
