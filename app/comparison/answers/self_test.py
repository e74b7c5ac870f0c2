"""What the self test of a machine found of its planted differences, by the verdicts of Compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from app.comparison.cells.cell import Comparison
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import DIFFERING, judgeable_cells
from app.comparison.verdicts.rounds import SHARED_LOAD
from app.core.units import count_text
from app.history.lists.sessions import sessions
from app.history.machines.measured import MachineHistory, read_machine_record
from app.history.machines.self_test import latest_self_test, planted_pct, self_test_noise_parts
from app.history.steps.figures import plans_by_session
from app.history.store.history import History
from app.protocol.plan import QUERYING, SLICES
from app.protocol.states import GOING_ON
from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import LEAST, NOISE, SAME, SMALL, WORSE

_VERDICTS = (*DIFFERING, NOISE, SAME, SMALL)


@dataclass(frozen=True)
class PlantedDifference:
    """A planted difference, and after which repeat it was found for good."""

    pct: int  # of more work a query
    rounds: int  # that were measured
    repeats: int  # of them, that count
    found_after: int | None  # of these; None: not found
    ratio: float | None  # of the rates, as measured
    low: float | None
    high: float | None
    why: str  # there is no verdict; '' where there is one

    @property
    def planted_ratio(self) -> float:
        """The ratio of the rates, as planted."""
        return 1 / (1 + self.pct / 100)

    @property
    def outcome(self) -> str:
        """`found after 3 of 5 repeats`, `not found in 5 repeats`."""
        repeats = count_text(self.repeats, "repeat")
        if self.why:
            return "without a verdict"
        found = self.found_after
        return f"not found in {repeats}" if found is None else f"found after {found} of {repeats}"


@dataclass(frozen=True)
class SelfTest:
    """The latest self test of a machine."""

    at: float  # when its last session began
    in_slices: bool
    was_disturbed: bool  # by other programs, even if alike
    differences: tuple[PlantedDifference, ...]

    @property
    def work(self) -> str:
        """`point queries in slices`, with what happened meanwhile."""
        how = "slices" if self.in_slices else "whole sessions"
        return f"point queries in {how}" + (
            " while other programs were at work" if self.was_disturbed else ""
        )

    @property
    def brief(self) -> str:
        """`self test of point queries in slices: planted 3% not found in 5 repeats, planted 10% found …`."""
        found = (f"planted {each.pct}% {each.outcome}" for each in self.differences)
        return f"self test of {self.work}: {', '.join(found)}"


def machine_measures(history: History, machine_key: str) -> MachineHistory:
    """What is known of a machine, with its self test."""
    known, found = read_machine_record(history, machine_key), self_test(history, machine_key)
    in_slices = self_test_noise_parts(history, machine_key)
    return replace(known, self_test=found.brief if found else "", parts_in_slices=in_slices)


def machine_measures_from(home: Path, machine_key: str) -> MachineHistory:
    """The same, for a thread without an open history."""
    with History(home) as history:
        return machine_measures(history, machine_key)


def self_test(history: History, machine_key: str) -> SelfTest | None:
    """The latest self test; None without one that can have a verdict."""
    plan_id = latest_self_test(history, machine_key)
    there = sessions(history, plan=plan_id) if plan_id else []
    ended = [each for each in there if each["state"] not in GOING_ON]
    plans = plans_by_session(history, [each["id"] for each in ended])
    pcts = {id_: planted_pct(plan.contender_of(plan.turn_of(id_)).cnf) for id_, plan in plans.items()}
    base = next((each["id"] for each in ended if each["state"] == "completed" and not pcts[each["id"]]), "")
    if not base or not any(pcts.values()):
        return None
    found = compare(history, list(plans), base)
    at = max((start for column in found.columns for start in column.starts if start), default=0.0)
    cells = (cell for row in found.rows if row.kind in QUERYING for cell in row.cells)
    was_disturbed = any(cell.was_disturbed or SHARED_LOAD in cell.marks for cell in cells)
    in_slices = plans[base].order == SLICES
    return SelfTest(at, in_slices, was_disturbed, tuple(_differences(found, pcts)))


def _differences(found: Comparison, pcts: Mapping[str, int]) -> Iterator[PlantedDifference]:
    """Those of the first step with queries, the smallest first."""
    planted = sorted((pcts[column.id], at) for at, column in enumerate(found.columns) if pcts[column.id])
    after = _repeats_until_found(found)
    rows = [row for row in found.rows if row.kind in QUERYING][:1]
    for row, (pct, at) in product(rows, planted):
        cell, rounds = row.cells[at], len(found.columns[at].ids)
        why = "" if cell.verdict in _VERDICTS else cell.why or "there is no result"
        measured = cell.relative, cell.low, cell.high
        yield PlantedDifference(
            pct, rounds, cell.n, None if why else after.get((id(row), at)), *measured, why
        )


def _repeats_until_found(found: Comparison) -> dict[tuple[int, int], int]:
    """The repeats after which a cell is called worse and stays so, as Compare judges after each."""
    cells = judgeable_cells(found)
    after: dict[tuple[int, int], int] = {}
    for repeats in range(LEAST, 1 + max((each.samples.n for each in cells), default=0)):
        verdicts = judge([_first(each.samples, repeats) for each in cells], found.limits)
        for cell, verdict in zip(cells, verdicts, strict=True):
            place = id(cell.row), cell.at
            if verdict.word != WORSE:
                after.pop(place, None)
            elif repeats <= cell.samples.n:
                after.setdefault(place, repeats)
    return after


def _first(samples: StepResultPair, repeats: int) -> StepResultPair:
    """The results of the first repeats only."""
    return replace(
        samples,
        base=samples.base[:repeats],
        other=samples.other[:repeats],
        times=tuple(each[:repeats] for each in samples.times),
    )
