"""How much of each other the sessions of a column are: from one load or from several, by how many servers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.units import count_text
from app.history.lists.sessions import SessionEntry
from app.history.steps.figures import facts
from app.history.store.history import History
from app.protocol.plan import Plan

Attempts = list[tuple[SessionEntry, SessionEntry]]  # each that is left out, with the one in its place

_USED = re.compile(r"snapshot (\w+)")  # of a start state: a copy of that data set
_KEPT = re.compile(r"fresh, kept as snapshot (\w+)")  # the load that it is a copy of


@dataclass(frozen=True)
class Counts:
    """Numbers of loads and server starts; None if unknown."""

    loads: int | None = None
    server_starts: int | None = None


def counts_of(history: History, sessions: Sequence[str]) -> Counts:
    """Numbers of loads and server starts of sessions that have begun."""
    latest = [facts(history, session, "start_state")[-1:] for session in sessions]
    states = [each[0]["value"] for each in latest if each]
    return Counts(loads_of(states), len(states)) if states else Counts()


def loads_of(states: Sequence[Mapping[str, object]]) -> int:
    """The number of loads: copies of one snapshot share its load, whichever session made it."""
    texts = [str(state.get("load", "")) for state in states]
    fresh = [text for text in texts if not _USED.match(text)]
    kept = {found[1] for text in fresh if (found := _KEPT.match(text))}
    used = {found[1] for text in texts if (found := _USED.match(text))}
    return len(fresh) + len(used - kept)


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


def start_text(state: Mapping[str, object]) -> str:
    """`freshly loaded, server kept running`, `from snapshot ab12, copied`, and the pause before."""
    load, pause = str(state.get("load", "")), state.get("pause_s")
    if load.startswith("snapshot "):
        parts = [f"from {load}"]
    else:
        parts = [load.replace("fresh", "freshly loaded", 1), _SERVER.get(str(state.get("start")), "")]
    known = ", ".join(filter(None, parts)) or "unknown"
    return f"{known}, {pause} s of pause before" if pause else known
