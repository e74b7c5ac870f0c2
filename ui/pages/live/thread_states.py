"""The states of client threads as one chart: a choice for the last chart of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.history.steps.series import SeriesEntry
from app.protocol.thread_states import STATES, state_share_series
from ui.core.theme import Theme
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.pyramid import GrowingTimeSeries, highest

CLIENT_STATES = "threads"  # the name of the choice
SERIES = tuple(map(state_share_series, STATES))
_LABELS = {"runnable": "CPU wait"}
_CHOICE: SeriesEntry = {
    "name": CLIENT_STATES,
    "unit": "%",
    "kind": "gauge",
    "direction": "",
    "label": "Client threads",
}


def with_thread_states(series: Sequence[SeriesEntry]) -> list[SeriesEntry]:
    """The choices: first the states of client threads, if the session has them."""
    has_states = any(each["name"] in SERIES for each in series)
    return [*([_CHOICE] if has_states else []), *series]


def series_of_choice(name: str) -> tuple[str, ...]:
    """The series that a choice draws."""
    return SERIES if name == CLIENT_STATES else (name,) if name else ()


def seen_states(tracks: Mapping[str, GrowingTimeSeries]) -> tuple[str, ...]:
    """The states that a session has had: others need no entry in the legend."""
    return tuple(state for state in STATES if _is_seen(tracks.get(state_share_series(state))))


def _is_seen(track: GrowingTimeSeries | None) -> bool:
    return track is not None and bool(len(track)) and float(highest(track.between(0, len(track))[1])) > 0


def thread_state_areas(theme: Theme, states: Sequence[str]) -> list[ChartLine]:
    """Areas on each other, what runs at the bottom."""
    return [
        ChartLine(state_share_series(state), _LABELS.get(state, state), theme.state(state), stacked=True)
        for state in states
    ]
