"""What a report says: all of it is read from the history, its sentences are made of figures alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from ..compare import Comparison, RowEntry, base_of, by_group, compare
from ..compare_text import label_of, mean_text, names_of, ratio_text, remarks_of
from ..differences import DifferenceEntry, differences
from ..errors import InputError
from ..history.figures import facts, plan_of
from ..history.history import History
from ..history.publishing import source_of
from ..judgement import GroupEntry
from ..measures import measure_named
from ..stats.verdicts import BETTER, NOISE, SMALL, WORSE
from ..units import bytes_text, count_text, date_text, figure_text
from .repeating import how_to_repeat

SECTIONS = ("summary", "setup", "differences", "results", "cost", "caveats", "repeat")
COSTS = ("cpu_us", "read_kb", "written_kb")  # measures of what a query costs
_NAMED = 3  # in a title
_MOST_DIFFERENCES = 60  # lines; variables in force can be hundreds


@dataclass(frozen=True)
class Line:
    """A line of a table: what it is of, then a text a column."""

    name: str
    unit: str
    cells: tuple[str, ...]
    tones: tuple[str, ...] = ()  # of each cell: better, worse or nothing


@dataclass(frozen=True)
class Group:
    """The steps of a group by one unit, and what they come to."""

    name: str
    unit: str
    direction: str
    lines: tuple[Line, ...]
    mean: Line | None
    rows: tuple[RowEntry, ...] = field(repr=False)


@dataclass(frozen=True)
class Setup:
    """A column in words."""

    name: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Report:
    title: str
    made: str
    names: tuple[str, ...]
    base: int
    summary: tuple[str, ...]
    setups: tuple[Setup, ...]
    differences: tuple[DifferenceEntry, ...]
    differences_left_out: int
    groups: tuple[Group, ...]
    costs: tuple[Group, ...]
    caveats: tuple[str, ...]
    repeat: tuple[str, ...]
    comparison: Comparison = field(repr=False)
    own_text: str = ""  # Markdown of the person who sends it


def sections_without(left_out: Sequence[str]) -> tuple[str, ...]:
    """The others, in their order; raises InputError where one of them is none."""
    unknown = [name for name in left_out if name not in SECTIONS]
    if unknown:
        raise InputError(f"no section {unknown[0]!r}: there are {', '.join(SECTIONS)}")
    return tuple(name for name in SECTIONS if name not in left_out)


def read_report(
    history: History, references: Sequence[str], base: str | None = None, title: str = "", own_text: str = ""
) -> Report:
    """All of it; raises InputError where the sessions cannot be compared."""
    found = by_group(compare(history, references, base))
    names = tuple(names_of(found))
    at = base_of(found)
    first = [column["ids"][0] for column in found["sessions"]]
    all_differing = differences(history, first) if len(first) > 1 else []
    differing = [each for each in all_differing if not each.get("default")]
    return Report(
        title=title or _title(names, at),
        made=f"Dyno {version('dyno')}, {date_text(time.time())}",
        names=names,
        base=at,
        summary=tuple(_summary(found, names, at)),
        setups=tuple(
            _setup(history, column, name) for column, name in zip(found["sessions"], names, strict=True)
        ),
        differences=tuple(differing[:_MOST_DIFFERENCES]),
        differences_left_out=max(0, len(differing) - _MOST_DIFFERENCES),
        groups=tuple(_groups(found, at)),
        costs=tuple(each for name in COSTS for each in _cost(found, name)),
        caveats=tuple(remarks_of(found)),
        repeat=tuple(how_to_repeat(plan_of(history, first[at]))),
        comparison=found,
        own_text=own_text,
    )


def title_of(comparison: Comparison) -> str:
    """Who is compared with whom."""
    return _title(names_of(comparison), base_of(comparison))


def _title(names: Sequence[str], base: int) -> str:
    others = [name for at, name in enumerate(names) if at != base]
    who = ", ".join(others) if len(others) <= _NAMED else f"{len(others)} others"
    return f"{who} against {names[base]}" if others else names[base]


# sentences


def _summary(found: Comparison, names: Sequence[str], base: int) -> Iterator[str]:
    """A paragraph for each column beside the base."""
    for at, name in enumerate(names):
        if at != base:
            yield " ".join(_sentences(found, at, name, names[base]))


def _sentences(found: Comparison, at: int, name: str, base: str) -> Iterator[str]:
    rows = [row for row in found["rows"] if row["relative"][at] is not None and row["direction"]]
    if not rows:
        yield f"{name} has no figure in common with {base}."
        return
    yield _counted(rows, at, name, base)
    parts = [text for group in found["groups"] if (text := _of_group(group, at))]
    if parts:
        yield f"The geometric mean of {name} over {base} is {_listed(parts)}."
    yield _extremes(rows, at, name)


def _counted(rows: Sequence[RowEntry], at: int, name: str, base: str) -> str:
    verdicts = [row["verdict"][at] for row in rows]
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    level = verdicts.count(NOISE) + verdicts.count(SMALL)
    steps = count_text(len(rows), "step")
    if better + worse + level == 0:
        few = "there are too few repeats to tell differences from noise"
        return f"{name} and {base} have {steps} in common; {few}."
    rest = len(rows) - better - worse - level
    undecided = f", and undecided in {rest}" if rest else ""
    return (
        f"Of {steps}, {name} is better than {base} in {better}, worse in {worse}, "
        f"not to be told apart in {level}{undecided}."
    )


def _of_group(group: GroupEntry, at: int) -> str:
    ratio = group["ratios"][at]
    if ratio is None or group["steps"] < 2 or group["direction"] != "higher":
        return ""
    interval = "" if ratio["low"] is None else f" ({ratio['low']:.2f} to {ratio['high']:.2f})"
    return f"{ratio['ratio']:.2f}{interval} over the {group['steps']} steps of {group['group'] or 'no group'}"


def _extremes(rows: Sequence[RowEntry], at: int, name: str) -> str:
    """The steps in which it stands out most, either way."""

    def benefit(row: RowEntry) -> float:
        ratio = row["relative"][at] or 0.0
        return ratio if row["direction"] == "higher" else 1 / ratio if ratio else 0.0

    ordered = sorted(rows, key=benefit)
    worst, best = ordered[0], ordered[-1]
    told = f"{name} does best in {label_of(best)} ({best['relative'][at]:.2f})"
    return (
        f"{told} and worst in {label_of(worst)} ({worst['relative'][at]:.2f})."
        if len(rows) > 1
        else f"{told}."
    )


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]


# machine and contender


def _setup(history: History, column: Any, name: str) -> Setup:
    contender = column["contender"]
    found = facts(history, column["id"], "machine")
    machine = found[0]["value"] if found else {}
    cpu = machine.get("cpu") or {}
    source = source_of(history, column["id"])
    parts = [
        ("Published", ", ".join(source[each] for each in ("author", "date", "article") if each in source)),
        ("Machine", column["target"]),
        ("CPU", f"{cpu['model']}, {count_text(cpu.get('cores'), 'core')}" if cpu.get("model") else ""),
        ("Memory", bytes_text(machine["memory_bytes"]) if machine.get("memory_bytes") else ""),
        ("Build", f"{contender['build']} ({contender['family']} {contender['version']})"),
        ("Engine", contender["engine"]),
        ("Preset", contender["preset"]),
        ("Table options", contender["table_options"]),
        ("Cores", contender["cores"]),
        ("Sequence", column["sequence"]),
        ("Sessions", str(len(column["ids"]))),
    ]
    return Setup(name, tuple((what, text) for what, text in parts if text.strip(" ()")))


# tables


def _groups(found: Comparison, base: int) -> Iterator[Group]:
    """In the order of their first steps, told apart by their units as the means are."""
    for entry in found["groups"]:
        rows = [
            row for row in found["rows"] if (row["group"], row["unit"]) == (entry["group"], entry["unit"])
        ]
        lines = tuple(_line(row, base) for row in rows)
        yield Group(entry["group"], entry["unit"], entry["direction"], lines, _mean(entry, base), tuple(rows))


def _line(row: RowEntry, base: int) -> Line:
    columns = range(len(row["values"]))
    cells = [
        figure_text(row["values"][at], row["unit"]) if at == base else ratio_text(row, at) for at in columns
    ]
    tones = [row["verdict"][at] or "" for at in columns]
    return Line(
        label_of(row),
        row["unit"],
        tuple(cells),
        tuple(tone if tone in (BETTER, WORSE) else "" for tone in tones),
    )


def _mean(entry: GroupEntry, base: int) -> Line | None:
    if entry["steps"] < 2:
        return None
    ratios = enumerate(entry["ratios"])
    cells = ["" if at == base or ratio is None else mean_text(ratio) for at, ratio in ratios]
    return Line(f"geometric mean of {entry['steps']} steps", "", tuple(cells))


def _cost(found: Comparison, name: str) -> Iterator[Group]:
    """What a query costs in each step, as measured; nothing where no step has it."""
    measure = measure_named(name)
    lines = tuple(
        Line(label_of(row), measure.unit_of(row), tuple(map(figure_text, row["measures"][name]["values"])))
        for row in found["rows"]
        if row["kind"] == "drive" and any(row["measures"][name]["n"])
    )
    if lines:
        yield Group(measure.title, lines[0].unit, "lower", lines, None, ())
