"""The canaries of a machine: the same short work before each session, whatever the session is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.protocol.others import DISTURBED
from app.shapes.facts import is_left_out
from app.stats.between import between_plans

from .damage import unpack_json
from .history import History
from .step_text import disturbed_text

FACT = "canary"
_MOST = 200  # the latest: a machine is not what it was years ago


@dataclass(frozen=True)
class CanaryRun:
    """A canary run: the result of the small server before a session."""

    session: str  # its name
    at: float  # when it began
    build: str
    key: str  # of the server: figures of another one are not to be compared
    reads: float  # a second
    commits: float
    disturbed: str  # by what; '' where nothing did


def canary_runs(history: History, machine_key: str) -> list[CanaryRun]:
    """The latest canary runs of a machine, the newest first."""
    rows = history.query(
        "SELECT session.name, session.started_at, content FROM fact JOIN session ON session = session.number"
        " WHERE machine_key = ? AND fact.name = ? ORDER BY session.started_at DESC LIMIT ?",
        (machine_key, FACT, _MOST),
    )
    return [
        CanaryRun(
            *(name, at or 0.0, fact["build"], fact["key"], float(fact["reads"]), float(fact["commits"])),
            _disturbed(fact["others"]),
        )
        for name, at, content in rows
        if not is_left_out(fact := unpack_json(content))
    ]


def _disturbed(others: Mapping[str, Any]) -> str:
    """The text on what disturbed a run, without its mark."""
    text = disturbed_text(others).partition(": ")[2]
    return text or (DISTURBED if others.get("causes") else "")


def canaries(history: History, machine_key: str) -> list[float]:
    """The results of canary runs, the newest first, for verdicts across time."""
    return counted(canary_runs(history, machine_key))


def counted(runs: Iterable[CanaryRun]) -> list[float]:
    """Reads or commits of the runs, whichever vary more.

    Those of the server that is the canary now, but for the disturbed ones: these are left out of cells too.
    """
    found = list(runs)
    quiet = [each for each in found if each.key == found[0].key and not each.disturbed]
    figures = ([each.reads for each in quiet], [each.commits for each in quiet])
    return max(figures, key=lambda each: between_plans(each).variance)
