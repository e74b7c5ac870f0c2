"""A contender over time as a table: where the figures of its steps change, and by how much."""

from __future__ import annotations

from app.comparison.answers.over_time import (
    COUNTED_FEWEST,
    MACHINE,
    SERVER,
    VALGRIND,
    ChangeEntry,
    OverTimeEntry,
    StepOverTimeEntry,
    can_change,
    is_counted,
    too_few_plans_text,
    why_no_change,
)
from app.comparison.answers.sentences import verdict_words
from app.comparison.differences.warnings import OF_COUNTS
from app.comparison.verdicts.judgement import SHORT_SIGNS
from app.core.table import Table
from app.core.units import capitalised, count_text, date_text, first_texts, unit_text
from app.stats.changes import FEWEST

_HEADS = ("step", "unit", "since", "change", "interval", "n", "verdict", "cause", "build")
_TEXTS = 3
_FIGURES = (3, 4, 5)  # the other columns wrap
_CAUSES = {
    SERVER: "server: the canaries of the machine did not change",
    MACHINE: "machine: its canaries changed as well",
    "unknown": "unknown: too few canary runs",
    VALGRIND: "valgrind: another version of it counts from there on",
}
_COUNTED = {SERVER: "server: instructions do not depend on the state of the machine"}
_BY_STARTS = "Counts change beyond three times what starts differ by, and 0.3%."


def changes_table(found: OverTimeEntry) -> Table:
    """A line for each change, in the order of the steps."""
    lines = tuple(_line(found, step, change) for step in found["steps"] for change in step["changes"])
    return Table("Changes", _HEADS, lines, _TEXTS, tuple(_remarks(found)), right=_FIGURES, least=("unit",))


def _line(found: OverTimeEntry, step: StepOverTimeEntry, change: ChangeEntry) -> tuple[str, ...]:
    return (
        step["step"], unit_text(step["unit"]), date_text(found["points"][change["at"]]["at"]),
        change_percent_text(change["ratio"]),
        f"{change_percent_text(change['low'])} to {change_percent_text(change['high'])}",
        f"{change['before']} and {change['after']}", _verdict_text(step, change), change["cause"],
        builds_text(change),
    )  # fmt: skip


def change_percent_text(ratio: float) -> str:
    """`-3.1%`: how far a ratio is from 1."""
    return f"{100 * (ratio - 1):+.1f}%"


def builds_text(change: ChangeEntry) -> str:
    """`mariadb-10.11.18 → mariadb-10.11.19`, or the one build that both sides have."""
    return " \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(change["builds"]))


def _remarks(found: OverTimeEntry) -> list[str]:
    steps, plans = len(found["steps"]), count_text(len({each["plan"] for each in found["points"]}), "plan")
    are_plans = plans == count_text(len(found["points"]), "plan")
    points = plans if are_plans else f"{count_text(len(found['points']), 'build')} in {plans}"
    changed = sum(bool(step["changes"]) for step in found["steps"])
    causes = [_cause_text(step, change) for step in found["steps"] for change in step["changes"]]
    what = f"{found['contender']['name']} on {found['target']}, {found['sequence']}"
    if few := too_few_plans_text(found):
        return [f"{what}: {few}."]
    counted = {is_counted(step) for step in found["steps"]}
    share = f"At most {100 * found['false_share']:g}% of such series show a change by chance."
    rules = " ".join(rule for is_one, rule in ((False, share), (True, _BY_STARTS)) if is_one in counted)
    return [
        f"{what}: {changed} of {count_text(steps, 'step')} changed over {points}.",
        f"{rules} n: {'plans' if are_plans else 'builds'} before and after it.",
        *(f"{cause}." for cause in dict.fromkeys(causes)),
        *([f"{capitalised(OF_COUNTS)}."] if True in counted else []),
    ]


def _cause_text(step: StepOverTimeEntry, change: ChangeEntry) -> str:
    return {**_CAUSES, **(_COUNTED if is_counted(step) else {})}[change["cause"]]


def _verdict_text(step: StepOverTimeEntry, change: ChangeEntry) -> str:
    """`worse`; of instructions `more work`."""
    return verdict_words(step["unit"])[change["verdict"]] if is_counted(step) else change["verdict"]


def latest_change_sign(step: StepOverTimeEntry) -> str:
    """The sign of the latest change of a step; '' where it has none."""
    return SHORT_SIGNS[step["changes"][-1]["verdict"]] if step["changes"] else ""


def _few_text(step: StepOverTimeEntry, n: int) -> str:
    """Why no change can be told: how many plans count, and why others do not."""
    out = [why for why, value in zip(step["left_out"], step["values"], strict=True) if value is None]
    none = [*dict.fromkeys(why or "no result" for why in out)]
    left_out = f"; {count_text(len(out), 'plan')} left out: {first_texts(none)}" if out else ""
    if is_counted(step) and n >= COUNTED_FEWEST:
        return why_no_change(step)
    fewest = COUNTED_FEWEST if is_counted(step) else FEWEST
    return f"{count_text(n, 'plan')} of this work with a result, a change takes {fewest}{left_out}"


def latest_change_sentence(step: StepOverTimeEntry, found: OverTimeEntry) -> str:
    """The latest change of a step in words, or that there is none."""
    n = sum(value is not None for value in step["values"])
    if not can_change(step):
        return f"{step['step']}: {_few_text(step, n)}"
    if not step["changes"]:
        return f"{step['step']}: no change over {count_text(n, 'plan')}"
    change = step["changes"][-1]
    since = date_text(found["points"][change["at"]]["at"])
    interval = f"{change_percent_text(change['low'])} to {change_percent_text(change['high'])}"
    size = f"{change_percent_text(change['ratio'])} ({interval})"
    verdict, cause = _verdict_text(step, change), _cause_text(step, change)
    return f"{step['step']}: {verdict} since {since}, {size}; {cause}"
