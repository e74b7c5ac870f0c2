"""How much of each other the sessions of a column are: from one load or from several, by how many servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.units import count_text
from app.history.lists.sessions import SessionEntry
from app.history.recorded.in_words import COPIED, DataAndStartWords
from app.history.steps.figures import facts
from app.history.store.history import History
from app.protocol.plan import Plan

Attempts = list[tuple[SessionEntry, SessionEntry]]  # each that is left out, with the one in its place


@dataclass(frozen=True)
class LoadAndStartCounts:
    """Numbers of loads and server starts; None if unknown."""

    loads: int | None = None
    server_starts: int | None = None


def load_and_start_counts(history: History, sessions: Sequence[str]) -> LoadAndStartCounts:
    """Numbers of loads and server starts of sessions that have begun."""
    latest = [facts(history, session, "start_state")[-1:] for session in sessions]
    states = [DataAndStartWords.of(each[0]["value"]) for each in latest if each]
    return LoadAndStartCounts(count_data_loads(states), len(states)) if states else LoadAndStartCounts()


def count_data_loads(states: Sequence[DataAndStartWords]) -> int:
    """The number of loads: copies of one snapshot share its load, whichever session made it."""
    fresh = [state for state in states if state.source != COPIED]
    used = {state.snapshot for state in states if state.source == COPIED}
    return len(fresh) + len(used - {state.snapshot for state in fresh})


def without_attempts(
    plans: Mapping[str, Plan], entries: Sequence[SessionEntry]
) -> tuple[Sequence[SessionEntry], Attempts]:
    """The last completed attempt of each repeated session, and the attempts left out for it.

    All of them where nothing else is compared.
    """
    attempts: dict[tuple[object, ...], list[tuple[bool, int, SessionEntry]]] = {}
    for entry in entries:
        turn = plans[entry["id"]].turn_of(entry["id"])
        key = (entry["plan"], turn.contender, turn.repeat)
        attempts.setdefault(key, []).append((entry["state"] == "completed", turn.attempt, entry))
    chosen = {key: max(each, key=lambda attempt: attempt[:2])[2] for key, each in attempts.items()}
    if len(chosen) == 1:
        return entries, []
    left_out = [
        (entry, chosen[key])
        for key, each in attempts.items()
        for *_, entry in each
        if entry is not chosen[key]
    ]
    gone = {entry["id"] for entry, _ in left_out}
    return [entry for entry in entries if entry["id"] not in gone], left_out


def attempts_texts(left_out: Attempts) -> list[str]:
    """Which attempt replaces which."""
    return [
        f"{entry['name']} is left out ({_why_left_out(entry)}); {other['name']} replaces it"
        for entry, other in left_out
    ]


def _why_left_out(entry: SessionEntry) -> str:
    return "disturbed" if entry["state"] == "completed" else entry["state"]


def repeats_text(repeats: int, loads: int | None, server_starts: int | None) -> str:
    """`5 repeats: 1 load, 5 server starts`."""
    said = count_text(repeats, "repeat")
    if loads is None or server_starts is None:
        return said
    return f"{said}: {count_text(loads, 'load')}, {count_text(server_starts, 'server start')}"


_SERVER = {"loaded": "server kept running", "restarted": "server restarted"}  # by the start of a plan


def start_state_text(state: DataAndStartWords, has_key: bool = True) -> str:
    """`freshly loaded, server kept running`, `from snapshot ab12, copied`, and the pause before."""
    snapshot = f"snapshot {state.snapshot}" if has_key else "a snapshot"
    if state.source == COPIED:
        parts = [f"from {snapshot}", state.copy]
    else:
        parts = [
            "freshly loaded" if state.source else state.words,
            f"kept as {snapshot}" if state.snapshot else "",
            f"not kept: {state.not_kept}" if state.not_kept else "",
            _SERVER.get(state.start, ""),
        ]
    known = ", ".join(filter(None, parts)) or "unknown"
    return f"{known}, {state.pause_s} s of pause before" if state.pause_s else known
