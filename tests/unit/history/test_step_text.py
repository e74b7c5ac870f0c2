"""What people read of a step beside its figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.agent.sampling.figures import marks_of
from app.history.steps.step_text import (
    MARKS,
    coordinate_text,
    existing_server_text,
    named,
    remarks_of,
    remarks_text,
    step_mark_meaning,
)
from app.protocol.step_parts import Totals


def step(**changes: Any) -> Any:
    return {
        "reason": "",
        "marks": [],
        "settled": None,
        "steadiness": None,
        "cut": None,
        "others": {},
        "schedule": None,
        "limit": None,
        "of_kind": None,
        "operation": None,
        "load": None,
        "existing": None,
        **changes,
    }


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("threads", 1, "1 thread"),
        ("cores", 32, "32 cores"),
        ("cpus", "0-3", "CPUs 0-3"),
        ("cpus", "2", "CPU 2"),
        ("volume_rows", 40_000_000, "40,000,000 rows"),
        ("variation", "spin-96", "spin-96"),
        ("rate", 2000, "2,000 events/s"),
        ("mood", "good", "mood=good"),
    ],
)
def test_coordinates_in_words(name: str, value: Any, text: str) -> None:
    assert coordinate_text(name, value) == text


def test_a_name_has_all_but_the_threads() -> None:
    assert named("point-query", {"threads": 8}) == "point-query"
    assert (
        named("point-query", {"threads": 8, "variation": "spin", "cores": 4}) == "point-query, 4 cores, spin"
    )


def test_marks_say_what_they_mean() -> None:
    assert set(marks_of(Totals(errors=2, events=100), after_crash=True)) <= set(MARKS)
    assert step_mark_meaning("capped") == f"capped: {MARKS['capped']}"
    assert step_mark_meaning("of-a-later-dyno") == "of-a-later-dyno"


def test_remarks_in_short_and_in_full() -> None:
    settled = {
        "seconds": 12.0, "waited_for": {"purge": 12}, "capped": False, "left": [], "written_bytes": 1 << 20,
        "steps": ["load"], "run_written_bytes": 4000, "run_written_by": "server", "rows": 10,
        "row_bytes": 100, "write_amplification": 4.0,
    }  # fmt: skip
    assert remarks_of(step()) == remarks_text(step()) == ""
    assert remarks_of(step(marks=["capped"], settled=settled)) == "capped, write amplification 4.00"
    lines = remarks_text(step(reason="error 1205", marks=["capped"], settled=settled)).splitlines()
    assert lines[0] == "error 1205"
    assert lines[1].startswith("capped: ")
    assert lines[2].startswith("load: settled in 12 s (waited for purge 12 s)")


def test_what_load_targets_did() -> None:
    known = {"rtt_ms": 0.21, "network_pct": 42.3, "clock_error_ms": 0.05}
    parts = [
        {"name": "client-1", "threads": 2, "events": 1555, "cpu_pct": 4.2, **known},
        {"name": "client-2", "threads": 1, "events": 1, "cpu_pct": None, **dict.fromkeys(known)},
    ]
    of_two = step(load={"targets": parts, "apart_ms": 0.96})
    assert remarks_text(of_two).splitlines() == [
        "2 load targets, their seconds at most 1.0 ms apart",
        "    client-1: 2 clients, 1,555 events, CPU 4 %, round trip 0.210 ms,"
        " network 42 % of its time or more, clock within 0.05 ms",
        "    client-2: 1 client, 1 event",
    ]
    assert remarks_of(of_two) == ""
    alone = step(load={"targets": parts[:1], "apart_ms": None})
    assert remarks_text(alone).splitlines()[0] == "1 load target"


def test_the_lines_of_the_docs_are_those_of_dyno() -> None:
    names = ("name", "threads", "events", "cpu_pct", "rtt_ms", "network_pct", "clock_error_ms")
    rows = (("client-1", 2, 1346, 4.0, 0.019, 9.0, 0.37), ("client-2", 1, 692, 4.0, 0.013, 7.0, 0.32))
    parts = [dict(zip(names, row, strict=True)) for row in rows]
    lines = remarks_text(step(load={"targets": parts, "apart_ms": 1.4}))
    assert f"point-query threads=3: {lines}\n```" in Path("docs/load.md").read_text()


def test_what_is_said_of_its_seconds() -> None:
    falls = {"word": "unsteady", "text": "throughput falls 18% over the step"}
    cut = {"first_s": 20, "last_s": 59, "seconds": 60, "reason": "a backup ran", "whole": 1.0}
    cut["has_latency"] = False
    unsteady = step(marks=["unsteady"], steadiness=falls, cut=cut)
    told = ["unsteady: throughput falls 18% over the step", "seconds 20 to 60 of 60 (a backup ran)"]
    assert remarks_of(unsteady) == ", ".join(told)
    costs = "costs cover the whole step"
    assert remarks_text(unsteady).splitlines()[:2] == [told[0], f"{told[1]}; latency and {costs}"]
    cut["has_latency"] = True
    assert remarks_text(unsteady).splitlines()[1] == f"{told[1]}; {costs}"
    words = "no trend of 5% or more, no two levels, no stall in 60 seconds"
    steady = step(steadiness={"word": "steady", "text": words})
    assert remarks_of(steady) == ""
    assert remarks_text(steady).startswith("steady: no trend")


def test_who_disturbed_a_step_takes_the_place_of_the_mark() -> None:
    others = {"cpus": 2, "cpu_pct": 40.0, "programs": [{"name": "rsync", "cpu_pct": 40.0}], "causes": ["cpu"]}
    text = "disturbed: other programs took 40% of 200% CPU: rsync 40%"
    assert remarks_of(step(marks=["disturbed"], others=others)) == text
    assert remarks_text(step(marks=["disturbed"], others=others)) == text
    assert remarks_of(step(others={**others, "causes": []})) == ""


@pytest.mark.parametrize(
    "others", [{"cpus": 2}, {"causes": ["of-a-later-dyno"]}, {"causes": ["cpu"], "cpus": "two"}]
)
def test_without_a_cause_in_words_the_mark_stays(others: dict[str, Any]) -> None:
    assert remarks_of(step(marks=["disturbed"], others=others)) == "disturbed"


def test_a_kind_of_events_says_its_share() -> None:
    kind = {"events": 100.0, "share_pct": 44.94, "rolled_back_pct": 1.0}
    assert remarks_of(step(of_kind=kind)) == "44.9 % of the events, 1.0 % of them rolled back"
    assert remarks_text(step(of_kind={**kind, "rolled_back_pct": 0.0})) == "44.9 % of the events"


def test_the_way_to_a_server_that_runs_already() -> None:
    said = {
        "rtt_before_ms": 0.339, "rtt_during_ms": 4.04, "rtt_after_ms": None, "network_pct": 21.4,
        "relay_cpu_us": 119.6, "others_statements": 0.0,
    }  # fmt: skip
    assert existing_server_text(said) == (
        "SELECT 1 took 0.34 ms before, 4.04 ms during; network 21 % of a query at most;"
        " the relay took 120 us of CPU for each; others sent 0 statements/s"
    )
    assert existing_server_text(None) == existing_server_text({}) == ""


def test_how_far_replicas_lag() -> None:
    lag = {
        "name": "replica1", "median_ms": 4.031, "p95_ms": 11.97, "longest_ms": 30.2, "resolution_ms": 10.9,
        "beats": 30, "waiting": 0, "lost": 0, "awaited_s": 0.4,
    }  # fmt: skip
    late = {**lag, "name": "replica2", "longest_ms": 125_300.0, "waiting": 9, "awaited_s": 12.0}
    silent = {**lag, "median_ms": None, "p95_ms": None, "longest_ms": None, "lost": 2}
    said = {"rtt_before_ms": 0.339, "of": "replica1", "lags": [lag, late, silent]}
    assert existing_server_text(said) == (
        "on the replica replica1; SELECT 1 took 0.34 ms before;"
        " replica1 lagged: median 4.03 ms, p95 12 ms, longest 30.2 ms (resolution 10.9 ms);"
        " replica2 lagged at least: median 4.03 ms, p95 12 ms, longest 125.3 s (resolution 10.9 ms), after"
        " 12.0 s to catch up; lag of replica1 not known, 2 lags not known as it did not answer"
    )
