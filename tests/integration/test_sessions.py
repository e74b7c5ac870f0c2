"""Whole sessions on every engine and build at hand, from the command line to the history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.engines import engine_of
from app.engines.counter import SHARE
from app.history.store.distributions import counts_by_bucket, decode_distributions
from app.protocol.events import Fact, MomentEvent, Sample, SessionEnded, StepEnded, StepStarted
from app.protocol.latency import counts_of, without
from tests.installed import MARIADB, VERSION
from tests.integration.desktop import READ, Desktop

LOST = 0.75  # of the events, most, where a busy machine has lost the line of one of two seconds
ENGINES = ("innodb", "rocksdb", "myisam", "aria")
OF_MYSQL = ["innodb", pytest.param("myisam", marks=pytest.mark.full)]
COMPRESSION = {
    "innodb": "row format dynamic",
    "rocksdb": "every level Snappy; files by Snappy",
    "myisam": "row format fixed",
    "aria": "row format page",
}


def facts_of(desktop: Desktop, session: str) -> dict[str, Any]:
    return {event.name: event.value for event in desktop.events(session) if isinstance(event, Fact)}


def check_complete(desktop: Desktop, entry: dict[str, Any]) -> None:
    """All steps, every second of them, an end that counts its events, and nothing left on the target."""
    events = desktop.events(entry["id"])
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    last = events[-1]
    assert isinstance(last, SessionEnded), last
    assert (last.outcome, last.reason, last.events) == ("completed", "", len(events))
    check_seconds(events)
    assert not list(desktop.target.glob("sessions/*/data"))
    assert not list(desktop.target.glob("trash/*"))
    assert desktop.agent_pid() == 0


def check_seconds(events: list[Any]) -> None:
    """Every second of the driven steps once: one of warm-up, two measured, one more where it ends late."""
    for step in [event.step for event in events if isinstance(event, StepStarted)][-2:]:
        seconds = [event.s for event in events if isinstance(event, Sample) and event.step == step]
        assert seconds in ([-1, 0, 1], [-1, 0, 1, 2]), seconds
        check_latencies(events, step)


def check_latencies(events: list[Any], step: int) -> None:
    """The latencies of the seconds are those of the step, but of events that end after the last second."""
    found = [each for each in events if isinstance(each, Sample) and each.step == step and each.s >= 0]
    (ended,) = [each for each in events if isinstance(each, StepEnded) and each.step == step]
    whole = counts_of(ended.buckets)
    left = without(whole, counts_by_bucket(decode_distributions([each.latency for each in found]).total()))
    assert sum(whole.values()) == pytest.approx(ended.totals.events, rel=0.05)
    is_whole = all(each.latency is not None for each in found)
    if found[-1].derived and is_whole:
        assert not left
    else:
        assert sum(left.values()) < (0.5 if is_whole else LOST) * sum(whole.values())


def test_a_session_of_each_engine(desktop: Desktop) -> None:
    contenders = [f"{MARIADB}:{engine}" for engine in ENGINES]
    desktop.dyno("run", *desktop.plan(*contenders, sequence="settled"), limit_s=300)
    entries = desktop.sessions()
    assert [entry["contender"]["engine"] for entry in entries] == list(ENGINES)
    for entry in entries:
        check_session(desktop, entry, entry["contender"]["engine"])


def check_session(desktop: Desktop, entry: dict[str, Any], engine: str) -> None:
    """That it went well, has all it must have, and tells the truth of its tables."""
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    check_complete(desktop, entry)
    facts = facts_of(desktop, entry["id"])
    assert f"engine={engine}" in facts["create_table"].lower()
    assert "latin1" in facts["create_table"]
    assert facts["variables"]["version"].startswith(VERSION)
    assert sum(facts["rows_counted"].values()) == facts["analysed"]["rows"] == 4000
    assert facts["analysed"]["estimate"] == pytest.approx(4000, rel=0.2)
    check_analysed(desktop.events(entry["id"]))
    assert ("cf_options" in facts) == (engine == "rocksdb")
    assert facts["compression"]["in_force"] == COMPRESSION[engine]
    assert [each["name"] for each in facts["compression"]["tables"]] == ["sbtest1", "sbtest2"]
    check_figures(desktop, entry["id"])


def check_analysed(events: list[Any]) -> None:
    """Once, between the end of the index step and the begin of the next one."""
    ended = next(each for each in events if isinstance(each, StepEnded) and each.step == 1)
    started = next(each for each in events if isinstance(each, StepStarted) and each.step == 2)
    (mark,) = [each for each in events if isinstance(each, MomentEvent) and each.name == "analysed"]
    assert ended.t < mark.t < started.t
    assert mark.value == pytest.approx(mark.t - ended.t, abs=1)
    assert not any(each.status.get("com_analyze") for each in events if isinstance(each, StepEnded))


def check_engine_figures(engine: str, step: dict[str, Any], has_reads: bool = True) -> None:
    """Every figure of the panel that this server reports has a value, and shares lie between 0 and 1."""
    panel, found = engine_of(engine).panel, step["engine_figures"]
    may_miss = {figure.name for figure in panel if figure.under}  # where nothing happened to divide by
    assert {figure.name for figure in panel} - found.keys() <= may_miss, found
    assert "cache_hits" in found or not has_reads, found
    shares = [found[figure.name] for figure in panel if figure.unit == SHARE and figure.name in found]
    assert shares and all(0 <= share <= 1 for share in shares), found
    assert all(value >= 0 for value in found.values())


def check_figures(desktop: Desktop, session: str) -> None:
    """Totals, sizes, costs and rows of the ended steps make sense together."""
    shown = desktop.json("session", "show", session)
    steps = {step["name"]: step for step in shown["steps"]}
    assert list(steps) == ["load", "index", "settle.index", "point-query", "update-index"]
    assert all(step["state"] == "completed" for step in steps.values())
    query = steps["point-query"]
    assert query["coordinates"] == {"threads": 2}
    assert query["value"] == pytest.approx(query["queries"] / query["seconds"], rel=0.01)
    assert query["latency_ms"]["p50"] <= query["latency_ms"]["p95"] <= query["latency_ms"]["p99"]
    assert 0 < query["per_query"]["cpu_us"] < 10_000
    assert 0.5 < query["per_query"]["rows_read"] < 2  # one each; of seconds that begin a moment apart
    engine = shown["contender"]["engine"]
    for name in ("point-query", "update-index"):
        check_engine_figures(engine, steps[name], has_reads=engine != "rocksdb")  # memtables may have all
    logged = steps["update-index"]["per_query"]["log_kb"]
    assert logged is None if engine in ("myisam", "aria") else logged > 0
    assert steps["load"]["rows"] == 4000
    assert steps["update-index"]["size_bytes"] > 100_000
    series = desktop.json("session", "series", session, "point-query", "--series", "qps")
    assert series["s"] == [-1, 0, 1]
    rates = [rate for rate in series["values"][1:] if rate is not None]  # a second may be lost at high load
    assert sum(rates) / len(rates) == pytest.approx(query["value"], rel=0.4)


@pytest.mark.full
@pytest.mark.build("mysql-5.6")
@pytest.mark.parametrize("engine", OF_MYSQL)
def test_mysql_56_bootstrapped_from_its_sql_files(desktop: Desktop, build_path: Any, engine: str) -> None:
    carry_out_on(desktop, build_path("mysql-5.6"), engine, "5.6.")


@pytest.mark.full
@pytest.mark.build("mysql-9.7")
@pytest.mark.parametrize("engine", OF_MYSQL)
def test_mysql_9_started_through_a_wrapper(desktop: Desktop, build_path: Any, engine: str) -> None:
    carry_out_on(desktop, build_path("mysql-9.7"), engine, "9.")


@pytest.mark.full
@pytest.mark.build("mysql-8.0")
@pytest.mark.parametrize("engine", OF_MYSQL)
def test_mysql_80_as_its_tarball_lays_it_out(desktop: Desktop, build_path: Any, engine: str) -> None:
    carry_out_on(desktop, build_path("mysql-8.0"), engine, "8.0.")


def carry_out_on(desktop: Desktop, base: Path, engine: str, version: str) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    name = next(each["name"] for each in builds if each["version"].startswith(version))
    desktop.dyno("run", *desktop.plan(f"{name}:{engine}"))
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    check_complete(desktop, entry)
    assert facts_of(desktop, entry["id"])["variables"]["version"].startswith(version)
    for step in desktop.json("session", "show", entry["id"])["steps"][READ:]:
        check_engine_figures(engine, step)


@pytest.mark.full
def test_two_contenders_and_repeats_interleaved_and_compared(desktop: Desktop) -> None:
    contenders = [f"{MARIADB}:{engine}" for engine in ("innodb", "myisam")]
    desktop.dyno("run", *desktop.plan(*contenders, repeats=2, seconds=1), limit_s=240)
    entries = desktop.sessions()
    assert [entry["contender"]["engine"] for entry in entries] == ["innodb", "myisam", "myisam", "innodb"]
    seeds = [[e.seed for e in desktop.events(entry["id"]) if isinstance(e, StepStarted)] for entry in entries]
    assert seeds[0] == seeds[1]
    assert seeds[0] != seeds[2]
    drawn = [seed for seed in seeds[0] + seeds[2] if seed]
    assert len(set(drawn)) == len(drawn)
    ids = [entry["id"] for entry in entries]
    check_columns(desktop, ids)
    check_costs(desktop, ids)
    said = desktop.dyno("gate", *ids[:2], "--difference", "3%", code=3).stdout
    lines = said.splitlines()  # two repeats, or others were at work
    assert any(each.startswith("cannot be told: in ") for each in lines), said


def check_columns(desktop: Desktop, ids: list[str]) -> None:
    """Two repeats of each; that MyISAM has no log is the first thing that differs."""
    found = desktop.json("compare", *ids, "--base", ids[0])
    assert [(each["loads"], each["server_starts"]) for each in found["sessions"]] == [(2, 2)] * 2
    assert {n for row in found["rows"] for n in row["n"]} == {2}
    first = desktop.json("compare", *ids[:2], "--setup")["differences"][0]
    assert (first["group"], first["name"]) == ("durability", "commit")
    assert first["values"][1] == "no log: nothing is safe at commit"


def check_costs(desktop: Desktop, ids: list[str]) -> None:
    """Every cost is known of both columns, but the log that MyISAM has not."""
    found = desktop.json("compare", *ids, "--why", "update-index")
    (entry,) = found["steps"]
    known = {cost["name"]: [n > 0 for n in cost["n"]] for cost in entry["costs"]}
    assert known["log_kb"] == [True, False]
    asked = ("cpu_us", "machine_cpu_us", "context_switches", "rows_read", "size_mb")
    assert all(known[name] == [True, True] for name in asked), known
    assert entry["n"] == [2, 2]
    table = desktop.dyno("compare", *ids, "--why").stdout
    assert table.splitlines()[1] == "As measured" and "Relative to innodb" in table
    assert desktop.refused("compare", *ids, "--why", "nothing").startswith(
        "no step 'nothing': choose one of load"
    )
    assert "No test ran both" in desktop.dyno("compare", *ids, "--pre").stdout


def test_what_a_plan_asks_for_is_in_force(desktop: Desktop) -> None:
    """Table options, cores, a restart after the load, and a password over loopback that nobody keeps."""
    options = {"table_options": "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", "taskset": "0"}
    desktop.dyno("run", *desktop.plan(**options, transport="loopback", start_state="restarted"))
    (entry,) = desktop.sessions()
    check_complete(desktop, entry)
    facts, events = facts_of(desktop, entry["id"]), desktop.events(entry["id"])
    assert facts["transport"] == "loopback"
    assert "KEY_BLOCK_SIZE=8" in facts["create_table"].upper()
    assert facts["compression"]["in_force"] == "row format compressed; pages of 8 KiB, zlib level 6"
    assert [event.name for event in events if isinstance(event, MomentEvent)].count("restarted") == 1
    assert all(event.outcome == "completed" for event in events if isinstance(event, StepEnded))
