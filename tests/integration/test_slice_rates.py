"""A rate in slices, and latencies that are those of a run without a gate."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.integration.gated import Line, began, check_slice, gated, merged, recorded_work
from tests.integration.generated import (
    TABLES,
    Outcome,
    Server,
    Work,
    drive,
    fill,
    p99_of_stop,
    percentile,
    shipped,
)

# times: a slice is a hundred events long at its 99th percentile, and a wait far longer than that; the 99th
# percentile without a gate is 0.14 to 1.17 ms, as two clients and a server share two CPUs
NEAR = {50: 1.8, 95: 1.8, 99: 10.0}

__all__ = ["recorded_work"]

pytestmark = pytest.mark.usefixtures("tables")


def is_kept(line: Line, rate: float) -> bool:
    expected = rate * line["interval_s"]
    is_near = abs(line["events"] - expected) < 4.5 * expected**0.5  # of a Poisson process
    return is_near and percentile(line["buckets"], 50) < 20


def is_kept_in_slices(server: Server, rate: float) -> bool:
    """And stands still while the gate is closed, for as long as this is."""
    found: list[bool] = []
    with gated(server, shipped("point-query", "innodb", threads=6), rate) as run:
        for closed in (0, 0, 1.5, 0, 0.1, 3):
            time.sleep(closed)
            line = run.slice(0.7)
            check_slice(line)
            found.append(is_kept(line, rate))
    return all(found) and run.sum_of("events") / run.sum_of("interval_s") == pytest.approx(rate, rel=0.05)


def test_a_rate_is_kept_and_stands_still_while_the_gate_is_closed(server: Server) -> None:
    """Once of five times: a busy machine carries out events of one slice in the next."""
    assert any(is_kept_in_slices(server, 1000) for _ in range(5))


def stopped(server: Server) -> float:
    """The p99 of a slice with a stop of the server, as a share of what was computed."""
    options = {"arrivals": "even"}
    with gated(server, shipped("point-query", "innodb", threads=8, options=options), 300) as run:
        run.slice(0.3)
        run.open(4)
        time.sleep(0.5)
        stop_s = server.stop(0.2)
        line = run.finish_slice()
    return percentile(line["buckets"], 99) / p99_of_stop(stop_s, line["events"], 300)


def test_a_stop_of_the_server_in_slices_moves_p99_to_its_computed_value(server: Server) -> None:
    """Once of five times: on a busy machine others make events late, and the stop is not as long as asked."""
    found: list[float] = []
    while not found or abs(found[-1] - 1) > 0.05:
        assert len(found) < 5, found
        found.append(stopped(server))


def test_a_schedule_is_that_of_its_seed(server: Server, recorded_work: Work) -> None:
    def gaps(seed: int) -> list[float]:
        for file in recorded_work.folder.glob("began.*"):
            file.unlink()
        work = replace(recorded_work, threads=8, seed=seed)
        with gated(server, work, 100) as run:
            run.slice(0.5)
            run.end()
        moments = began(work)
        return [moment - moments[0] for moment in moments]

    first, again, other = gaps(5), gaps(5), gaps(6)
    assert len(first) > 20
    assert first[:20] == pytest.approx(again[:20], abs=0.03)
    assert first[:20] != pytest.approx(other[:20], abs=0.03)


def test_latency_counts_from_the_moment_an_event_was_due(server: Server, recorded_work: Work) -> None:
    """One client does at most 100 events a second of the 200 it is asked for: half of the time is waiting."""
    with gated(server, replace(recorded_work, threads=1), 200) as run:
        first = run.slice(0.5)
        time.sleep(1)
        second = run.slice(0.5)
    assert first["events"] <= 51
    # at the end of a slice the event of the middle begins: its own 10 ms, and half of the slice
    assert 100 < first["latency_ms"]["max"] < 500
    assert first["latency_ms"]["max"] < second["latency_ms"]["max"] < 900  # and no second of the closed gate


def test_a_rate_nobody_can_keep_up_with_leaves_a_backlog(server: Server, recorded_work: Work) -> None:
    """Three clients do 150 events a second of the two millions: nearly all of the second is behind."""
    with gated(server, replace(recorded_work, threads=3, options={"event_ms": 20}), 2_000_000) as run:
        line = run.slice(1)
        outcome = run.end()
    assert outcome.code == 0, outcome.said
    assert 30 < line["events"] <= 153
    assert outcome.of("schedule")[-1]["behind_s"] == pytest.approx(1, abs=0.05)


def sliced(server: Server, work: Work, seconds: int) -> Outcome:
    """As many seconds in slices of one."""
    with gated(server, work) as run:
        for _ in range(seconds):
            run.slice(1)
            time.sleep(0.2)
        return run.end()


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.parametrize("name", ["point-query", "update-index"])
def test_percentiles_are_near_those_of_a_run_without_a_gate(server: Server, name: str) -> None:
    """Six of each in turn. They may be apart: no more than a wait in an event can be ruled out."""
    fill(server, "innodb", tables=TABLES, rows=50_000)
    ratios: dict[int, list[float]] = {percent: [] for percent in NEAR}
    for turn in range(6):
        seed = 100 + turn
        work = shipped(name, "innodb", seed=seed, rows=50_000)
        plain = drive(server, replace(work, seconds=6)).total["buckets"]
        gate = merged(sliced(server, work, 6).of("slice"))
        for percent, found in ratios.items():
            found.append(percentile(gate, percent) / percentile(plain, percent))
    fill(server, "innodb")
    for percent, found in ratios.items():
        middle = sorted(found)[2:4]
        assert 1 / NEAR[percent] <= sum(middle) / 2 <= NEAR[percent], (percent, found)
