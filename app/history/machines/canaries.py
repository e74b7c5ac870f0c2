"""The canaries of a machine, or of a server that runs already: the same short work before each session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.history.steps.step_text import others_text
from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.checked.facts import is_oversize_fact
from app.protocol.others import DISTURBED
from app.stats.between import between_plan_variance

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
    of_server: bool  # whether the server of the session, which runs already, was measured


_SELECT = (
    "SELECT session.id, session.name, session.started_at, contender_key, content FROM fact"
    " JOIN session ON session = session.number WHERE fact.name = ?"
)


def canary_runs(history: History, machine_key: str) -> list[CanaryRun]:
    """The latest canary runs of a machine, the newest first."""
    more = " AND machine_key = ? ORDER BY session.started_at DESC LIMIT ?"
    return [run for _, run in _runs(history.query(_SELECT + more, (FACT, machine_key, _MOST)))]


def canaries_of(history: History, sessions: Sequence[str]) -> dict[str, CanaryRun]:
    """The canary run of the machine before each of these sessions; not of those that have none."""
    more = f" AND session.id IN ({', '.join('?' * len(sessions))})"
    runs = _runs(history.query(_SELECT + more, (FACT, *sessions)))
    return {id_: run for id_, run in runs if not run.of_server}


def _runs(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, CanaryRun]]:
    for id_, name, at, contender, content in rows:
        if not is_oversize_fact(fact := unpack_json(content)):
            figures = (float(fact["reads"]), float(fact["commits"]))
            server, key = fact["build"], fact["key"]
            disturbed = _disturbed(fact["others"])
            yield id_, CanaryRun(name, at or 0.0, server, key, *figures, disturbed, key == contender)


def _disturbed(others: Mapping[str, Any]) -> str:
    """The text on what disturbed a run, without its mark."""
    text = others_text(others)
    return text or (DISTURBED if others.get("causes") else "")


def canary_results(history: History, machine_key: str, server_key: str = "") -> list[float]:
    """The results of canary runs, the newest first, for verdicts across time.

    They are those of the machine, or of a server that runs already, by the key of its contender.
    """
    runs = canary_runs(history, machine_key)
    if server_key:
        return comparable_canary_results(run for run in runs if run.of_server and run.key == server_key)
    return comparable_canary_results(runs_of_machine(runs))


def runs_of_machine(runs: Iterable[CanaryRun]) -> list[CanaryRun]:
    return [run for run in runs if not run.of_server]


def comparable_canary_results(runs: Iterable[CanaryRun]) -> list[float]:
    """Reads or commits of the runs, whichever vary more.

    Those of the server that is the canary now, but for the disturbed ones: these are left out of cells too.
    """
    found = list(runs)
    quiet = [each for each in found if each.key == found[0].key and not each.disturbed]
    figures = ([each.reads for each in quiet], [each.commits for each in quiet])
    return max(figures, key=lambda each: between_plan_variance(each).variance)
