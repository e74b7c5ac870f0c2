"""A history file that was overwritten in places: each reader answers, or says what to do."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from app.core.errors import DynoError
from app.history.lists.sessions import sessions
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import session_details, settings
from app.history.steps.series import series
from app.history.store.history import History
from tests import journals

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")])
PAGE = 4096


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("intact")
    with History(home) as history:
        for turn in PLAN.turns:
            maker = journals.whole(PLAN, turn.session)
            JournalStorer(history).append(PLAN.id, turn.session, 0, maker.raw)
    return home


def ask(home: Path) -> None:
    session = PLAN.turns[0].session
    with History(home) as history:
        for question in (lambda: sessions(history), lambda: session_details(history, session),
                         lambda: settings(history, session),
                         lambda: series(history, session, "point-query", threads=1)):  # fmt: skip
            try:
                question()
            except DynoError as error:
                assert "dyno doctor" in str(error) or "no session" in str(error), error


@pytest.mark.parametrize("seed", range(12))
def test_overwritten_pages_are_told_and_the_journals_give_it_back(
    intact: Path, tmp_path: Path, seed: int
) -> None:
    home = tmp_path / "home"
    shutil.copytree(intact, home)
    path, draw = home / "history.sqlite", random.Random(seed)
    with path.open("r+b") as file:
        for _ in range(draw.choice((1, 3, 10))):
            file.seek(draw.randrange(1, path.stat().st_size // PAGE) * PAGE + draw.choice((0, 0, 100, 2000)))
            file.write(draw.randbytes(draw.choice((16, 400, 2000))))
    try:
        ask(home)
    except DynoError as error:
        assert "dyno doctor" in str(error)
    rebuild(home)
    with History(home) as history:
        assert {entry["state"] for entry in sessions(history)} == {"completed"}
        assert len(session_details(history, PLAN.turns[0].session)["steps"]) == len(PLAN.steps)
