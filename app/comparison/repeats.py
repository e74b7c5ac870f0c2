"""How much of each other the sessions of a column are: from one load or from several, by how many servers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.units import count_text
from app.history.figures import facts
from app.history.history import History

_USED = re.compile(r"snapshot (\w+)")  # of a start state: a copy of that data set
_KEPT = re.compile(r"fresh, kept as snapshot (\w+)")  # the load that it is a copy of


@dataclass(frozen=True)
class Counts:
    """None where no session has told."""

    loads: int | None = None
    server_starts: int | None = None


def counts_of(history: History, sessions: Sequence[str]) -> Counts:
    """Of sessions that have begun: each starts a server of its own, and loads or takes a copy."""
    told = [facts(history, session, "start_state")[-1:] for session in sessions]
    states = [each[0]["value"] for each in told if each]
    return Counts(loads_of(states), len(states)) if states else Counts()


def loads_of(states: Sequence[Mapping[str, object]]) -> int:
    """Copies of one data set share the load that it was made of, whichever session that was."""
    texts = [str(state.get("load", "")) for state in states]
    fresh = [text for text in texts if not _USED.match(text)]
    kept = {found[1] for text in fresh if (found := _KEPT.match(text))}
    used = {found[1] for text in texts if (found := _USED.match(text))}
    return len(fresh) + len(used - kept)


def repeats_text(repeats: int, loads: int | None, server_starts: int | None) -> str:
    """`5 repeats: 1 load, 5 server starts`."""
    said = count_text(repeats, "repeat")
    if loads is None or server_starts is None:
        return said
    return f"{said}: {count_text(loads, 'load')}, {count_text(server_starts, 'server start')}"


def start_text(state: Mapping[str, object]) -> str:
    """What the first step found, and where the data came from."""
    pause = f", {state['pause_s']} s of pause before" if state.get("pause_s") else ""
    return f"{state.get('start', 'unknown')}, load {state.get('load', 'unknown')}{pause}"
