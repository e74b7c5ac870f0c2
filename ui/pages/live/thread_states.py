"""The states of client threads as one chart: a choice for the last chart of the page."""

from __future__ import annotations

from collections.abc import Sequence

from app.history.series import SeriesEntry
from app.protocol.thread_states import STATES, series_of
from ui.core.theme import Theme
from ui.widgets.charts.lines import Line

CLIENT_STATES = "threads"  # the name of the choice
SERIES = tuple(map(series_of, STATES))
_LABELS = {"runnable": "CPU wait"}
_CHOICE: SeriesEntry = {
    "name": CLIENT_STATES,
    "unit": "%",
    "kind": "gauge",
    "direction": "",
    "label": "Client threads",
}


def with_states(series: Sequence[SeriesEntry]) -> list[SeriesEntry]:
    """The choices: first the states of client threads, if the session has them."""
    has_states = any(each["name"] in SERIES for each in series)
    return [*([_CHOICE] if has_states else []), *series]


def series_of_choice(name: str) -> tuple[str, ...]:
    """The series that a choice draws."""
    return SERIES if name == CLIENT_STATES else (name,) if name else ()


def state_lines(theme: Theme) -> list[Line]:
    """Areas on each other, what runs at the bottom."""
    return [
        Line(series_of(state), _LABELS.get(state, state), theme.state(state), stacked=True)
        for state in STATES
    ]
