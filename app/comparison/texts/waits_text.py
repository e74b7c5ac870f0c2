"""Waits by name and statements by digest, written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.why.waits import NamedWaitsEntry, StatementComparison, WaitByColumn
from app.core.table import MISSING, Table, ratio_text
from app.core.units import count_text
from app.engines.waits import KINDS
from app.history.steps.step_waits import StepWaits
from app.protocol.waits import Wait

OFF = (
    "Waits have no names here: the Performance Schema was off, or not to be read. The instruments *waits*"
    " turn it on in servers that Dyno starts."
)
NO_STATEMENTS = (
    "No statements: the Performance Schema was off or not to be read, or it has no digests in this version."
)
DIFFER = "! The statement examined another number of rows per call: see its execution plan."
NO_STATEMENT = "a transaction that executed nothing"
_OF_LINE = 3  # waits of a step in one line
_OF_STEP = 3  # statements of a step


# one session


def waits_line(step: StepWaits) -> str:
    """`point-query threads=2: wait/lock/table/sql/handler 12.3 us/query, ...`."""
    texts = [_wait_text(each) for each in step.waits.events[:_OF_LINE]]
    return f"{step.step}: {', '.join(texts) or 'none'}"


def _wait_text(wait: Wait) -> str:
    if wait.per_query_us is not None:
        return f"{wait.name} {us_text(wait.per_query_us)} us/query"
    return f"{wait.name} {count_text(wait.count, 'time') if wait.ms is None else f'{us_text(wait.ms)} ms'}"


def lock_lines(step: StepWaits) -> Iterator[str]:
    """A line for each pair of statements."""
    for each in step.waits.locks:
        holding, times = each.holding or NO_STATEMENT, count_text(each.seen, "time")
        if each.kind == "deadlock":
            yield f"{step.step}: deadlock of {each.waiting} and {holding}, seen {times}"
        else:
            place = f"{each.table}.{each.index}"
            yield f"{step.step}: {each.waiting} waited for {holding} ({place}), seen {times}"


def statement_lines(step: StepWaits) -> Iterator[str]:
    """The statements that took the longest in all."""
    for each in step.statements[:_OF_STEP]:
        calls = max(each.calls, 1)
        parts = [
            f"{count_text(each.calls, 'call')} of {us_text(each.ms * 1e3 / calls)} us",
            "" if each.rows_examined is None else f"{rows_text(each.rows_examined / calls)} rows examined",
            f"{rows_text(each.rows_sorted / calls)} sorted" if each.rows_sorted else "",
            "without index" if (each.no_index or 0) * 2 > calls else "",
        ]
        yield f"{step.step}: {each.text}: {', '.join(filter(None, parts))}"


def step_waits_table(step: StepWaits) -> Table:
    """The waits of a step: kind, time per query, how often."""
    lines = tuple(
        (
            wait.name,
            us_text(wait.per_query_us),
            us_text(wait.ms),
            f"{wait.count:,}",
            wait_kind_text(wait.kind),
        )
        for wait in step.waits.events
    )
    heads = ("wait", "us/query", "ms", "times", "kind")
    remarks = [*([] if step.waits.by_name else [OFF]), *lock_lines(step)]
    return Table(step.step, heads, lines, 1, tuple(remarks))


# two columns


def waits_table(title: str, entry: NamedWaitsEntry) -> Table:
    """A line for each wait, the longest first."""
    heads = ("wait", "kind", "base us/query", "other us/query", "ratio", "base times", "other times", "n")
    lines = tuple(_wait_cells(each) for each in entry["waits"])
    return Table(title, heads, lines, 2, () if all(entry["by_name"]) else (OFF,))


def _wait_cells(pair: WaitByColumn) -> tuple[str, ...]:
    times = (f"{each:,.0f}" if each is not None else MISSING for each in pair["count"])
    figures = map(us_text, pair["per_query_us"])
    return (
        pair["name"],
        wait_kind_text(pair["kind"]),
        *figures,
        ratio_text(pair["ratio"]),
        *times,
        n_text(pair["n"]),
    )


def statements_table(title: str, entry: NamedWaitsEntry) -> Table:
    """A line for each statement, first those that examined another number of rows."""
    heads = (
        *("statement", "base us", "other us", "ratio", "base examined", "other examined"),
        *("base sorted", "other sorted", "no index", "n"),
    )
    lines = tuple(_statement_cells(each) for each in entry["statements"])
    differ = (DIFFER,) if any(each["differs"] for each in entry["statements"]) else ()
    return Table(title, heads, lines, 1, differ if lines else (NO_STATEMENTS,))


def _statement_cells(pair: StatementComparison) -> tuple[str, ...]:
    sign = "! " if pair["differs"] else ""
    figures = [*map(us_text, pair["us"]), ratio_text(pair["ratio"])]
    rows = map(rows_text, (*pair["examined"], *pair["sorted"]))
    no_index = " / ".join(MISSING if each is None else f"{each:.0%}" for each in pair["no_index"])
    return sign + pair["text"], *figures, *rows, no_index, n_text(pair["n"])


def wait_kind_text(kind: str) -> str:
    """The kind in words; one of a later Dyno as it is."""
    return KINDS.get(kind, kind)


def us_text(value: float | None) -> str:
    """`0.123`, `12.3`, `1,234`."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:,.{1 if value >= 10 else 3}f}"


def rows_text(value: float | None) -> str:
    """`0`, `1.5`, `1,234`."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"


def n_text(counts: Sequence[int]) -> str:
    """Number of sessions; of both columns if they differ."""
    return " / ".join(dict.fromkeys(map(str, counts)))
