"""Columns of sessions beside one another, step by step: medians, relative to a base. No judgement yet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from .errors import InputError
from .history.figures import StepEntry, plan_of, steps
from .history.history import History
from .history.sessions import ContenderEntry, SessionEntry, find, sessions

if TYPE_CHECKING:
    from rich.table import Table

NO_JUDGEMENT = "no judgement"
SINGLE = "n=1"
_LEFT_OUT = ("warmup",)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would carry these out


class ColumnEntry(TypedDict):
    """A contender at its work on a machine: one session, or all of its repeats that were asked for."""

    id: str  # of the first of them
    ids: list[str]
    name: str
    target: str
    contender: ContenderEntry
    sequence: str
    state: str
    failed_steps: int
    contender_key: str
    work_key: str
    machine_key: str
    colour: int


class RowEntry(TypedDict):
    """A step; the lists have one entry a column, null where there is no figure."""

    workload: str
    kind: str
    group: str
    threads: int | None
    coordinates: dict[str, Any]
    unit: str
    direction: str
    values: list[float | None]
    relative: list[float | None]
    n: list[int]
    verdict: list[str | None]
    reasons: list[str]  # why there is no figure, or not one of each repeat
    marks: list[list[str]]


class Comparison(TypedDict):
    """What `compare --format json` gives."""

    base: str
    sessions: list[ColumnEntry]
    rows: list[RowEntry]
    warnings: list[str]


Key = tuple[str, str]  # name and coordinates of a step
Column = list[SessionEntry]


def compare(history: History, references: Sequence[str], base: str | None = None) -> Comparison:
    """The steps of these sessions against those of the base, which is the first one unless it is named."""
    if not references:
        raise InputError("nothing to compare: give two sessions or more")
    ids = list(dict.fromkeys(find(history, reference) for reference in references))
    base_id = ids[0] if base is None else find(history, base)
    if base_id not in ids:
        ids.insert(0, base_id)
    with history.reading():
        entries = {entry["id"]: entry for entry in sessions(history, ids=ids)}
        columns = _columns([entries[id_] for id_ in ids])
        at = next(at for at, column in enumerate(columns) if base_id in (each["id"] for each in column))
        figures = [[_steps(history, each["id"]) for each in column] for column in columns]
        warnings = _warnings(history, columns, at)
    return {
        "base": columns[at][0]["id"],
        "sessions": [_column(column) for column in columns],
        "rows": [_row(key, figures, at) for key in _keys(figures, at)],
        "warnings": warnings,
    }


def _columns(entries: Sequence[SessionEntry]) -> list[Column]:
    """Repeats share a column; but where all are repeats of one another, each gets its own."""
    grouped: dict[tuple[str, str, str], Column] = {}
    for entry in entries:
        key = (entry["contender_key"], entry["work_key"], entry["machine_key"])
        grouped.setdefault(key, []).append(entry)
    return list(grouped.values()) if len(grouped) > 1 else [[entry] for entry in entries]


def _column(column: Column) -> ColumnEntry:
    first = column[0]
    states = dict.fromkeys(each["state"] for each in column)
    return {
        "id": first["id"],
        "ids": [each["id"] for each in column],
        "name": first["contender"]["name"] if len(column) > 1 else first["name"],
        "target": first["target"],
        "contender": first["contender"],
        "sequence": first["sequence"],
        "state": ", ".join(states),
        "failed_steps": sum(each["failed_steps"] for each in column),
        "contender_key": first["contender_key"],
        "work_key": first["work_key"],
        "machine_key": first["machine_key"],
        "colour": first["colour"],
    }


def _steps(history: History, session: str) -> dict[Key, StepEntry]:
    """Those that are compared; warm ones never are."""
    found: dict[Key, StepEntry] = {}
    for step in steps(history, session):
        if not step["warm"] and step["kind"] not in _LEFT_OUT:
            found.setdefault((step["name"], json.dumps(step["coordinates"], sort_keys=True)), step)
    return found


def _keys(figures: Sequence[Sequence[dict[Key, StepEntry]]], base: int) -> list[Key]:
    """In the order of the base; what only others did comes after."""
    ordered = [*figures[base], *(each for column in figures for each in column)]
    return list(dict.fromkeys(key for each in ordered for key in each))


def _row(key: Key, figures: Sequence[Sequence[dict[Key, StepEntry]]], base: int) -> RowEntry:
    cells = [[each[key] for each in column if key in each] for column in figures]
    model = next(cell[0] for cell in [cells[base], *cells] if cell)
    found = [[step["value"] for step in cell if _fits(step, model)] for cell in cells]
    values = [_median([value for value in each if value is not None]) for each in found]
    counts = [sum(value is not None for value in each) for each in found]
    return {
        "workload": model["name"],
        "kind": model["kind"],
        "group": model["group"],
        "threads": model["coordinates"].get("threads"),
        "coordinates": model["coordinates"],
        "unit": model["unit"],
        "direction": direction_of(model["unit"]),
        "values": values,
        "relative": [_ratio(value, values[base]) for value in values],
        "n": counts,
        "verdict": [_verdict(n) for n in counts],
        "reasons": [_reason(cell, model) for cell in cells],
        "marks": [sorted({mark for step in cell for mark in step["marks"]}) for cell in cells],
    }


def _fits(step: StepEntry, model: StepEntry) -> bool:
    return step["state"] == "completed" and step["unit"] == model["unit"]


def _reason(cell: Sequence[StepEntry], model: StepEntry) -> str:
    """Of the first step without a figure."""
    if not cell:
        return "not in its sequence"
    for step in cell:
        if step["state"] != "completed":
            return f"{step['state']}: {step['reason']}" if step["reason"] else step["state"]
        if step["unit"] != model["unit"]:
            return f"its unit is {step['unit']}"
    return ""


def _verdict(n: int) -> str | None:
    return None if n == 0 else SINGLE if n == 1 else NO_JUDGEMENT


def _median(values: Sequence[float]) -> float | None:
    if not values:
        return None
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _ratio(value: float | None, base: float | None) -> float | None:
    return value / base if value is not None and base else None


def direction_of(unit: str) -> str:
    """Whether more of a step's unit is better: rates are, times and sizes are not."""
    if unit.endswith("/s"):
        return "higher"
    return "lower" if unit in ("s", "ms", "bytes", "KB", "MB") else ""


def _warnings(history: History, columns: Sequence[Column], base: int) -> list[str]:
    """What keeps these columns from being compared as they stand."""
    first = columns[base][0]
    warnings = [
        f"different work: {column[0]['name']} against {first['name']}: {what}"
        for column in columns
        if column[0]["work_key"] != first["work_key"]
        for what in [_differing(plan_of(history, first["id"]), plan_of(history, column[0]["id"]))]
    ]
    machines = {column[0]["machine_key"]: column[0]["target"] for column in columns}
    if len(machines) > 1:
        warnings.append(f"different machines: {', '.join(machines.values())}")
    keys = {(each["contender_key"], each["work_key"]) for column in columns for each in column}
    if len(columns) > 1 and len(keys) == 1 and len(machines) == 1:
        warnings.append("repeats of the same contender: what differs between them is noise")
    return warnings + [
        f"session {each['id']} ({each['name']}) is {each['state']}{_why(each)}"
        for column in columns
        for each in column
        if each["state"] != "completed"
    ]


def _why(entry: SessionEntry) -> str:
    return f": {entry['reason']}" if entry["reason"] else ""


def _differing(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """In one line where two plans part, first things first."""
    plain = [
        f"{name} {theirs.get(name)} instead of {ours.get(name)}"
        for name in ("tables", "rows", "transport", "load_method", "start")
        if ours.get(name) != theirs.get(name)
    ]
    differences = [*plain, *_differing_steps(ours, theirs)]
    files = [dict(_work_files(plan)) for plan in (ours, theirs)]
    changed = sorted(
        name for name in files[0].keys() | files[1].keys() if files[0].get(name) != files[1].get(name)
    )
    if changed:
        differences.append(f"other content of {', '.join(changed[:3])}")
    shown, more = differences[:4], len(differences) - 4
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "") if shown else "its plan"


def _differing_steps(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    named = [{_step_key(step): step for step in plan["steps"]} for plan in (ours, theirs)]
    differences = []
    for key in named[0].keys() & named[1].keys():
        for name, value in named[1][key].items():
            if name != "cap_s" and value != named[0][key].get(name):
                differences.append(f"{name} {value} instead of {named[0][key].get(name)}")
    only = len(named[0].keys() ^ named[1].keys())
    found = sorted(set(differences))
    return [*found, f"{only} steps that only one of them has"] if only else found


def _step_key(step: dict[str, Any]) -> Key:
    return step["name"], json.dumps(step.get("coordinates", {}), sort_keys=True)


def _work_files(plan: dict[str, Any]) -> Iterable[tuple[str, str]]:
    return ((name, text) for name, text in plan["files"].items() if name.startswith("workloads/"))


# the comparison as text


def to_json(comparison: Comparison) -> str:
    return json.dumps(comparison, indent=2, ensure_ascii=False)


def to_csv(comparison: Comparison) -> str:
    """One line a step; for each column its figure, the relative one, n and the verdict."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [head for name in _names(comparison) for head in (name, f"{name} relative", f"{name} n")]
    fixed = ["workload", "group", "threads", "coordinates", "unit", "direction"]
    writer.writerow([*fixed, *(_harmless(head) for head in heads), "verdict"])
    for row in comparison["rows"]:
        cells = [each for cell in zip(row["values"], row["relative"], row["n"], strict=True) for each in cell]
        coordinates = json.dumps(row["coordinates"], sort_keys=True)
        texts = [row["workload"], row["group"], row["threads"], coordinates, row["unit"], row["direction"]]
        verdict = " ".join(dict.fromkeys(each for each in row["verdict"] if each))
        writer.writerow([*(_harmless(text) for text in texts), *cells, verdict])
    return out.getvalue()


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def to_markdown(comparison: Comparison) -> str:
    """A table for a forum or an issue, with what has to be known beside it."""
    heads, lines = _cells(comparison)
    rule = ["---"] * 2 + ["---:"] * (len(heads) - 2)
    table = [heads, rule, *lines]
    text = [f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in table]
    remarks = [f"- {_escaped(remark)}" for remark in remarks_of(comparison)]
    return "\n".join([*text, "", *remarks]).rstrip() + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def to_table(comparison: Comparison) -> Table:
    """For the terminal."""
    from rich.table import Table
    from rich.text import Text

    heads, lines = _cells(comparison)
    table = Table(box=None, pad_edge=False)
    for at, head in enumerate(heads):
        table.add_column(Text(head), justify="left" if at < 2 else "right")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table


def remarks_of(comparison: Comparison) -> list[str]:
    """What has to be said beside the table: warnings, missing figures, how many repeats."""
    counts = sorted({n for row in comparison["rows"] for n in row["n"] if n})
    repeats = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}" if counts else ""
    missing = [
        f"{_label(row)}, {name}: {reason}"
        for row in comparison["rows"]
        for name, reason in zip(_names(comparison), row["reasons"], strict=True)
        if reason
    ]
    marked = [
        f"{_label(row)}, {name}: {', '.join(marks)}"
        for row in comparison["rows"]
        for name, marks in zip(_names(comparison), row["marks"], strict=True)
        if marks
    ]
    judged = [f"{repeats}: {NO_JUDGEMENT} of what is noise and what is not"] if repeats else []
    return [*comparison["warnings"], *missing, *marked, *judged]


def _cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: the step, its unit, the base's figure, then each other's and how it relates."""
    base = [column["id"] for column in comparison["sessions"]].index(comparison["base"])
    order = [base, *(at for at in range(len(comparison["sessions"])) if at != base)]
    names = _names(comparison)
    heads = ["step", "unit", names[base]]
    heads += [head for at in order[1:] for head in (names[at], f"/ {names[base]}")]
    return heads, [_line(row, order) for row in comparison["rows"]]


def _line(row: RowEntry, order: Sequence[int]) -> list[str]:
    cells = [_label(row), row["unit"], figure_text(row["values"][order[0]])]
    for at in order[1:]:
        relative = row["relative"][at]
        cells += [figure_text(row["values"][at]), "-" if relative is None else f"{relative:.2f}"]
    return cells


def figure_text(value: float | None) -> str:
    """With as many digits as a figure of a bench deserves; - where there is none."""
    if value is None:
        return "-"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 4
    return f"{value:,.{digits}f}"


def _label(row: RowEntry) -> str:
    coordinates = [f"{name}={value}" for name, value in sorted(row["coordinates"].items())]
    return " ".join([row["workload"], *coordinates])


def _names(comparison: Comparison) -> list[str]:
    """Of the columns; equal ones are told apart by the end of their ids."""
    names = [column["name"] for column in comparison["sessions"]]
    return [
        f"{column['name']} {column['id'][-6:]}" if names.count(column["name"]) > 1 else column["name"]
        for column in comparison["sessions"]
    ]
