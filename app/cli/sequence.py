"""`dyno sequence`: the ordered lists of steps there are."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.catalog import Catalog, Sequence, SequenceRole, SequenceStep, Workload
from app.catalog.roles import role_text
from app.catalog.studies import by_study
from app.core.errors import InputError
from app.core.ranges import as_listed
from app.core.units import count_text, seconds_text
from app.engines import FIRST
from app.planner.estimate.guesses import outside_s, step_guesses
from app.planner.resolve.resolve import ROWS, SECONDS, TABLES, THREADS, TRANSPORT, WARMUP
from app.planner.resolve.step_point import StepDefaults
from app.planner.resolve.steps import load_table_count, resolve_steps
from app.protocol.plan import Contender, Plan

from .parser import add_json, add_noun, add_verb
from .screen import print_json, print_table, say_wrapped
from .workload import complain_of_files

OPEN = "the plan"
ONE_A_TABLE = "one a table"
DEFAULTS = ("tables", "rows", "threads", "cores", "seconds", "warmup", "transport")
WITH_WORK = ("load", "index", "settle", "restart", "text-index", "scan")  # that end when they are done


def add_words(words: Any) -> None:
    verbs = add_noun(words, "sequence", "sequences: ordered lists of steps")
    add_verb(verbs, list_sequences, "list the sequences", add_json)
    show = add_verb(verbs, show_sequence, "show the steps of a sequence", add_json)
    show.add_argument("name", help="sequence, as dyno sequence list names it")


def list_sequences(arguments: argparse.Namespace) -> int:
    catalog = Catalog()
    found, problems = catalog.sequences()
    workloads = {each.name: each for each in catalog.workloads()[0]}
    rows = [
        (study, each, outline_s(each, workloads)) for study, some in by_study(found).items() for each in some
    ]
    if arguments.json:
        print_json([_entry(each, seconds) for _, each, seconds in rows])
    else:
        lines = [(study, s.name, len(s.steps), _about(seconds), s.title) for study, s, seconds in rows]
        print_table(("study", "name", "steps", "takes", "title"), lines, right=(2,))
    return complain_of_files(problems)


def _entry(sequence: Sequence, seconds: float | None) -> dict[str, Any]:
    said = {key: getattr(sequence, key) for key in ("name", "title", "study", "about", "shipped")}
    return {**said, "steps": len(sequence.steps), "takes_s": seconds and round(seconds)}


def _about(seconds: float | None) -> str:
    return OPEN if seconds is None else seconds_text(seconds)


def show_sequence(arguments: argparse.Namespace) -> None:
    catalog = Catalog()
    found = catalog.sequence(arguments.name)
    workloads = {workload.name: workload for workload in catalog.workloads()[0]}
    seconds = outline_s(found, workloads)
    if arguments.json:
        said = {key: getattr(found, key) for key in DEFAULTS}
        print_json({**_entry(found, seconds), **said, "steps": [asdict(step) for step in found.steps]})
        return
    told = filter(None, (found.about, _sizes(found), _length(seconds)))
    say_wrapped(f"{found.title}; the plan sets the rest", *told, "")
    headers = ("step", "workload", "threads", "warm-up", "bounded by", "options", "besides")
    kinds = {name: workload.kind for name, workload in workloads.items()}
    lines = [line for step in found.steps for line in _rows(step, kinds, found)]
    print_table(headers, lines, least=("workload", "warm-up"))


def _length(seconds: float | None) -> str:
    return "" if seconds is None else f"about {seconds_text(seconds)} a contender, unchanged, with InnoDB"


def _sizes(sequence: Sequence) -> str:
    """Tables, rows and transport, as far as the sequence sets them."""
    rows = f"{sequence.rows:,}" if isinstance(sequence.rows, int) else sequence.rows
    each = (
        count_text(sequence.tables, "table") if sequence.tables else "",
        f"{rows} rows each" if rows else "",
        f"cores {as_listed(sequence.cores)}" if sequence.cores else "",
        f"transport {sequence.transport}" if sequence.transport else "",
    )
    return ", ".join(filter(None, each))


def _rows(step: SequenceStep, kinds: Mapping[str, str], sequence: Sequence) -> list[tuple[str, ...]]:
    """The line of a step, and below it those of its roles."""
    roles = [(f"- {role.name}", role.workload, "", "", "", "", _said_of(role)) for role in step.roles]
    kind = "drive" if step.is_operation else kinds.get(step.main_workload, step.kind)
    return [_row(step, kind, sequence), *roles]


def _said_of(role: SequenceRole) -> str:
    options = " ".join(f"{name}={value}" for name, value in role.options.items())
    return ", ".join(filter(None, (options, role_text(role))))


def _row(step: SequenceStep, kind: str, sequence: Sequence) -> tuple[str, ...]:
    options = " ".join(f"{name}={value}" for name, value in step.options.items())
    driven = (_clients(step, kind), "", _work(step)) if kind in WITH_WORK else _drive(step, sequence)
    if any(role.is_bounded for role in step.role):
        warmup = "0 s" if step.warmup is None and any(role.events for role in step.role) else driven[1]
        driven = (driven[0], warmup, "its roles")
    what = step.workload or step.kind or count_text(len(step.role), "role")
    return step.name, what, *driven, options, _besides(step)


def _work(step: SequenceStep) -> str:
    return f"its work, {step.cap_s} s at most" if step.cap_s else "its work"


def _clients(step: SequenceStep, kind: str) -> str:
    return ", ".join(map(str, step.threads or ())) or (ONE_A_TABLE if kind == "scan" else "")


def _drive(step: SequenceStep, sequence: Sequence) -> tuple[str, str, str]:
    """Threads, warm-up and limits; those of the step override those of its sequence."""
    threads = (ONE_A_TABLE,) if step.per_table else step.threads or sequence.threads or (OPEN,)
    seconds = step.seconds or (None if step.events else sequence.seconds)
    warmup = next((each for each in (step.warmup, sequence.warmup) if each is not None), None)
    if step.events:
        warmup = step.warmup or 0
    bounds = [_timed(seconds, step.share)] if seconds or not step.events else []
    bounds += [count_text(step.events, "event")] if step.events else []
    return ", ".join(map(str, threads)), _seconds(warmup), " or ".join(bounds)


def _timed(seconds: int | None, share: float | None) -> str:
    if share is None:
        return _seconds(seconds)
    return f"{share:g} of the plan's" if seconds is None else _seconds(round(seconds * share))


def _seconds(seconds: int | None) -> str:
    return OPEN if seconds is None else f"{seconds} s"


def _besides(step: SequenceStep) -> str:
    variations = ", ".join(each.name for each in step.variation)
    said = (
        (step.on, f"on {step.on}"),
        (step.cores, f"cores {as_listed(step.cores or ())}"),
        (step.rate, f"rate {as_listed(step.rate or ())}{f' ({step.arrivals})' * bool(step.arrivals)}"),
        (step.limit_ms, f"searches the rate with p99 under {step.limit_ms} ms"),
        (step.variation, f"variations {variations}"),
        (step.key_caches, "MyISAM: a separate key cache for each table"),
        (step.warm, "warm: stored, never compared"),
        (step.settle_before, "settles before"),
        (step.settle_after, "settles after"),
        (step.role and step.cap_s, f"{step.cap_s} s at most"),
        *((text, text) for text in step.operation_words),
        (
            step.role and not step.is_operation,
            f"its figure is that of {step.roles[0].name}" if step.role else "",
        ),
        (step.reload == "once", "loads the tables before it"),
        (step.reload == "each", "loads the tables before each point"),
        (step.increments, f"in {step.increments} parts, the size after each"),
    )
    return ", ".join(text for is_so, text in said if is_so)


# how long a sequence takes unchanged, before a target is chosen: one contender with InnoDB


CPU_THREADS = 4  # of the machine that is supposed
NODES = [[[cpu] for cpu in range(256)]]  # it has every core set that is asked for
_SUPPOSED = Contender(FIRST.name, "", "", "", "", "", "", FIRST.name, "", "")


def outline_s(sequence: Sequence, workloads: Mapping[str, Workload]) -> float | None:
    """Seconds of a session; None if they depend on the target, or the sequence cannot run."""
    try:
        plan = _supposed(sequence, workloads)
    except (InputError, KeyError):
        return None
    if plan is None:
        return None
    declared = sum(map(plan.declared_s, range(len(plan.steps))))
    return outside_s(plan) + declared + sum(step_guesses(plan, _SUPPOSED))


def _supposed(sequence: Sequence, workloads: Mapping[str, Workload]) -> Plan | None:
    rows = sequence.rows or ROWS
    if not isinstance(rows, int):  # a share of a memory nobody knows yet
        return None
    used = {name: workloads[name] for step in sequence.steps for name in step.workloads}
    size = StepDefaults(
        tables=load_table_count(used.values()) or sequence.tables or TABLES,
        rows=rows,
        seconds=sequence.seconds or SECONDS,
        warmup=WARMUP if sequence.warmup is None else sequence.warmup,
        threads=sequence.threads or THREADS,
        cpu_threads=CPU_THREADS,
        cores=sequence.cores or (),
        nodes=NODES,
    )
    return Plan(
        id="", name=sequence.name, target="", machine_key="", sequence=sequence.name,
        contenders=[_SUPPOSED],
        steps=resolve_steps(list(sequence.steps), workloads, size),
        turns=[],
        files={f"workloads/{name}.toml": workload.text for name, workload in used.items()},
        tables=size.tables, rows=size.rows, seconds=size.seconds, warmup=size.warmup,
        pause=0, threads=list(size.threads), repeats=1, transport=sequence.transport or TRANSPORT,
    )  # fmt: skip
