"""Lines of several load targets as one: counts, seconds, latencies; and lines that are none."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.agent.load.clocks import RemoteClockOffset
from app.agent.load.merging import LoadLineMerger, UnreadableLineError
from app.agent.sampling.figures import latency_of
from app.protocol.latency import bucket_at, buckets_of

ROWS = {"read": 0, "inserted": 0, "updated": 0, "deleted": 0}
COUNTS = {"reads": 0, "writes": 0, "other": 0, "errors": 0, "reconnects": 0, "control": 0}


def line(kind: str, events: list[float], time_s: float = 1.0, **more: Any) -> dict[str, Any]:
    """A line of these latencies in ms."""
    counts: dict[int, int] = {}
    for each in events:
        counts[bucket_at(each)] = counts.get(bucket_at(each), 0) + 1
    found = {name: of(events) if events else None for name, of in (("min", min), ("max", max))}
    mean = sum(events) / len(events) if events else None
    return {
        "type": kind, "time_s": time_s, "interval_s": 1.0, "measured": True, "threads": 2, "clients": 2,
        "events": len(events), "rows": dict(ROWS, read=len(events)), **COUNTS, "reads": len(events),
        "buckets": buckets_of(counts), "latency_ms": {**found, "avg": mean}, **more,
    }  # fmt: skip


def test_percentiles_are_those_of_all_events_pooled() -> None:
    """Three load targets, one of them ten times slower: within one bucket of the pooled events."""
    chance = random.Random(1)
    of_each = [[chance.lognormvariate(mean, 0.7) for _ in range(3000)] for mean in (0.0, 0.3, 2.3)]
    merging = LoadLineMerger(3)
    lines = [made for at, events in enumerate(of_each) for made in merging.take(at, line("total", events))]
    (total,) = lines
    pooled = sorted(each for events in of_each for each in events)
    found = latency_of(total)
    for percent in (50, 95, 99):
        exact = pooled[len(pooled) * percent // 100 - 1]
        assert abs(bucket_at(found[f"p{percent}"]) - bucket_at(exact)) <= 1
    assert found["min"] == pooled[0] and found["max"] == pooled[-1]
    assert found["avg"] == pytest.approx(sum(pooled) / len(pooled))
    assert total["events"] == total["rows"]["read"] == 9000 and total["clients"] == 6


def test_a_second_is_whole_once_all_have_said_it() -> None:
    merging = LoadLineMerger(2)
    assert merging.take(0, line("second", [1.0] * 5, 1.0)) == []
    assert merging.take(0, line("second", [1.0] * 6, 2.0)) == []
    (first,) = merging.take(1, line("second", [9.0] * 2, 1.002))
    assert (first["events"], first["time_s"], first["threads"]) == (7, 1.002, 4)
    assert first["p95_ms"] == pytest.approx(9.0, rel=0.02)
    (second,) = merging.take(1, line("second", [], 1.999))
    assert second["events"] == 6


def test_who_has_ended_is_not_waited_for() -> None:
    """Steps that are bounded by events end at different times."""
    merging = LoadLineMerger(2)
    merging.take(0, line("total", [1.0] * 3, 2.0))
    assert merging.end(0) == []
    assert merging.take(1, line("second", [1.0], 3.0))[0]["events"] == 1
    (total,) = merging.take(1, line("total", [2.0] * 4, 4.0))
    assert (total["events"], total["time_s"]) == (7, 4.0)


def test_slices_are_added_by_their_number() -> None:
    merging = LoadLineMerger(2)
    made = [line("slice", [1.0], active_s=2.0, workers=1), line("slice", [3.0], active_s=6.0, workers=3)]
    merging.take(0, {**made[0], "interval_s": 0.8})
    (found,) = merging.take(1, {**made[1], "interval_s": 1.2})
    assert (found["workers"], found["active_s"], found["events"]) == (4, 8.0, 2)
    assert found["interval_s"] == pytest.approx((0.8 + 3 * 1.2) / 4)
    assert merging.take(0, made[0]) == []


@pytest.mark.parametrize(
    "wrong",
    [
        None, [], "total", {}, {"type": 7}, {"type": "news"}, {**line("second", [1.0]), "events": "7"},
        {**line("second", [1.0]), "events": float("inf")}, line("second", [1.0], rows={"read": 1e300}),
        line("second", [1.0], measured=1), line("second", [1.0], buckets=[[1, 2, 3]]),
        line("second", [1.0], buckets=[[1.0, "2"]]), line("total", [1.0], latency_ms={"min": 1}),
        line("second", [1.0], rows={"a": {"b": {"c": {}}}}), {"type": "second", "time_s": 1.0},
        line("second", [1.0], rows={"read": "x"}), line("second", [1.0], rows={"read": None}),
    ],
)  # fmt: skip
def test_lines_that_are_none_are_refused(wrong: object) -> None:
    with pytest.raises(UnreadableLineError):
        LoadLineMerger(1).take(0, wrong)


def test_the_offset_of_a_clock_is_that_of_the_quickest_ping() -> None:
    clock = RemoteClockOffset()
    assert clock.offset() is None
    ahead = 100.0
    for sent, there_s, back_s in ((0.0, 0.010, 0.002), (1.0, 0.0004, 0.0004), (2.0, 0.001, 0.030)):
        clock.add(sent, sent + there_s + ahead, sent + there_s + back_s)
    found = clock.offset()
    assert found is not None
    assert found.seconds == pytest.approx(ahead) and found.error_s == pytest.approx(0.0004)
    clock.add(60.0, 60.005 + ahead, 60.010)  # the quick one is too old now
    assert clock.offset().rtt_s == pytest.approx(0.010)  # type: ignore[union-attr]


def test_one_that_runs_far_ahead_fills_no_memory() -> None:
    merging = LoadLineMerger(2)
    with pytest.raises(UnreadableLineError, match="too far ahead"):
        for second in range(10_000):
            merging.take(0, line("second", [], float(second)))
