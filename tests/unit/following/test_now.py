"""How far a running plan is, read once from its target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.core.errors import LinkError
from app.following.adoption import RemotePlan
from app.following.now import line_of, progress_entry, progress_now
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.answers import SessionJournalSize
from app.remote.target import Target

from .scripted import FIRST, PLAN, SECOND, WHOLES, ScriptedStream, beat, piece

RAW = WHOLES[FIRST].raw
UP_TO = RAW.index(b"\n", RAW.rindex(b'"sample"')) + 1  # a step still works
FOUND = RemotePlan(
    Target("local", directories=["/d"]), "/d", PLAN.id, "night", "sha", True,
    [SessionJournalSize(FIRST, UP_TO, False), SessionJournalSize(SECOND, 0, False)],
)  # fmt: skip


class Source:
    """A target that sends parts of its journals."""

    def __init__(self, *parts: bytes | Exception | None) -> None:
        self.stream = ScriptedStream(parts)
        self.offsets: Mapping[str, int] = {}
        self.connection = self.stream

    def follow(self, plan: str, offsets: Mapping[str, int]) -> ScriptedStream:
        self.offsets = offsets
        return self.stream


@pytest.mark.parametrize("stored", [0, RAW.index(b"\n") + 1, UP_TO])
def test_what_follow_shows_without_storing_anything(dyno_home: Path, stored: int) -> None:
    with History(dyno_home) as history:
        if stored:
            JournalStorer(history).append(PLAN.id, FIRST, 0, RAW[:stored])
    rest = [piece(FIRST, RAW[stored:UP_TO], stored)] if stored < UP_TO else []
    source = Source(beat(1), *rest, beat(2))
    progress = progress_now(dyno_home, FOUND, source)
    assert source.offsets[FIRST] == stored and source.stream.closed
    text = line_of(progress)
    assert text.startswith("1/2 innodb") and " queries/s, about " in text and text.endswith(" left")
    entry = progress_entry(progress)
    assert entry["session"] == FIRST and entry["line"] == text and entry["seconds_left"] > 0
    assert entry["queries_per_second"][FIRST] > 0 and entry["step"]
    with History(dyno_home) as history:
        assert JournalStorer(history).offset(FIRST) == stored


def test_a_silent_target_is_said(dyno_home: Path) -> None:
    with pytest.raises(LinkError, match="the connection was closed"):
        progress_now(dyno_home, FOUND, Source(beat(1)))
    with pytest.raises(LinkError, match="nothing was heard for 10 s"):
        progress_now(dyno_home, FOUND, Source(*[None] * 10))
