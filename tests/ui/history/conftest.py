"""A History page of five sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.store.history import History
from tests import journals
from tests.ui.history.hand import FAILED, IDS, LOST, OTHER, PLAN, Hand, shown
from ui.core.context import WindowContext


@pytest.fixture
def five_sessions(dyno_home: Path) -> Path:
    """Five sessions: completed, with a failed step, lost, waiting; and one elsewhere."""
    lost = journals.Maker(PLAN, IDS[LOST]).begin()
    lost.step(0)
    makers = [journals.whole(PLAN, IDS[0]), journals.whole(PLAN, IDS[FAILED], failed=3), lost]
    with History(dyno_home) as history:
        for maker in [*makers, journals.Maker(PLAN, IDS[3]).planned(), journals.whole(OTHER)]:
            JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
        record_unlocked_journals(history, [IDS[LOST]])
    return dyno_home


@pytest.fixture
def hand(five_sessions: Path, context: WindowContext, qtbot: QtBot) -> Hand:
    """All sessions in one list: plans are in test_by_plan."""
    context.memory.keep("history/by plan", False)
    return shown(context, qtbot)
