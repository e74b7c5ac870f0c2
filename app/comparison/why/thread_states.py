"""What the threads of the clients did in a step: shares of their time by state, and time per query."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import names_of, row_label
from app.core.table import Table
from app.protocol.thread_states import LOCK, STATES, TITLES, UNKNOWN, client_time_figure, shares_text

CLIENT_TIME = tuple(map(client_time_figure, STATES))  # measures
NO_STATES = "No session saw the threads of all its clients, so their time is not known."
_HEADS = {LOCK: "lock", UNKNOWN: "unknown"}  # in a table; other states by their titles


def client_state_shares(row: Row, at: int) -> dict[str, float] | None:
    """Percent of the client threads' time in a column, by state; None where it was not measured."""
    times = {state: row.measures[client_time_figure(state)][at].value for state in STATES}
    known = {state: time for state, time in times.items() if time is not None}
    whole = sum(known.values())
    return {state: 100 * time / whole for state, time in known.items()} if whole > 0 else None


def larger_client_share(row: Row, name: str, places: Sequence[int]) -> float | None:
    """The share of the client threads' time that a measure of CLIENT_TIME is: the larger of two columns."""
    state = STATES[CLIENT_TIME.index(name)]
    found = [shares.get(state, 0.0) / 100 for at in places if (shares := client_state_shares(row, at))]
    return max(found, default=None)


def thread_share_sentences(shares: Sequence[dict[str, float] | None]) -> list[str]:
    """`Client threads in the base: 61 % lock wait of unknown kind, 12 % fsync.`, for base and other."""
    places = zip(("the base", "the other"), shares, strict=True)
    unknown = "their time is not known"
    return (
        [f"Client threads in {where}: {shares_text(each) if each else unknown}." for where, each in places]
        if any(shares)
        else []
    )


def thread_states_table(comparison: Comparison, names: Sequence[str] | None = None) -> Table:
    """A line for each step and column: its shares by state."""
    names = names or names_of(comparison)
    lines = [
        (row_label(row), name, *(f"{shares.get(state, 0.0):.0f}%" for state in STATES), str(row.cells[at].n))
        for row in comparison.rows
        for at, name in enumerate(names)
        if (shares := client_state_shares(row, at))
    ]
    heads = ("step", "column", *(_HEADS.get(state, TITLES[state]) for state in STATES), "n")
    remarks = () if lines else (NO_STATES,)
    title = f"Time of client threads, base {names[comparison.base]}"
    return Table(title, heads, tuple(lines), 2, remarks, fixed=2)
