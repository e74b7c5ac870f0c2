"""Sessions worth comparing, made up: groups, sweeps over threads, repeats, steps that failed."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.latency import counts_of
from app.protocol.plan import Plan, Step

from . import journals, stored

_DRIVEN = (
    ("point-query.pre", "point-query"), ("update-index", "write-heavy"), ("read-only", "scan-heavy"),
    ("point-query", "point-query"),
)  # fmt: skip
SECOND = counts_of([[0.2, 600], [0.4, 380], [9.0, 20]])  # the latencies of each second
_FACTORS = (1.0, 0.62, 1.8, 0.97, 1.3, 0.4, 1.05, 2.6)


def steps(
    threads: Sequence[int] = (1, 4), seconds: int = 5, driven: Sequence[tuple[str, str]] = _DRIVEN
) -> list[Step]:
    """A load, a settle whose unit is seconds, and a sweep."""
    first = [
        Step(name="load", kind="load", workload="load", group="load", unit="rows/s"),
        Step(name="settle", kind="settle", group="load", unit="s"),
    ]
    return first + [
        Step(
            name=name, kind="drive", workload=name, group=group, threads=n, coordinates={"threads": n},
            seconds=seconds, warmup=2,
        )
        for name, group in driven
        for n in threads
    ]  # fmt: skip


def plan(
    columns: int = 2,
    repeats: int = 1,
    number: int = 1,
    names: Sequence[str] = (),
    its_steps: Sequence[Step] = (),
) -> Plan:
    """Contenders that differ in engine and preset."""
    contenders = [
        replace(
            journals.contender(("innodb", "rocksdb")[at % 2], f"preset{at // 2}"),
            cnf=f"[mysqld]\nsort_buffer_size={at + 1}M\n",
        )
        for at in range(columns)
    ]
    contenders = [
        replace(each, name=name) for each, name in zip(contenders, names, strict=False)
    ] or contenders
    return journals.plan(contenders, repeats, number, its_steps or steps())


def keep(
    home: Path,
    its_plan: Plan,
    failed: Collection[tuple[int, str]] = (),
    marked: Collection[tuple[int, str] | tuple[int, str, int]] = (),
    facts: Mapping[str, Any] = MappingProxyType({}),
    series: Sequence[dict[str, Any]] = journals.SERIES,
) -> tuple[str, ...]:
    """All sessions of it in the history; contender and name (and repeat) of failed and of indebted steps.

    `facts` hold in each of them.
    """
    what = (its_plan, list(failed), list(marked), dict(facts), list(series))
    with History(home) as history:
        stored.once(history, what, lambda: _store(history, *what))
    return tuple(turn.session for turn in its_plan.turns)


def _store(
    history: History,
    its_plan: Plan,
    failed: Collection[tuple[int, str]],
    marked: Collection[tuple[int, str] | tuple[int, str, int]],
    facts: Mapping[str, Any],
    series: Sequence[dict[str, Any]],
) -> None:
    for turn in its_plan.turns:
        maker = journals.Maker(its_plan, turn.session).begin(series)
        maker.add(
            Fact,
            name="variables",
            value={"io_capacity": str(turn.contender), "innodb_flush_method": "O_DIRECT"},
            when="loaded",
        )
        for name, value in facts.items():
            maker.add(Fact, name=name, value=value)
        maker.latencies = dict.fromkeys(range(-2, 5), SECOND)
        for at, step in enumerate(its_plan.steps):
            if (turn.contender, step.name) in failed:
                maker.step(at, "failed", "sysbench: FATAL: error 1205")
            else:
                place = (turn.contender, step.name)
                marks = ["indebted"] if place in marked or (*place, turn.repeat) in marked else []
                maker.step(at, value=_value(step, turn.contender, turn.session), marks=marks)
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.end().raw)


def _value(step: Step, contender: int, session: str) -> float:
    noise = random.Random(f"{session} {step.label}").uniform(0.9, 1.1)
    scale = 20.0 if step.unit == "s" else 20_000.0 * step.threads**0.7
    return round(scale * _FACTORS[contender] * noise, 2)
