"""A search for a limit on a real server: its answer has passed three times, and each try is stored."""

from __future__ import annotations

import pytest

from app.protocol.events import StepEnded
from app.protocol.reading import read
from app.protocol.step_parts import P99LimitSearch
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.sequences import INDEX, LOAD, own_sequence

SEARCH = 'name = "search"\nworkload = "point-query"\nlimit_ms = 50\ncap_s = 400'


@pytest.mark.full
@pytest.mark.alone  # beside other tests it would measure them
@pytest.mark.timeout(900)
def test_the_answer_of_a_search_has_passed_three_times(desktop: Desktop) -> None:
    (desktop.home / "sequences/mine.toml").write_text(own_sequence("mine", LOAD, INDEX, SEARCH, threads=[8]))
    words = ("run", "--sequence", "mine", "--contender", f"{MARIADB}:innodb", "--allow-busy")
    desktop.dyno(*words, limit_s=850)  # the step may take 400 s on a busy machine
    (entry,) = desktop.sessions()
    ended = [each for each in desktop.events(entry["id"]) if isinstance(each, StepEnded)][-1]
    found = ended.limit
    assert ended.outcome == "completed" and ended.value == pytest.approx(found.rate, rel=0.01)
    assert 0.1 * found.closed_rate <= found.rate + 1 <= found.closed_rate + 2
    passed = [each for each in found.tries if each.rate == found.rate and each.passed]
    assert len(passed) == 3
    assert all(each.p99_ms <= 50 and each.events >= 10_000 for each in passed)
    shown = desktop.json("session", "show", "last")["steps"][-1]
    assert read(P99LimitSearch, shown["limit"]) == found and shown["unit"] == "queries/s"
    assert f"try {len(found.tries)}:" in desktop.dyno("session", "show", "last").stdout
