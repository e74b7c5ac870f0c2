"""What a plan is, as options of `dyno run` say it: they go before its plan file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.errors import InputError
from app.protocol.plan import ARRIVALS, LOAD_METHODS, ORDERS, STARTS, UNTIL_DECIDED
from app.protocol.reading import MOST_PCT
from app.protocol.waits import INSTRUMENTS
from app.stats.at_target.looks import ROUNDS
from app.stats.at_target.steady import LEAST_S
from app.stats.at_target.verdicts import LEAST

from .parser import duration, percent, words_of

if TYPE_CHECKING:
    from app.comparison.verdicts.disturbing import Allowed
    from app.planner import ContenderRequest, PlanRequest

NUMBERS = {
    "tables": "number of tables (default: as the sequence says)",
    "seconds": f"measured seconds of each timed step; steps of less than {LEAST_S} are not checked for"
    " steadiness",
    "warmup": "unmeasured seconds before each timed step",
    "pause": "idle seconds before each session",
    "quiet_wait": "wait up to this many seconds before each session for a quiet machine",
    "repeats": "sessions of each contender: 4 or more to separate differences from noise; until-decided"
    f" runs {LEAST} to {ROUNDS}, as many as needed",
    "time_limit": "with --repeats until-decided: start no round that would end later than this: 1800,"
    " 30min, 1h30min",
}
DISTURBING = {
    "others_pct": "mark a step as disturbed if other programs take more of the CPUs than this (5)",
    "steal_pct": "mark a step as disturbed if the hypervisor takes more of the CPUs than this (2)",
}
LIMITS = {
    "matters": "with --repeats until-decided: ignore differences below this percentage (default: 2, or your"
    " setting); with 0, up to 5.5%% of plans of equals end with a false difference instead of 5",
    "false_share": "with --repeats until-decided: at most this percentage of false alarms (default: 5, or"
    " your setting)",
}
_TIMES = ("seconds", "warmup", "pause", "quiet_wait", "time_limit")
_TEXTS = (
    "target",
    "sequence",
    "name",
    "order",
    "transport",
    "load_method",
    "cpus",
    "vary",
    "arrivals",
    "instruments",
    "load_address",
)


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Options that override the plan file."""
    parser.add_argument(
        "--contender",
        action="append",
        metavar="BUILD:ENGINE:PRESET",
        help="what to compare; give it once for each contender (without PRESET: baseline)",
    )
    parser.add_argument("--sequence", help="sequence of steps, as dyno sequence list names it")
    parser.add_argument("--steps", help="run only these steps: a,b,c")
    parser.add_argument(
        "--profile", metavar="STEP,...",
        help="sample the stacks of the server in these steps: a,b; they are compared only with steps that are"
             " profiled as well",
    )  # fmt: skip
    for name, text in NUMBERS.items():
        kind = _repeats if name == "repeats" else duration if name in _TIMES else int
        parser.add_argument(option_of(name), type=kind, help=text)
    add_disturbing(parser)
    for name, text in LIMITS.items():
        parser.add_argument(option_of(name), type=percent(MOST_PCT), metavar="PERCENT", help=text)
    parser.add_argument(
        "--repeat-if-disturbed", action="store_true", default=None,
        help="repeat what other programs disturbed, up to three times: a step that only reads at once, else"
             " the session",
    )  # fmt: skip
    parser.add_argument("--rows", help='rows of each table, or "3x memory"')
    parser.add_argument("--threads", help="client threads: 1,2,4 or 1..64 x2")
    parser.add_argument(
        "--rate",
        help="events per second to send, whatever the server does, one rate after another: 500,1000 or"
        " 100..6400 x2 (default: as many as possible)",
    )
    parser.add_argument(
        "--arrivals", choices=ARRIVALS,
        help="gaps between the events of a rate: poisson (default): random, as of many independent users;"
             " even: all the same",
    )  # fmt: skip
    parser.add_argument(
        "--core-sets",
        help="cores of the server, one set after another: how many (4,2,1 or 1-4), or CPUs in brackets, as"
        " taskset has them: '[0-3],[0,2,4-6]'",
    )
    add_cpus(parser)
    parser.add_argument(
        "--vary",
        help="measure with each value of a server variable: innodb_spin_wait_delay=6,96 or =1..64 x2",
    )
    parser.add_argument("--name", help="prefix of the session names")
    parser.add_argument(
        "--order", choices=ORDERS,
        help="interleaved (default): sessions A B B A, which spreads drift of the machine over all"
             " contenders; slices: 2 to 4 contenders alternate every second within each step; grouped:"
             " sessions A A B B",
    )  # fmt: skip
    parser.add_argument(
        "--transport",
        choices=("socket", "loopback"),
        help="how sysbench reaches the server: Unix socket, or TCP over 127.0.0.1 (default: as the"
        " sequence says)",
    )
    parser.add_argument(
        "--load", metavar="TARGET,...",
        help="other targets that drive the load, each with a share of the client threads: client-1,client-2",
    )  # fmt: skip
    parser.add_argument(
        "--load-address",
        metavar="ADDRESS[:PORT]",
        help="with --load: the private address of the server's machine that they reach: 10.0.0.5",
    )
    parser.add_argument(
        "--load-method",
        choices=LOAD_METHODS,
        help="how the tables are filled: ordered (default): one client per table, in key order;"
        " parallel: several clients per table; bulk: the bulk load of the engine",
    )
    parser.add_argument(
        "--start-state",
        dest="start_state",
        choices=STARTS,
        help="the server before the first step after the load: loaded (default): keeps running; restarted: is"
        " shut down and started; snapshot: starts from a stored copy of the data",
    )
    parser.add_argument(
        "--instruments",
        choices=INSTRUMENTS,
        help="what the servers measure of their waits: preset (default): as each preset says; waits: the"
        " Performance Schema with all wait instruments, which costs throughput",
    )
    parser.add_argument(
        "--table-options", help="table options for every contender, such as ROW_FORMAT=COMPRESSED"
    )
    parser.add_argument("--cores", help="CPUs of every contender's server, as for taskset: 0-3, 0,2 or 0-6:2")
    parser.add_argument(
        "--allocator",
        help="memory allocator of every server: system, jemalloc, tcmalloc or the path of a library",
    )
    parser.add_argument("--numa", help="NUMA policy of every server, as for numactl: interleave=all")
    parser.add_argument("--memory-limit", help="memory limit of every server, page cache included: 4G")


def add_disturbing(parser: argparse.ArgumentParser) -> None:
    """Limits for the load of other programs."""
    for name, text in DISTURBING.items():
        parser.add_argument(option_of(name), type=percent(100), metavar="PERCENT", help=text)


def allowed_of(arguments: argparse.Namespace) -> Allowed:
    """The given limits for the load of other programs, also for steps that were measured with others."""
    from app.comparison.verdicts.disturbing import Allowed

    return Allowed(arguments.others_pct, arguments.steal_pct)


def named_contenders(arguments: argparse.Namespace) -> tuple[ContenderRequest, ...]:
    from app.planner import ContenderRequest

    return tuple(ContenderRequest.from_text(text) for text in arguments.contender or ())


def with_shared(
    contenders: Sequence[ContenderRequest], arguments: argparse.Namespace
) -> tuple[ContenderRequest, ...]:
    """The contenders with the options that apply to all of them."""
    from app.planner.request.request import SHARED

    shared = {name: getattr(arguments, name) for name in SHARED if getattr(arguments, name)}
    return tuple(replace(each, **shared) for each in contenders)


def add_cpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cpus",
        choices=("shared", "own"),
        help="shared (default): server and client use all cores; own: half of the cores for the server,"
        " the rest for the client",
    )


def with_options(
    request: PlanRequest, arguments: argparse.Namespace, contenders: tuple[ContenderRequest, ...]
) -> PlanRequest:
    return request.with_options(
        **{name: getattr(arguments, name) for name in (*NUMBERS, *DISTURBING, *_TEXTS)},
        **{f"{name}_pct": getattr(arguments, name) for name in LIMITS},
        repeat_if_disturbed=arguments.repeat_if_disturbed,
        start=arguments.start_state,
        rows=rows_of(arguments.rows),
        threads=_numbers("threads", arguments.threads),
        rate=_numbers("rate", arguments.rate),
        cores=_listed("core-sets", arguments.core_sets),
        steps=None if arguments.steps is None else words_of("steps", arguments.steps),
        profile=None if arguments.profile is None else words_of("profile", arguments.profile),
        load=None if arguments.load is None else words_of("load", arguments.load),
        contenders=contenders or None,
        allow_busy=arguments.allow_busy,
        allow_small_disk=arguments.allow_small_disk,
    )


def _repeats(text: str) -> int | str:
    if text in (UNTIL_DECIDED, UNTIL_DECIDED.replace(" ", "-")):
        return UNTIL_DECIDED
    if not re.fullmatch("-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"must be a number or until-decided, not {text!r}")
    return int(text)


def rows_of(text: str | None) -> int | str | None:
    return int(text) if text and re.fullmatch("-?[0-9]{1,18}", text) else text


def _numbers(option: str, text: str | None) -> list[int | str] | None:
    from app.core.ranges import FORMS

    found = _listed(option, text)
    if any(isinstance(each, str) for each in found or ()):
        raise InputError(f"--{option} must be a list of numbers such as {FORMS}, not {text!r}")
    return found


def _listed(option: str, text: str | None) -> list[int | str] | None:
    from app.core.ranges import listed

    try:
        return None if text is None else listed(text)
    except InputError as error:
        raise InputError(f"--{option} {error}") from None


def option_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"
