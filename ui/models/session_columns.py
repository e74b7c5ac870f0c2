"""The columns of the list of sessions: what each shows, and by what it is sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.core.units import date_text, figure_text, seconds_text
from app.history.lists.browsing import QPS, SessionLine, StepGroupQps
from app.protocol.states import NOT_NEEDED, reason_text, state_word


class SessionListCell(NamedTuple):
    """The contents of a cell."""

    text: str
    tone: str  # of the theme's colours; '': that of text
    is_figure: bool
    colour: int | None  # of the contender


@dataclass(frozen=True)
class SessionListColumn:
    title: str
    order: str  # of app.history.lists.browsing; '': nothing is sorted by it
    text: Callable[[SessionLine], str]
    tip: Callable[[SessionLine], str] = lambda _: ""  # '': the text again, which may be cut off
    about: str = ""  # of the head
    is_figure: bool = False
    is_first_shown: bool = True
    gives_way: int = 0  # the place in which it is left out of a narrow list; 0: it stays
    width: int = 100
    group: str | None = None  # whose headline it is


# the colour of a state, where it is not that of text
_TONES = {"failed": "bad", "lost": "bad", "stopped": "warn", "waiting": "muted", "active": "accent"}
NAME, STATE, CONTENDER, TARGET, DATE, TAGS, REPEAT, VERDICT = 0, 1, 2, 6, 8, 10, 11, 13


def tone_of(state: str, reason: str) -> str:
    """The tone of a session; one that was not needed is no warning."""
    return "muted" if reason in NOT_NEEDED else _TONES.get(state, "")


def session_state_text(line: SessionLine) -> str:
    """`completed`, `completed, 2 failed` (steps), `failed: the disk is full`, `published`."""
    if line["published"]:
        return "published"
    failed = f", {line['failed_steps']} failed" if line["failed_steps"] else ""
    word = state_word(line["state"], line["reason"])
    return f"{word}{failed}: {line['reason']}" if line["reason"] else word + failed


def session_end_reason(line: SessionLine) -> str:
    """The reason unless it simply completed."""
    failed = line["failed_steps"]
    steps = f"{failed} {'step has' if failed == 1 else 'steps have'} failed" if failed else ""
    return "; ".join(filter(None, (reason_text(line["reason"]), steps)))


def contender_text(line: SessionLine) -> str:
    contender = line["contender"]
    parts = (contender["build"], contender["engine"], contender["preset"], contender["table_options"])
    cores = f"cores {contender['cores']}" if contender["cores"] else ""
    return ", ".join(filter(None, (*parts, cores)))


def headline_text(headline: StepGroupQps | None) -> str:
    """The QPS of a group, preceded by its number of steps if some lack a result."""
    if headline is None:
        return ""
    if headline.n == headline.steps:
        return figure_text(headline.qps)
    part = f"({headline.n}/{headline.steps})"
    return part if headline.qps is None else f"{part} {figure_text(headline.qps)}"


def headline_tip(group: str, headline: StepGroupQps | None) -> str:
    if headline is None:
        return f"No step of {group} has ended yet"
    if not headline.n:
        return f"None of the {headline.steps} steps of {group} has a result"
    if headline.steps == 1:
        return f"QPS of the one step of {group}"
    if headline.n == headline.steps:
        return f"Geometric mean of the QPS of the {headline.steps} steps of {group}"
    missing = headline.steps - headline.n
    return (
        f"Geometric mean of the QPS of {headline.n} of the {headline.steps} steps of {group}:"
        f" {missing} {'has' if missing == 1 else 'have'} no result"
    )


def _length(line: SessionLine) -> str:
    return "" if line["seconds"] is None else seconds_text(line["seconds"])


def _date(line: SessionLine) -> str:
    return f"{'planned' if line['started_at'] is None else 'began'} {date_text(line['at'])}"


FIXED = (
    SessionListColumn("Name", "name", lambda line: line["name"], width=210),
    SessionListColumn("State", "state", session_state_text, session_end_reason, width=134),
    SessionListColumn(
        "Contender", "contender", lambda line: line["contender"]["name"], contender_text, width=150
    ),
    SessionListColumn("Build", "build", lambda line: line["contender"]["build"], width=130, gives_way=3),
    SessionListColumn(
        "Engine", "engine", lambda line: line["contender"]["engine"], is_first_shown=False, width=80
    ),
    SessionListColumn(
        "my.cnf", "preset", lambda line: line["contender"]["preset"], is_first_shown=False, width=90
    ),
    SessionListColumn("Target", "target", lambda line: line["target"], width=70, gives_way=5),
    SessionListColumn("Sequence", "sequence", lambda line: line["sequence"], width=80, gives_way=1),
    SessionListColumn("Date", "date", lambda line: date_text(line["at"]), _date, "Start time", width=124),
    SessionListColumn("Length", "length", _length, about="Duration", is_figure=True, width=82, gives_way=4),
    SessionListColumn("Tags", "tags", lambda line: ", ".join(line["tags"]), width=80, gives_way=2),
    SessionListColumn(
        "Repeat", "repeat", lambda line: str(line["repeat"]), about="Repeat number in its plan",
        is_figure=True, gives_way=6, width=64,
    ),
    SessionListColumn(
        "Person", "person", lambda line: line["person"], about="Who brought the session to the team",
        is_first_shown=False, width=90,
    ),
    SessionListColumn(
        "Verdict", "", lambda _: "", width=120,
        about="Of a plan: how many steps are slower, faster, the same; against the baseline of its target",
    ),
)  # fmt: skip


def history_list_columns(groups: Iterable[str]) -> tuple[SessionListColumn, ...]:
    """The fixed columns, and one for the QPS of each group."""
    return FIXED + tuple(_of_group(group) for group in groups)


def _of_group(group: str) -> SessionListColumn:
    return SessionListColumn(
        f"QPS {group}".strip(),
        QPS + group,
        lambda line: headline_text(line["headlines"].get(group)),
        lambda line: headline_tip(group, line["headlines"].get(group)),
        f"Queries per second: the geometric mean of the steps of {group}, n = 1 session",
        is_figure=True,
        width=118,
        group=group,
    )


def cells(line: SessionLine, shown: Sequence[SessionListColumn]) -> list[SessionListCell]:
    """The cells of a session, in the order of the columns."""
    return [
        SessionListCell(
            column.text(line),
            _tone(line, column, at == STATE),
            column.is_figure,
            line["colour"] if at == CONTENDER else None,
        )
        for at, column in enumerate(shown)
    ]


def _tone(line: SessionLine, column: SessionListColumn, is_state: bool) -> str:
    """The tone of states other than completed, and of QPS over fewer steps."""
    if is_state:
        return tone_of(line["state"], line["reason"]) or ("warn" if line["failed_steps"] else "")
    headline = None if column.group is None else line["headlines"].get(column.group)
    return "muted" if headline is not None and headline.n < headline.steps else ""
