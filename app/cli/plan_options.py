"""What a plan is, as options of `dyno run` say it: they go before its plan file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.errors import InputError
from app.core.settings import MOST_PCT
from app.protocol.plan import LOAD_METHODS, ORDERS, STARTS, UNTIL_DECIDED
from app.stats.looks import ROUNDS
from app.stats.steady import LEAST_S
from app.stats.verdicts import LEAST

from .parser import duration, percent, words_of

if TYPE_CHECKING:
    from app.planner import ContenderRequest, PlanRequest

NUMBERS = {
    "tables": "how many",
    "seconds": f"measured, of each step that says nothing else; below {LEAST_S} none is called steady",
    "warmup": "seconds before them, not part of the figures",
    "rate": "events a second, of each driven step that says nothing else; left out: as many as it can",
    "pause": "idle seconds before each session",
    "quiet_wait": "seconds to wait before each session, at most, until others leave the machine alone",
    "repeats": "sessions of each contender: at least 4 to separate differences from noise; or until-decided:"
    f" {LEAST} to {ROUNDS}, as many as it takes",
    "time_limit": "of a plan until decided: no round begins that would take longer; 1800, 30min, 1h30min",
}
DISTURBING = {
    "others_pct": "of the CPUs: a step in which other programs take more is disturbed (5)",
    "steal_pct": "the same of what the hypervisor takes (2)",
}
LIMITS = {
    "matters": "of a plan until decided: a smaller difference is none (2, or as set)",
    "false_share": "of such a plan: at most this percentage of its differences are false (5, or as set)",
}
_TIMES = ("seconds", "warmup", "pause", "quiet_wait", "time_limit")
_TEXTS = ("target", "sequence", "name", "order", "transport", "load_method", "cpus", "vary")


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """What goes before the plan file."""
    parser.add_argument(
        "--contender",
        action="append",
        metavar="BUILD:ENGINE:PRESET",
        help="what is compared; may be repeated",
    )
    parser.add_argument("--sequence", help="which list of steps: dyno sequence list")
    parser.add_argument("--steps", help="only these, by name: a,b,c")
    for name, text in NUMBERS.items():
        kind = _repeats if name == "repeats" else duration if name in _TIMES else int
        parser.add_argument(option_of(name), type=kind, help=text)
    for name, text in DISTURBING.items():
        parser.add_argument(option_of(name), type=percent(100), metavar="PERCENT", help=text)
    for name, text in LIMITS.items():
        parser.add_argument(option_of(name), type=percent(MOST_PCT), metavar="PERCENT", help=text)
    parser.add_argument(
        "--repeat-if-disturbed", action="store_true", default=None,
        help="carry out again what is disturbed, up to three times: a step that only reads at once, else"
        " the session",
    )  # fmt: skip
    parser.add_argument("--rows", help='of each table; or "3x memory"')
    parser.add_argument("--threads", help="of the client: 1,2,4 or 1..64 x2")
    parser.add_argument(
        "--core-sets", help="how many cores the server has, one after the other: 4,2,1 or 1-4"
    )
    parser.add_argument(
        "--cpus",
        choices=("shared", "own"),
        help="own: half of the cores for the server, the others for the load",
    )
    parser.add_argument("--vary", help="a variable of the server: innodb_spin_wait_delay=6,96 or =1..64 x2")
    parser.add_argument("--name", help="begins the names of the sessions")
    parser.add_argument(
        "--order", choices=ORDERS,
        help="interleaved (the default): sessions A B B A, so that a machine that drifts favours nobody;"
        " slices: 2 to 4 contenders take turns of about a second within each step, while the others are"
        " stopped; grouped: sessions A A B B",
    )  # fmt: skip
    parser.add_argument(
        "--transport", choices=("socket", "loopback"), help="how the client reaches the server"
    )
    parser.add_argument("--load-method", choices=LOAD_METHODS, help="how the tables are filled")
    parser.add_argument(
        "--start-state",
        dest="start_state",
        choices=STARTS,
        help="of the server, when the first step after the load begins; snapshot: on a kept copy of the data",
    )
    parser.add_argument("--table-options", help="of every contender")
    parser.add_argument(
        "--cores", help="of every contender's server, as taskset takes them: 0-3, 0,2 or 0-6:2"
    )
    parser.add_argument(
        "--allocator", help="of every server: system, jemalloc, tcmalloc or the path of a library"
    )
    parser.add_argument("--numa", help="policy of every server, as numactl takes it: interleave=all")
    parser.add_argument("--memory-limit", help="of every server with its page cache: 4G")


def named_contenders(arguments: argparse.Namespace) -> tuple[ContenderRequest, ...]:
    from app.planner import ContenderRequest

    return tuple(ContenderRequest.from_text(text) for text in arguments.contender or ())


def with_shared(
    contenders: Sequence[ContenderRequest], arguments: argparse.Namespace
) -> tuple[ContenderRequest, ...]:
    """With what the command line says of all of them."""
    from app.planner.request import SHARED

    shared = {name: getattr(arguments, name) for name in SHARED if getattr(arguments, name)}
    return tuple(replace(each, **shared) for each in contenders)


def with_options(
    request: PlanRequest, arguments: argparse.Namespace, contenders: tuple[ContenderRequest, ...]
) -> PlanRequest:
    return request.with_options(
        **{name: getattr(arguments, name) for name in (*NUMBERS, *DISTURBING, *_TEXTS)},
        **{f"{name}_pct": getattr(arguments, name) for name in LIMITS},
        repeat_if_disturbed=arguments.repeat_if_disturbed,
        start=arguments.start_state,
        rows=_rows(arguments.rows),
        threads=_numbers("threads", arguments.threads),
        cores=_numbers("core-sets", arguments.core_sets),
        steps=None if arguments.steps is None else words_of("steps", arguments.steps),
        contenders=contenders or None,
        allow_busy=arguments.allow_busy,
        allow_small_disk=arguments.allow_small_disk,
    )


def _repeats(text: str) -> int | str:
    if text in (UNTIL_DECIDED, UNTIL_DECIDED.replace(" ", "-")):
        return UNTIL_DECIDED
    if not re.fullmatch("-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor until-decided")
    return int(text)


def _rows(text: str | None) -> int | str | None:
    return int(text) if text and re.fullmatch("-?[0-9]{1,18}", text) else text


def _numbers(option: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    from app.core.ranges import FORMS, listed

    try:
        found = listed(text)
    except InputError as error:
        raise InputError(f"--{option} {error}") from None
    numbers = [each for each in found if isinstance(each, int)]
    if len(numbers) < len(found):
        raise InputError(f"--{option} {text!r} is no list of numbers: write {FORMS}")
    return numbers


def option_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"
