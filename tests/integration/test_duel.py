"""The duel: InnoDB and MyRocks in slices, from snapshots after the first round, with a verdict at the end."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.history.steps.figures import plan_of
from app.history.steps.step_text import MARKS
from app.history.store.history import History
from app.protocol.events import Event, Fact, StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop

TWO = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
SMALL = {"sequence": "settled", "order": "slices", "start_state": "snapshot", "seconds": 1, "warmup": 0}
AT_RATE = "(this rate was set beforehand: compare latencies)"
WHY_NONE = (
    "(measured once: the noise is unknown)",
    "(fewer than 3 repeats)",
    AT_RATE,
    f"({MARKS['disturbed']})",
)  # by other tests


def rounds(desktop: Desktop) -> list[list[dict[str, Any]]]:
    """The sessions of each round."""
    found = sorted(desktop.sessions(), key=lambda each: str(each["id"]))
    return [found[at : at + 2] for at in range(0, len(found), 2)]


def load_of(events: list[Event]) -> str:
    """Where its data came from."""
    facts = [each.value for each in events if isinstance(each, Fact) and each.name == "start_state"]
    return str(facts[-1]["load"])


def ended(desktop: Desktop, session: str) -> dict[int, StepEnded]:
    return {each.step: each for each in desktop.events(session) if isinstance(each, StepEnded)}


def check_starts(desktop: Desktop) -> None:
    """The first round loads and keeps what the others start from."""
    first, *later = rounds(desktop)
    keys = {}
    for each in first:
        text = load_of(desktop.events(each["id"]))
        assert text.startswith("fresh, kept as snapshot ")
        keys[each["contender"]["engine"]] = text.rpartition(" ")[2]
    for session in (session for pair in later for session in pair):
        key = keys[session["contender"]["engine"]]
        assert load_of(desktop.events(session["id"])) == f"snapshot {key}, copied"
        loaded = ended(desktop, session["id"])[0]
        assert (loaded.outcome, loaded.reason) == ("skipped", "from the snapshot of this data")


@pytest.mark.full
def test_rounds_in_slices_start_from_snapshots(desktop: Desktop) -> None:
    said = desktop.dyno("run", *desktop.plan(*TWO, repeats=2, **SMALL), limit_s=240).stdout
    assert [each["state"] for each in desktop.sessions()] == ["completed"] * 4
    check_starts(desktop)
    for session in desktop.sessions():
        sliced = [each for each in ended(desktop, session["id"]).values() if "slices" in each.in_force]
        assert len(sliced) == 2 and all(each.outcome == "completed" for each in sliced)
        assert all(each.totals.events > 0 for each in sliced)
        assert sum(fact_of_rows(desktop, session["id"]).values()) == 4000
    unjudged = [line for line in said.splitlines() if re.search(r"([Nn]ot|these is) judged \(", line)]
    assert all(any(why in line for why in WHY_NONE) for line in unjudged), unjudged
    for step in ("load", "point-query threads=2", "update-index threads=2"):
        assert sum(step in line for line in unjudged) == 1


def fact_of_rows(desktop: Desktop, session: str) -> dict[str, int]:
    events = desktop.events(session)
    return next(each.value for each in events if isinstance(each, Fact) and each.name == "rows_counted")


@pytest.mark.full
@pytest.mark.timeout(420)
def test_the_duel_ends_with_a_verdict(desktop: Desktop) -> None:
    said = desktop.dyno("run", "--duel", limit_s=400).stdout
    parts = said.split("\n\n")
    at = next(at for at, part in enumerate(parts) if "all tests: threads=2" in part)
    sentences, table = parts[at - 1], parts[at]
    assert "ratio to InnoDB" in table and "\nlook at it again: dyno compare " in said
    for step in ("point-query", "read-only", "update-index", "insert"):
        assert f"\n{step} " in table
    is_verdict = re.compile("MyRocks (measured )?at |[Nn]ot judged|without a verdict").search
    assert [line for line in sentences.splitlines() if not is_verdict(line)] == []
    check_starts(desktop)
    with History(desktop.home) as history:
        plan = plan_of(history, desktop.sessions()[0]["id"])
    assert [each["name"] for each in plan["steps"] if each["sliced"]] == [
        "point-query", "read-only", "update-index", "insert",
    ]  # fmt: skip
    assert len(rounds(desktop)) == 6
