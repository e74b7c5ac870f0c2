"""Engines of which Dyno has no facts: what they can do is measured, for the rest the server is quoted."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.events import Fact, SeriesDeclared, SessionEnded, StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import DRIVES, Desktop, own_marks
from tests.sequences import CALM, LOAD, SETTLED, own_sequence

SEQUENCE = own_sequence("others", LOAD, SETTLED, *DRIVES, f'workload = "insert"\n{CALM}')


@pytest.fixture
def others_desktop(desktop: Desktop) -> Desktop:
    (desktop.home / "sequences" / "others.toml").write_text(SEQUENCE)
    return desktop


def run(desktop: Desktop, *engines: str, code: int = 0, sequence: str = "others", **options: Any) -> str:
    """A plan of one session for each; gives what it said."""
    words = [word for engine in engines for word in ("--contender", f"{MARIADB}:{engine}")]
    words += [word for name, value in options.items() for word in (f"--{name}", str(value))]
    done = desktop.dyno("run", "--target", "local", "--sequence", sequence, *words, code=code)
    return done.stdout + done.stderr


def events(desktop: Desktop, engine: str, kind: type[Any]) -> list[Any]:
    (session,) = (each["id"] for each in desktop.sessions() if each["name"].endswith(f"-{engine}"))
    return [each for each in desktop.events(session) if isinstance(each, kind)]


def steps(desktop: Desktop, engine: str) -> dict[str, StepEnded]:
    names = ("load", "index", "settle.index", "point-query", "update-index", "insert")
    return {names[each.step]: each for each in events(desktop, engine, StepEnded)}


@pytest.mark.full
def test_memory_goes_through_a_sequence_with_nothing_set(others_desktop: Desktop) -> None:
    said = run(others_desktop, "memory:stock")
    assert said.count("Dyno does not know memory") == 1
    found = steps(others_desktop, "memory")
    assert {each.outcome for each in found.values()} == {"completed"}
    of_a_busy_machine = {"rate-missed"}
    assert {mark for each in found.values() for mark in own_marks(each.marks)} <= of_a_busy_machine
    assert found["point-query"].value and found["insert"].rows["in_tables"] > 4000
    assert found["insert"].sizes["tables"] < 100_000  # its rows are on no disk
    facts = {each.name: each.value for each in events(others_desktop, "memory", Fact)}
    assert "ENGINE=MEMORY" in facts["create_table"] and facts["compression"]["in_force"] == ""
    assert sum(facts["rows_counted"].values()) == found["insert"].rows["in_tables"]
    (declared,) = events(others_desktop, "memory", SeriesDeclared)
    names = {each.name for each in declared.series}
    assert {
        "memory.rows_written",
        "memory.rows_updated",
        "memory.lock_waits",
        "server.handler_reads",
    } <= names


@pytest.mark.full
def test_rows_that_a_restart_takes_away_are_not_measured(others_desktop: Desktop) -> None:
    run(others_desktop, "memory", code=1, **{"start-state": "restarted"})
    (ended,) = events(others_desktop, "memory", SessionEnded)
    assert ended.outcome == "failed"
    assert ended.reason == ("the tables are empty after the restart: memory does not store its rows")
    driven = [each for each in events(others_desktop, "memory", StepEnded) if each.step > 3]
    assert driven == []


@pytest.mark.full
def test_what_archive_cannot_do_is_quoted_and_the_session_goes_on(others_desktop: Desktop) -> None:
    run(others_desktop, "archive", code=1)
    found = steps(others_desktop, "archive")
    outcomes = {name: each.outcome for name, each in found.items()}
    assert outcomes == {
        "load": "completed", "index": "failed", "settle.index": "completed", "point-query": "completed",
        "update-index": "failed", "insert": "completed",
    }  # fmt: skip
    assert "Too many keys specified; max 1 keys allowed" in found["index"].reason
    assert "Storage engine ARCHIVE" in found["update-index"].reason
    assert [name for name, each in found.items() if "no-index" in each.marks] == [
        "point-query", "update-index", "insert",
    ]  # fmt: skip
    assert found["insert"].sizes["tables"] > 0
    (ended,) = events(others_desktop, "archive", SessionEnded)
    assert ended.outcome == "completed"


def test_an_engine_that_a_build_does_not_list_is_refused(others_desktop: Desktop) -> None:
    said = others_desktop.refused("run", "--sequence", "others", "--contender", f"{MARIADB}:inodb")
    assert "lacks the engine inodb (did you mean innodb?); it has innodb, " in said and "memory" in said


@pytest.mark.full
def test_plugins_of_debian_go_through_the_duel(others_desktop: Desktop) -> None:
    """Packages mariadb-plugin-mroonga and mariadb-plugin-spider: sh install.sh full."""
    said = run(
        others_desktop,
        "mroonga:stock",
        "spider:stock",
        "innodb",
        code=1,
        sequence="duel",
        seconds=1,
        tables=1,
        rows=5000,
    )
    assert said.count("Dyno does not know mroonga, spider") == 1
    for engine in ("mroonga", "innodb"):
        outcomes = [each.outcome for each in events(others_desktop, engine, StepEnded)]
        assert outcomes == ["completed"] * 9, engine
    sizes = [each.sizes for each in events(others_desktop, "mroonga", StepEnded)]
    assert sizes[0]["tables"] > 5000 * 100 and sizes[0]["binlog"] == 0
    (load,) = events(others_desktop, "spider", StepEnded)
    assert load.outcome == "failed" and "Unable to connect to foreign data source" in load.reason
    (ended,) = events(others_desktop, "spider", SessionEnded)
    assert ended.outcome == "failed" and ended.reason.startswith("load failed: ")
