"""A contender over time as a table: where the figures of its steps change, and by how much."""

from __future__ import annotations

from app.comparison.answers.over_time import (
    MACHINE,
    SERVER,
    ChangeEntry,
    OverTimeEntry,
    StepOverTimeEntry,
    too_few_plans_text,
)
from app.comparison.verdicts.judgement import SHORT_SIGNS
from app.core.table import Table
from app.core.units import count_text, date_text, unit_text
from app.stats.changes import FEWEST

_HEADS = ("step", "unit", "since", "change", "interval", "n", "verdict", "cause", "build")
_TEXTS = 3
_CAUSES = {
    SERVER: "server: the canaries of the machine did not change",
    MACHINE: "machine: its canaries changed as well",
    "unknown": "unknown: too few canary runs",
}


def changes_table(found: OverTimeEntry) -> Table:
    """A line for each change, in the order of the steps."""
    lines = tuple(_line(found, step, change) for step in found["steps"] for change in step["changes"])
    return Table("Changes", _HEADS, lines, _TEXTS, tuple(_remarks(found)))


def _line(found: OverTimeEntry, step: StepOverTimeEntry, change: ChangeEntry) -> tuple[str, ...]:
    return (
        step["step"], unit_text(step["unit"]), date_text(found["points"][change["at"]]["at"]),
        change_percent_text(change["ratio"]),
        f"{change_percent_text(change['low'])} to {change_percent_text(change['high'])}",
        f"{change['before']} and {change['after']}", change["verdict"], change["cause"], builds_text(change),
    )  # fmt: skip


def change_percent_text(ratio: float) -> str:
    """`-3.1%`: how far a ratio is from 1."""
    return f"{100 * (ratio - 1):+.1f}%"


def builds_text(change: ChangeEntry) -> str:
    """`mariadb-10.11.18 → mariadb-10.11.19`, or the one build that both sides have."""
    return " \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(change["builds"]))


def _remarks(found: OverTimeEntry) -> list[str]:
    steps, points = len(found["steps"]), count_text(len(found["points"]), "plan")
    changed = sum(bool(step["changes"]) for step in found["steps"])
    causes = dict.fromkeys(change["cause"] for step in found["steps"] for change in step["changes"])
    what = f"{found['contender']['name']} on {found['target']}, {found['sequence']}"
    if few := too_few_plans_text(found):
        return [f"{what}: {few}."]
    share = f"{100 * found['false_share']:g}%"
    return [
        f"{what}: {changed} of {count_text(steps, 'step')} changed over {points}.",
        f"At most {share} of such series show a change by chance. n: plans before and after it.",
        *(f"{_CAUSES[cause]}." for cause in causes),
    ]


def latest_change_sign(step: StepOverTimeEntry) -> str:
    """The sign of the latest change of a step; '' where it has none."""
    return SHORT_SIGNS[step["changes"][-1]["verdict"]] if step["changes"] else ""


def latest_change_sentence(step: StepOverTimeEntry, found: OverTimeEntry) -> str:
    """The latest change of a step in words, or that there is none."""
    n = sum(value is not None for value in step["values"])
    if n < FEWEST:
        return f"{step['step']}: too few plans ({n}, needs {FEWEST})"
    if not step["changes"]:
        return f"{step['step']}: no change over {count_text(n, 'plan')}"
    change = step["changes"][-1]
    since = date_text(found["points"][change["at"]]["at"])
    interval = f"{change_percent_text(change['low'])} to {change_percent_text(change['high'])}"
    size = f"{change_percent_text(change['ratio'])} ({interval})"
    return f"{step['step']}: {change['verdict']} since {since}, {size}; {_CAUSES[change['cause']]}"
