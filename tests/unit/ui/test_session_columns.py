"""Which columns the list of sessions shows in a window of a given width."""

from __future__ import annotations

import pytest

from ui.models.heads import initial_columns
from ui.models.session_columns import history_list_columns

GROUPS = ("point-query", "scan-heavy", "write-heavy")
GONE = {
    1888: [],
    1400: ["Build", "Sequence", "Tags"],
    1232: ["Build", "Sequence", "Length", "Tags"],
}


@pytest.mark.parametrize("room", GONE)
def test_a_narrow_list_does_without_what_the_detail_shows_too(room: int) -> None:
    known = history_list_columns(GROUPS)
    shown = initial_columns(known, room)
    assert sum(known[at].width for at in shown) <= room
    hidden = [column.title for at, column in enumerate(known) if column.is_first_shown and at not in shown]
    assert hidden == GONE[room]


def test_the_figures_stay_however_narrow_it_is() -> None:
    known = history_list_columns(GROUPS)
    titles = [known[at].title for at in initial_columns(known, 100)]
    assert titles == ["Name", "State", "Contender", "Date", "Verdict", *(f"QPS {group}" for group in GROUPS)]
