"""Sessions whose instructions were counted, made up: of each contender and step the counts of its starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import COUNT, Plan, Step
from app.protocol.stacks import STACKS, Stacks, pack

from . import journals

POINTS, ORDER = "point-query", "order"
VALGRIND = "3.19.0"


def plan(builds: Sequence[str], starts: int = 2, steps: Sequence[str] = (POINTS,), number: int = 1) -> Plan:
    """A plan of InnoDB of several builds; `mysql-9.7.8` is of version 9.7.8."""
    contenders = [
        replace(
            journals.contender("innodb", "baseline"), name=f"{build}-innodb", build=build,
            version=build.partition("-")[2], fingerprint=build,
            family="MariaDB" if build.startswith("mariadb") else "MySQL",
        )
        for build in builds
    ]  # fmt: skip
    counted = [
        Step(name, COUNT, name, "reads", unit="instructions", figure="instructions", events=100)
        for name in steps
    ]
    return journals.plan(contenders, starts, number, counted)


def keep(
    history: History,
    counts: Mapping[str, Sequence[Sequence[float]]],
    number: int = 1,
    valgrind: str = VALGRIND,
    cpu: str = "",
    stacks: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> list[str]:
    """The sessions: `counts` has for each build the starts of each step, `stacks` those of point queries."""
    starts = max(len(each) for steps in counts.values() for each in steps)
    steps = (POINTS, ORDER)[: len(next(iter(counts.values())))]
    made = plan(list(counts), starts, steps, number)
    for turn in made.turns:
        maker = journals.Maker(made, turn.session).begin()
        if valgrind:
            maker.add(Fact, name="valgrind", value=valgrind)
        if cpu:
            maker.add(Fact, name="machine", value={"hostname": "nuc", "cpu": {"model": cpu, "cores": 2}})
        build = made.contenders[turn.contender].build
        if folded := stacks.get(build):
            found = Stacks("callgrind", on_cpu=pack(folded)[0], events=100)
            maker.add(Fact, name=STACKS, value=found.to_json(), when=POINTS)
        its = counts[build]
        for at, values in enumerate(its):
            maker.step(at, value=values[turn.repeat - 1])
        journals.store(history, maker.end())
    return [turn.session for turn in made.turns]
