"""Journals as they should not be: torn, of another protocol; and that a usual one has no complaint."""

from __future__ import annotations

import json
from typing import Any

from app.protocol.events import (
    PROTOCOL,
    LogEvent,
    UnknownEvent,
)
from tests.integration.desktop import Desktop


def test_a_torn_last_line_is_no_event_yet(recorded: Desktop) -> None:
    (entry,) = recorded.sessions()
    kept = recorded.home / "journals" / f"{entry['id']}.jsonl"
    kept.write_bytes(kept.read_bytes() + b'{"kind":"note","seq":')
    recorded.dyno("follow")
    assert recorded.sessions() == [entry]


def rewrite(recorded: Desktop, protocol: str, *more: dict[str, Any]) -> str:
    """Put a finished session on the target as another agent would have written it, and follow."""
    (path,) = recorded.target.glob("sessions/*/journal.jsonl")
    first, *rest = [json.loads(line) for line in path.read_text().splitlines()]
    first["protocol"] = protocol
    events = [first, *more, *rest]
    for number, event in enumerate(events, 1):
        event["seq"] = number
    events[-1]["events"] = len(events)
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    for forgotten in (*recorded.home.glob("history.sqlite*"), *(recorded.home / "journals").iterdir()):
        forgotten.unlink()
    done = recorded.dyno("follow", code=None)
    return done.stdout + done.stderr


def test_a_newer_minor_protocol_is_read_and_its_new_events_are_kept(recorded: Desktop) -> None:
    rewrite(recorded, "1.7", {"kind": "weather", "t": 0.0, "at": 1.0, "text": "rain"})
    (entry,) = recorded.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    assert [type(event) for event in recorded.events(entry["id"])][1] is UnknownEvent


def test_a_newer_major_protocol_is_refused_with_both_versions(recorded: Desktop) -> None:
    said = rewrite(recorded, "2.0")
    for word in ("2.0", "{}.{}".format(*PROTOCOL), "update Dyno"):
        assert word in said
    (kept,) = (recorded.home / "journals").glob("*.jsonl")
    assert kept.stat().st_size > 1000


def test_what_the_agent_says_of_itself_is_no_traceback(recorded: Desktop) -> None:
    (entry,) = recorded.sessions()
    told = [e.text for e in recorded.events(entry["id"]) if isinstance(e, LogEvent) and e.source == "agent"]
    usual = (
        "no block device",
        "disturbed: ",
        "have no names",
    )  # the former as in memory, the latter by other tests
    assert [text for text in told if not any(word in text for word in usual)] == []
    assert all(path.read_text() == "" for path in recorded.target.glob("plans/*/agent.log"))
