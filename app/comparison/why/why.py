"""Why a step is faster or slower: which costs may explain it, never which one does.

A step is as fast as what limits it lets it be. Where that is the CPU, half the CPU per query is twice the
queries; where the disk is, CPU makes no difference. So a cost may explain as much of a change as its own
change comes to (on a scale of doubling), no more than that of the CPU or disk it is spent on, and only as far
as these were busy. CPU is the server's: a machine on which others are at work is always busy. Time of client
threads in a state explains at most its share of all their time. What goes together need not be a cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypedDict

from app.comparison.cells.cell import ColumnFigure, Comparison, Coordinate, Row
from app.comparison.cells.labels import row_label
from app.comparison.cells.measures import measure_named
from app.comparison.verdicts.judgement import marks_of_measures
from app.comparison.verdicts.rounds import relative
from app.comparison.verdicts.step_cells import spread_of
from app.core.units import count_text
from app.history.steps.step_text import step_mark_meaning
from app.history.steps.step_work import THEN
from app.protocol.cpus import cpu_set_of_text
from app.stats.at_target.verdicts import DRIFT, FEW, NOISE, SAME

from .engine_figures import differing_measures, do_overlap
from .thread_states import CLIENT_TIME, client_state_shares, larger_client_share, thread_share_sentences

COSTS = {  # measures, and the one of what each is spent on; "": of nothing that could be busy
    "cpu_us": "cpu_us",
    "machine_cpu_us": "cpu_us",
    "disk_busy_us": "disk_busy_us",
    "cpu_user_us": "cpu_us",
    "cpu_system_us": "cpu_us",
    "voluntary_switches": "cpu_us",
    "involuntary_switches": "cpu_us",
    "context_switches": "cpu_us",
    "cycles": "cpu_us",
    "instructions": "cpu_us",
    "branch_misses": "cpu_us",
    "cache_misses": "cpu_us",
    "tlb_misses": "cpu_us",
    "page_faults": "cpu_us",
    "rows_read": "cpu_us",
    "server_read_kb": "disk_busy_us",
    "server_written_kb": "disk_busy_us",
    "reads": "disk_busy_us",
    "read_kb": "disk_busy_us",
    "written_kb": "disk_busy_us",
    "log_kb": "disk_busy_us",
    "size_mb": "",
    "directory_mb": "",
    "space_amplification": "",
    "write_amplification": "",
}
SORTED = (
    "The costs at the top changed most along with the result, on a busy CPU or disk."
    " This is a hint where to look, not a proof of the cause."
)
LITTLE = "No cost explains half of the change: the rest may be waiting for locks, the disk or the CPU."
HARDLY = "The result hardly changed: there is nothing to explain."
NOTHING = (
    "No measured cost explains the change: CPU of the server and disk time per query did not change"
    " accordingly, or only within the noise."
)
_RATES = ("queries/s", "rows/s")  # figures that are so many of what a cost is of


class PairEntry(TypedDict):
    """A figure of the base and of another column; the lists have one entry for each."""

    unit: str
    values: list[float | None]  # medians
    ratio: float | None  # the other to the base
    n: list[int]
    spread: list[float | None]  # the largest deviation of a session from the median, as a share
    overlaps: bool  # the repeats of both: the difference may be noise


class CostEntry(PairEntry):
    name: str  # of a Measure
    title: str
    busy: float | None  # what it is spent on, in the column where it was busier; 1: all the time
    explains: float | None  # of the change of the figure, from 0 to 1; null where nobody knows


class EngineFigureEntry(PairEntry):
    name: str  # of a Measure
    title: str


class WhyEntry(PairEntry):
    """A step in one column against the base."""

    step: str
    coordinates: dict[str, Coordinate]
    direction: str
    base: str  # ids of the columns
    column: str
    verdict: str | None
    marks: list[str]  # of both
    plans: list[str]  # of statements that were carried out in different ways
    client_time: list[dict[str, float] | None]  # percent by state, of base and other; null: not measured
    disturbed: list[str]  # what else took the machine, in a session of either
    costs: list[CostEntry]  # those that may explain the most first
    engine: list[EngineFigureEntry]  # figures of the engine that differ, the largest difference first


def why(comparison: Comparison, row: Row, at: int) -> WhyEntry:
    """What may explain a row, by the results of the steps, not by another measure."""
    base, columns = comparison.base, comparison.columns
    places, cpus = (base, at), [columns[each].cpus for each in (base, at)]
    cells = [row.cells[each] for each in places]
    found = _pair(row.unit, cells)
    change = _change(found, row.cells[at].verdict, comparison.limits.matters)
    costs = [_cost(row, name, places, cpus, change) for name in _defined(row, places)]
    return {
        **found,
        "step": row.workload,
        "coordinates": row.coordinates,
        "direction": row.direction,
        "base": columns[base].id,
        "column": columns[at].id,
        "verdict": row.cells[at].verdict,
        "marks": sorted({mark for cell in cells for mark in marks_of_measures(cell)}),
        "plans": list(_plans(comparison, row_label(row), places)),
        "client_time": [client_state_shares(row, at) for at in places],
        "disturbed": list(_disturbed(comparison, row, places)),
        "costs": sorted(costs, key=_rank),
        "engine": [
            {**_pair(each.unit, _sides(row, each.name, places)), "name": each.name, "title": each.title}
            for each in differing_measures(row, base, at)
        ],
    }


def _disturbed(comparison: Comparison, row: Row, places: Sequence[int]) -> Iterator[str]:
    """What disturbed the first disturbed session of a column, and how many more were."""
    for at in places:
        texts = [text for text in row.cells[at].disturbed if text]
        likewise = f"; likewise {count_text(len(texts) - 1, 'more session')}" if len(texts) > 1 else ""
        if texts:
            yield f"{comparison.columns[at].name} was {texts[0]}{likewise}."


def _plans(comparison: Comparison, label: str, places: Sequence[int]) -> Iterator[str]:
    """A line for each statement of a step whose plans differ between these two columns."""
    for each in comparison.plans:
        values = [each.values[at] or "not known" for at in places]
        if each.step == label and (values[0] != values[1] or THEN in values[0]):
            sides = f"{values[0]} in the base, {values[1]} in the other"
            yield f"Execution plans differ: {each.statement}: {sides}."


def why_all(comparison: Comparison, step: str = "") -> list[WhyEntry]:
    """What may explain each column but the base, step by step; of one step every point of its sweep."""
    base = comparison.base
    return [
        why(comparison, row, at)
        for row in comparison.rows
        for at in range(len(comparison.columns))
        if at != base and step in ("", row.workload, row_label(row))
    ]


def _defined(row: Row, places: Sequence[int]) -> list[str]:
    """The costs that exist: time and work for every step, others only where they were measured."""
    sides = {name: _sides(row, name, places) for name in (*COSTS, *CLIENT_TIME)}
    found = [name for name, spent_on in COSTS.items() if spent_on or any(side.n for side in sides[name])]
    return found + [name for name in CLIENT_TIME if any(side.value for side in sides[name])]  # 0 is no line


def _sides(row: Row, name: str, places: Sequence[int]) -> list[ColumnFigure]:
    """What base and column have by a measure."""
    return [row.measures[name][at] for at in places]


def cost_remarks(entry: WhyEntry) -> list[str]:
    """Notes on the order of the costs and on the figure that they explain."""
    counts = [n for n in entry["n"] if n]
    alone = "n = 1: the noise is unknown." if counts and min(counts) == 1 else ""
    few = "More repeats can show whether the change is noise." if entry["verdict"] == FEW else ""
    known = [cost["explains"] or 0.0 for cost in entry["costs"]]
    little = LITTLE if 0.0 < max(known) < 0.5 else ""
    return [
        each
        for each in (
            _of_order(entry),
            little,
            alone,
            few,
            *thread_share_sentences(entry["client_time"]),
            *entry["plans"],
            *entry["disturbed"],
            *map(step_mark_meaning, entry["marks"]),
        )
        if each
    ]


def why_not_explained(entry: WhyEntry) -> str:
    """Why there is nothing to explain; '' if there is."""
    return {
        NOISE: "The change of the result is within the noise: there is nothing to explain.",
        SAME: "The results do not differ enough to matter: there is nothing to explain.",
        DRIFT: "The machine drifted, which may explain the whole change.",
    }.get(entry["verdict"] or "", "")


def _of_order(entry: WhyEntry) -> str:
    known = [cost["explains"] for cost in entry["costs"] if cost["explains"] is not None]
    if entry["ratio"] is None:
        return "One of the two has no result here."
    if entry["unit"] not in _RATES:
        return "The result is not a rate: the costs are in their usual order."
    if known:
        return SORTED if any(known) else NOTHING
    if text := why_not_explained(entry):
        return text
    is_measured = any(None not in cost["values"] for cost in entry["costs"])
    return HARDLY if is_measured else "The costs were not measured in both."


def _rank(cost: CostEntry) -> tuple[bool, float]:
    return cost["explains"] is None, -(cost["explains"] or 0.0)


def _pair(unit: str, sides: Sequence[ColumnFigure]) -> PairEntry:
    base, other = sides
    return {
        "unit": unit,
        "values": [side.value for side in sides],
        "ratio": relative(other, base),
        "n": [side.n for side in sides],
        "spread": [spread_of(side.value, side.samples) for side in sides],
        "overlaps": _may_be_noise(base, other),
    }


def _may_be_noise(base: ColumnFigure, other: ColumnFigure) -> bool:
    """Whether the repeats of both overlap; in rounds, whether ratios lie on both sides of 1."""
    if other.rounds:
        ratios = [ratio for ratio in other.rounds if ratio is not None]
        return len(ratios) > 1 and min(ratios) <= 1 <= max(ratios)
    known = [[value for value in side.samples if value is not None] for side in (base, other)]
    return min(map(len, known)) > 1 and do_overlap(*known)


def _change(figure: PairEntry, verdict: str | None, matters: float) -> float | None:
    """The change as a logarithm; None if there is nothing to explain, or it cannot be computed."""
    grown = _grown(figure)
    if grown is None or figure["unit"] not in _RATES or verdict in (NOISE, SAME, DRIFT):
        return None
    return grown if abs(grown) >= math.log1p(matters) else None


def _grown(pair: PairEntry) -> float | None:
    """The growth from the base as a logarithm; infinite from or to zero."""
    base, other = pair["values"]
    if base is None or other is None:
        return None
    if pair["ratio"] and pair["ratio"] > 0:
        return math.log(pair["ratio"])
    if base == other:
        return 0.0
    return None if base > 0 and other > 0 else math.copysign(math.inf, other - base)


def _cost(
    row: Row, name: str, places: Sequence[int], cpus: Sequence[int | None], change: float | None
) -> CostEntry:
    measure, spent_on = measure_named(name), COSTS.get(name, "")
    found = _pair(measure.unit_of(row), _sides(row, name, places))
    busy = _busy(row, spent_on, places, cpus) if spent_on else None
    busy = larger_client_share(row, name, places) if name in CLIENT_TIME else busy
    part = _least([_part(_sides(row, each, places), change) for each in (name, spent_on) if each])
    explains = None if part is None or busy is None else part * busy
    return {**found, "name": name, "title": measure.title, "busy": busy, "explains": explains}


def _part(sides: Sequence[ColumnFigure], change: float | None) -> float | None:
    """The share of the change in the result that the change in a cost explains.

    Nothing where both went one way, or where the change of the cost may be noise.
    """
    pair = _pair("", sides)
    grown = 0.0 if pair["overlaps"] else _grown(pair)
    return None if grown is None or change is None else min(max(0.0, -grown / change), 1.0)


def _least(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return min(known) if len(known) == len(parts) else None


def _busy(row: Row, name: str, places: Sequence[int], cpus: Sequence[int | None]) -> float | None:
    """How busy the resource was: the busier of the two columns, at most 1."""
    shares = [_share(row, name, at, of_it) for at, of_it in zip(places, cpus, strict=True)]
    known = [share for share in shares if share is not None]
    return min(max(known), 1.0) if known else None


def _share(row: Row, name: str, at: int, cpus: int | None) -> float | None:
    """Microseconds per query times queries per second; a client thread keeps at most one CPU busy."""
    rate, spent = row.cells[at].value, row.measures[name][at].value
    there = 1 if name == "disk_busy_us" else _at_most(cpus, row)
    return None if rate is None or spent is None or not there else rate * spent / 1e6 / there


def _at_most(cpus: int | None, row: Row) -> int | None:
    swept = row.coordinates
    counts = (cpus, row.threads, swept.get("cores"), len(cpu_set_of_text(str(swept.get("cpus", "")))))
    known = (count for count in counts if isinstance(count, int) and count)
    return min(known, default=0) if cpus else None
