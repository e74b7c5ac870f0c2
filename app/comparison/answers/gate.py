"""Whether a contender is worse than another one by more than somebody allows: an answer for scripts.

Worse: the whole interval of a step is beyond the limit. Not worse: that of each step is within it.
Anything else cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from app.comparison.cells.cell import OTHER_PLAN, OTHER_RESULTS, Comparison, Row
from app.comparison.cells.labels import names_of, row_label
from app.comparison.differences.warnings import OF_COUNTS
from app.comparison.verdicts.across import cross_plan_remarks
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.units import count_text, first_texts
from app.history.lists.sessions import sessions_of_plan, sessions_of_reference
from app.history.steps.figures import plans_by_session
from app.history.store.history import History
from app.protocol.plan import COUNT, INSTRUCTIONS, PREPARING
from app.stats import VerdictLimits

from .losses import lost_against
from .sentences import STILL, has_running_sessions
from .step_ratios import StepRatio, ratios_of_groups, ratios_of_steps

WORSE, NOT_WORSE, UNTOLD = "worse", "not worse", "cannot be told"
CODES = {NOT_WORSE: 0, WORSE: 1, UNTOLD: 3}
COMMITS = "answered commits"  # the unit of a line on those that were gone after an operation
_SPARED = "{}: disturbed, so the answer is that of the other steps"


class GateLine(TypedDict):
    """A step, or the mean of a group."""

    step: str
    unit: str
    direction: str
    ratio: float | None  # as in the comparison
    low: float | None  # its interval; null where repeats are too few, or it would be too wide
    high: float | None
    n: int  # repeats of the column that has fewer, or rounds
    verdict: str
    why: str  # it cannot be told


class GateEntry(TypedDict):
    """What `gate --json` gives."""

    verdict: str
    exit_code: int
    sentence: str
    worse_pct: float
    false_share: float
    base: list[str]  # ids of the sessions
    other: list[str]
    by_round: bool
    steps: list[GateLine]
    remarks: list[str]


@dataclass(frozen=True)
class GateRequest:
    """The limit for a loss, and the steps to look at."""

    worse_pct: float
    measure: str = "value"
    by_groups: bool = False
    steps: tuple[str, ...] = ()  # names, or labels with coordinates; none: all
    allowed: GivenDisturbanceLimits = AS_PLANNED

    def __post_init__(self) -> None:
        if self.steps and self.by_groups:
            raise InputError(
                "--groups judges the means of all steps of a group: leave --step or --groups out"
            )

    @property
    def loss(self) -> str:
        return f"{self.worse_pct:g}%"

    def loss_in(self, unit: str) -> str:
        """What must be ruled out of a step in this unit."""
        return f"{self.loss} more instructions" if unit == INSTRUCTIONS else f"a loss of {self.loss}"

    def chosen_rows(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of these steps; raises InputError for a step that there is not."""
        for step in self.steps:
            if not any(step in (row.workload, row_label(row)) for row in rows):
                there = list(dict.fromkeys(row.workload for row in rows))
                no_step = f"there is no step {step!r} to judge{did_you_mean(step, there)}"
                raise InputError(f"{no_step}: choose one of {', '.join(there) or 'none'}")
        names = set(self.steps)
        return [row for row in rows if not names or names & {row.workload, row_label(row)}]

    def is_worse(self, low: float, high: float, direction: str) -> bool:
        """Whether the whole interval is beyond the limit."""
        return low > self._most if direction == "lower" else high < self._least

    def is_within(self, low: float, high: float, direction: str) -> bool:
        return high < self._most if direction == "lower" else low > self._least

    @property
    def _least(self) -> float:
        return 1 - self.worse_pct / 100

    @property
    def _most(self) -> float:
        return 1 + self.worse_pct / 100


def gate(
    history: History, base: str, other: str, request: GateRequest, limits: VerdictLimits | None = None
) -> GateEntry:
    """Compare all repeats of both contenders in their plans; false answers are as rare as false verdicts."""
    ours, theirs = (repeats_of(history, sessions_of_reference(history, each)[:1]) for each in (base, other))
    if set(ours) & set(theirs):
        raise InputError(
            f"{base!r} and {other!r} are repeats of one contender: name sessions of two contenders"
        )
    sides = {**dict.fromkeys(ours, 0), **dict.fromkeys(theirs, 1)}
    found = compare(history, [*ours, *theirs], ours[0], limits, sides, request.allowed)
    entry = gate_answer(found, request)
    remarks = [*entry["remarks"], *remarks_of_limits(found, limits), *request.allowed.texts]
    return {**entry, "remarks": remarks}


def remarks_of_limits(found: Comparison, wanted: VerdictLimits | None) -> list[str]:
    """A remark if a plan until decided has another share of false verdicts than was asked for."""
    own = found.limits.false_share
    if wanted is None or wanted.false_share == own:
        return []
    of_plan, of_person = (f"{100 * each:g}%" for each in (own, wanted.false_share))
    return [f"at most {of_plan} of the answers false, as its plan until decided says, not {of_person}"]


def gate_answer(comparison: Comparison, request: GateRequest) -> GateEntry:
    """The answer of a comparison of two columns."""
    whole = comparison_by_measure(comparison, request.measure)
    kept = [row for row in whole.rows if not row.is_waiting and row.direction]
    found = replace(whole, rows=request.chosen_rows(kept))
    ratios = ratios_of_groups if request.by_groups else ratios_of_steps
    lines = [_line(each, request) for each in ratios(found, _places(found)[1])]
    return _entry(found, lines, request)


def repeats_of(history: History, sessions: Sequence[str]) -> list[str]:
    """All sessions of the contenders of these in their plans, each once, in their order."""
    plans = plans_by_session(history, sessions)
    meant = {(plan.id, plan.turn_of(id_).contender): plan for id_, plan in plans.items()}
    return [
        id_
        for (_, contender), plan in meant.items()
        for id_ in sessions_of_plan(history, plan.id)
        if plan.turn_of(id_).contender == contender
    ]


def _entry(found: Comparison, lines: list[GateLine], request: GateRequest) -> GateEntry:
    base, at = _places(found)
    names, columns = names_of(found), found.columns
    spared = [] if request.steps or request.by_groups else _spared(found, lines)
    held = [line for line in lines if line["step"] not in spared]
    lost = list(_lost_lines(found))
    verdict, sentence = _answer(_hindrances(found, lines), [*lost, *held], request, names[at], names[base])
    return {
        "verdict": verdict,
        "exit_code": CODES[verdict],
        "sentence": f"{verdict}: {sentence}",
        "worse_pct": request.worse_pct,
        "false_share": found.limits.false_share,
        "base": columns[base].ids,
        "other": columns[at].ids,
        "by_round": columns[at].by_round,
        "steps": [*lines, *lost],
        "remarks": [
            *cross_plan_remarks(found, names),
            *([OF_COUNTS] if any(row.kind == COUNT for row in found.rows) else []),
            *([_SPARED.format(", ".join(spared))] if spared else []),
        ],
    }


def _lost_lines(found: Comparison) -> Iterator[GateLine]:
    """A line for each operation after which answered commits were gone, but none of the base."""
    base, at = _places(found)
    for row in found.rows:
        if why := lost_against(row, at, base):
            n = min(row.cells[at].n, row.cells[base].n)
            yield {
                "step": f"{row_label(row)}: {COMMITS}", "unit": COMMITS, "direction": "higher", "ratio": None,
                "low": None, "high": None, "n": n, "verdict": WORSE, "why": why,
            }  # fmt: skip


def _spared(found: Comparison, lines: Sequence[GateLine]) -> list[str]:
    """Loads and indexes that were disturbed, and cannot be told: they hold no gate on other steps."""
    spared = {
        row_label(row)
        for row in found.rows
        if row.kind in PREPARING and any(cell.was_disturbed for cell in row.cells)
    }
    told = [line["step"] for line in lines if line["step"] in spared and line["verdict"] == UNTOLD]
    return told if len(told) < len(lines) else []


def _places(found: Comparison) -> tuple[int, int]:
    base = found.base
    return base, 1 - base


def _hindrances(found: Comparison, lines: Sequence[GateLine]) -> Iterator[str]:
    """Why the two columns cannot be compared at all."""
    base, at = _places(found)
    columns = found.columns
    steps = {row_label(row) for row in found.rows}
    for each in found.warnings:
        if each.kind == OTHER_PLAN or (each.kind == OTHER_RESULTS and each.step in steps):
            yield each.text
    if has_running_sessions(columns[base]) or has_running_sessions(columns[at]):
        yield STILL
    if not lines and any(row.kind == COUNT for row in found.rows):
        yield "instructions of several steps have no mean: leave --groups out"
    if not lines:
        yield "they share no step whose result can be better or worse"


def _answer(
    hindrances: Iterator[str], lines: Sequence[GateLine], request: GateRequest, name: str, base: str
) -> tuple[str, str]:
    """The verdict over all steps, and the sentence that says why."""
    if why := next(hindrances, ""):
        return UNTOLD, why
    if lost := [line for line in lines if line["unit"] == COMMITS]:
        where = first_texts([_with(line, line["why"]) for line in lost])
        return WORSE, f"{name} loses answered commits, {base} none: {where}"
    worse, untold = ([line for line in lines if line["verdict"] == word] for word in (WORSE, UNTOLD))
    what = "mean" if request.by_groups else "step"
    count = f"of {count_text(len(lines), what)}"
    if worse:
        text = f"{_worse_text(worse, request, name, base)} in {len(worse)} {count}"
        return WORSE, f"{text}: {first_texts([_with(line, interval_text(line)) for line in worse])}"
    only = lines[0]["step"] if request.steps else f"the only {what} that they share"
    each = f"each {count}" if len(lines) > 1 else only
    if untold:
        return (
            UNTOLD,
            f"in {len(untold)} {count}: {first_texts([_with(line, line['why']) for line in untold])}",
        )
    losses = " and ".join(dict.fromkeys(request.loss_in(line["unit"]) for line in lines))
    return NOT_WORSE, f"{losses} {_are(losses)} ruled out for {name} against {base} in {each}"


def _are(losses: str) -> str:
    return "are" if "instructions" in losses else "is"


def _worse_text(worse: Sequence[GateLine], request: GateRequest, name: str, base: str) -> str:
    """What is lost: speed, work, or both."""
    counted = {line["unit"] == INSTRUCTIONS for line in worse}
    if counted == {False}:
        return f"{name} loses more than {request.loss} against {base}"
    more = f"over {request.loss} more instructions than {base}"
    return f"{name} takes {more}{', or loses more than that,' if len(counted) > 1 else ''}"


def _with(line: GateLine, text: str) -> str:
    return f"{line['step']} ({text})"


def interval_text(line: GateLine) -> str:
    """`0.952 to 0.984`."""
    return "-" if line["low"] is None else f"{line['low']:.3f} to {line['high']:.3f}"


def _line(found: StepRatio, request: GateRequest) -> GateLine:
    verdict, why = UNTOLD, found.why
    if found.ends and not why:
        if request.is_worse(*found.ends, found.direction):
            verdict = WORSE
        elif request.is_within(*found.ends, found.direction):
            verdict = NOT_WORSE
        else:
            loss = request.loss_in(found.unit)
            why = f"{loss} {_are(loss)} not ruled out"
    low, high = found.ends or (None, None)
    return {
        "step": found.step, "unit": found.unit, "direction": found.direction, "ratio": found.ratio,
        "low": low, "high": high, "n": found.n, "verdict": verdict, "why": why,
    }  # fmt: skip
