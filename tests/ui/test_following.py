"""What a follower tells the window comes in parts that are taken in between two frames."""

from __future__ import annotations

from app.following.follower import FollowerLinkState, FollowerNews
from app.history.store.decoding import Events
from app.protocol.events import Note
from ui.core.following import PART, parts

NOTES = [Note(seq=seq, t=0.0, at=0.0, text="") for seq in range(1, 2 * PART + 2)]


def test_many_events_come_in_parts_in_their_order() -> None:
    told = list(
        parts(FollowerNews(FollowerLinkState("up"), {"first": Events(NOTES), "second": Events(NOTES[:1])}))
    )
    assert [len(events) for part in told for events in part.events.values()] == [PART, PART, 1, 1]
    assert [each for part in told for each in part.events.get("first", ())] == NOTES
    assert list(told[-1].events["second"]) == NOTES[:1]


def test_what_ends_the_plan_is_told_with_the_last_part() -> None:
    *before, last = parts(
        FollowerNews(FollowerLinkState("ended"), {"a": Events(NOTES)}, {"a": "a torn line"})
    )
    assert [part.link.state for part in before] == ["up", "up"] and not any(part.refused for part in before)
    assert last.link.state == "ended" and last.refused == {"a": "a torn line"}


def test_an_update_without_events_is_told_as_it_is() -> None:
    update = FollowerNews(FollowerLinkState("down", "no route", 4.0))
    assert list(parts(update)) == [update]
