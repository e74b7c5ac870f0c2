"""What the threads of the server did in the steps of a session, as stored, and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.reading import ShapeError, read
from app.protocol.thread_states import CLIENT, TITLES, ThreadKindShares, ThreadStates

_LEAST_PCT = 1.0  # smaller shares are not mentioned
_AT_WORK = ("running", "runnable", "disk", "fsync")  # a background thread in another state may have no work


def thread_states(history: History, session: str) -> dict[int, dict[str, Any]]:
    """`ThreadStates` as the agent wrote them, by position of the step."""
    rows = history.query(
        "SELECT position, ended FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number WHERE id = ? AND ended IS NOT NULL",
        (session,),
    )
    return {position: unpack_json(ended).get("threads", {}) for position, ended in rows}


def thread_states_texts(states: Mapping[str, Any]) -> Iterator[str]:
    """`4 client threads: 61 % ± 4 lock wait of unknown kind, 12 % ± 3 fsync; n = 420 samples`."""
    try:
        found = read(ThreadStates, states)
    except ShapeError:
        return
    kinds = found.kinds
    if found.problem:
        yield f"client threads: their time is not known ({found.problem})"
    elif CLIENT in kinds:
        yield _text(CLIENT, kinds[CLIENT], tuple(TITLES))
    for name, kind in kinds.items():
        if name != CLIENT and any(kind.pcts.get(state, 0.0) >= _LEAST_PCT for state in _AT_WORK):
            yield _text(name, kind, _AT_WORK)


def _text(name: str, kind: ThreadKindShares, states: tuple[str, ...]) -> str:
    shares = [
        (state, each) for state, each in kind.shares.items() if state in states and each.pct >= _LEAST_PCT
    ]
    parts = []
    for state, share in sorted(shares, key=lambda each: -each[1].pct):
        error = "" if share.error_pct is None else f" ± {share.error_pct:.0f}"
        parts.append(f"{share.pct:.0f} %{error} {TITLES[state]}")
    return f"{kind.threads:.0f} {name} threads: {', '.join(parts)}; n = {kind.samples:,} samples"
