"""The estimate on the Bench page follows what the target has carried out."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.comparison.answers import self_test
from app.history.machines.measured import MachineHistory
from app.history.store.history import History
from tests.plans import MARIADB, plan
from tests.took import carry_out
from tests.ui.bench.set_up import settle
from ui.core.bus import PartsToReload
from ui.pages.bench import BenchPage


def expected(page: BenchPage) -> tuple[float, str]:
    assert page.outcome is not None and page.outcome.estimate is not None
    return page.outcome.estimate.seconds, page.outcome.estimate.seconds_text


def test_once_a_plan_has_ended_the_next_one_is_estimated_by_it(qtbot: QtBot, page: BenchPage) -> None:
    before, text = expected(page)
    assert "earlier session" not in text
    with History(page.context.home) as history:
        carry_out(history, plan(f"{MARIADB}:innodb"), load=500)
    page.context.plans.ended.emit("the plan")
    qtbot.waitUntil(lambda: "by 1 earlier session here" in expected(page)[1])
    assert expected(page)[0] > before


def test_what_is_known_of_the_machine_is_read_once_until_sessions_change(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes as long as all else of a check, and follows from sessions alone."""
    read = list[str]()
    monkeypatch.setattr(self_test, "machine_measures", lambda _, key: (read.append(key), MachineHistory())[1])

    def check_again(**options: object) -> int:
        page.controller.change(page.controller.draft.with_options(**options))
        settle(qtbot, page)
        return len(read)

    assert check_again(repeats=2) == 0  # the page has read it before
    for sessions, count in ((False, 0), (True, 1)):
        page.context.bus.changed.emit(PartsToReload(sessions=sessions, targets=not sessions))
        assert check_again(repeats=3) == check_again(repeats=4) == count
