"""Latencies by second: stored with a step, added up over any stretch, of repeats too."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InputError
from app.history.exchange.exporting import export
from app.history.exchange.importing import import_session
from app.history.lists import edits
from app.history.recorded.counting import Cut
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.writing import JournalStorer
from app.history.steps.figures import session_details
from app.history.steps.step_results import endings
from app.history.steps.stretches import WHY_NONE, stretch_percentiles
from app.history.steps.timeline import timeline
from app.history.store.damage import DamagedError
from app.history.store.distributions import (
    counts_by_bucket,
    decode_distributions,
    pack,
    unpack_distributions,
    with_trailing_events,
)
from app.history.store.history import History
from app.history.store.second_latencies import (
    SecondLatencies,
    latencies_by_session,
    latencies_of,
    merge_second_latencies,
)
from app.protocol.events import StepEnded
from app.protocol.latency import BUCKETS, Counts, add, buckets_of, encode
from app.stats.percentiles import percentiles_of
from tests.journals import Maker, contender, plan, steps, whole

SECONDS, READ = 30, 1
PLAN = plan([contender()], repeats=2, its_steps=steps([2], SECONDS))
FIRST, SECOND = (turn.session for turn in PLAN.turns)


def second(s: int, session: str) -> Counts:
    chance = random.Random(f"{session} {s}")
    slow = 200 if s in (0, 1) else 0  # the first two seconds are slower
    return {300 + slow + chance.randrange(80): chance.randrange(1, 40) for _ in range(50)}


def made(session: str, missing: Sequence[int] = ()) -> Maker:
    maker = Maker(PLAN, session).begin()
    maker.latencies = {s: second(s, session) for s in range(-2, SECONDS) if s not in missing}
    for at in range(len(PLAN.steps)):
        maker.step(at)
    return maker.end()


def store(history: History, *makers: Maker) -> None:
    for maker in makers:
        JournalStorer(history).append(PLAN.id, maker.session, 0, maker.raw)


def expected(session: str, first: int, end: int) -> Counts:
    counts: Counts = {}
    for s in range(first, end):
        add(counts, second(s, session))
    return counts


def of_step(history: History, session: str = FIRST) -> SecondLatencies:
    found = latencies_by_session(history, [session], "point-query", {"threads": 2})
    return found[session]


@pytest.fixture
def with_latencies(tmp_path: Path) -> Any:
    with History(tmp_path / "home") as history:
        store(history, made(FIRST), made(SECOND))
        yield history


@pytest.mark.parametrize(("first", "end"), [(0, SECONDS), (-2, 0), (5, 6), (3, 17)])
def test_a_stretch_is_the_sum_of_its_seconds(with_latencies: History, first: int, end: int) -> None:
    assert of_step(with_latencies).between(first, end) == expected(FIRST, first, end)


def test_a_step_at_hand_has_them_too(tmp_path: Path) -> None:
    maker = made(FIRST)
    at = next(
        at for at, event in enumerate(maker.events) if isinstance(event, StepEnded) and event.step == READ
    )
    raw = b"".join(maker.raw.splitlines(keepends=True)[:at])
    with History(tmp_path) as history:
        JournalStorer(history).append(PLAN.id, FIRST, 0, raw)
        assert of_step(history).between(0) == expected(FIRST, 0, SECONDS)
        JournalStorer(history).append(PLAN.id, FIRST, len(raw), maker.raw[len(raw) :])
        assert of_step(history).between(0) == expected(FIRST, 0, SECONDS)
        assert history.query("SELECT count(*) FROM staging") == [(0,)]


def test_a_second_without_them_is_missing_and_nothing_is_made_up(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        store(history, made(FIRST, missing=(7, 8)))
        found = stretch_percentiles(history, [FIRST], "point-query")
        assert (found["seconds"], found["missing"]) == (SECONDS - 2, 2)
        known = [of_step(history).events.known[at] for at in (2 + 6, 2 + 7, 2 + 8, 2 + 9)]
        assert known == [True, False, False, True]


def test_events_after_the_last_second_belong_to_it() -> None:
    codes = ["", encode({5: 1}), encode({7: 2})]
    events, s = decode_distributions(codes), (-1, 0, 1)
    found = with_trailing_events(codes, events, s, {5: 1, 7: 3, 9: 1})
    assert found[:2] == codes[:2] and counts_by_bucket(decode_distributions(found[2:]).total()) == {
        7: 3,
        9: 1,
    }
    assert with_trailing_events(codes, events, s, {}) == codes
    assert with_trailing_events(codes, events, s, {5: 1, 7: 2**40}) == codes  # what nobody measured
    gap = [None, codes[1], None]
    assert with_trailing_events(gap, decode_distributions(gap), s, {5: 9}) == gap


def test_older_sessions_have_none_and_say_so(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        store(history, whole(PLAN))
        assert latencies_by_session(history, [FIRST], "point-query", {"threads": 2}) == {}
        with pytest.raises(InputError, match="has no latencies by second of point-query: Dyno measures"):
            stretch_percentiles(history, [FIRST], "point-query")
        assert timeline(history, FIRST, (), has_latencies=True).stretches[0].latencies is None
        edits.count_only_seconds(history, FIRST, READ, Cut(10, 29))
        step = session_details(history, FIRST)["steps"][READ]
        assert step["latency_ms"]["p95"] == 0.4 and step["cut"] and not step["cut"]["has_latency"]


def test_repeats_add_their_events(with_latencies: History) -> None:
    found = stretch_percentiles(
        with_latencies, [FIRST, SECOND], "point-query", bounds=(3, 9), percents=(99.9, 50)
    )
    counts = expected(FIRST, 3, 9)
    add(counts, expected(SECOND, 3, 9))
    values = percentiles_of(counts, (50, 99.9))
    assert found["percentiles_ms"] == {"p50": values[0], "p99.9": values[1]}
    assert (found["events"], found["seconds"]) == (sum(counts.values()), 12)
    with pytest.raises(InputError, match="seconds 9 to 9: the end must be after the start"):
        stretch_percentiles(with_latencies, [FIRST], "point-query", bounds=(9, 9))
    with pytest.raises(InputError, match="point-query has no such seconds"):
        stretch_percentiles(with_latencies, [FIRST], "point-query", bounds=(900, None))


def test_of_a_cut_step_the_seconds_that_count_count(with_latencies: History) -> None:
    before = session_details(with_latencies, FIRST)["steps"][READ]
    edits.count_only_seconds(with_latencies, FIRST, READ, Cut(2, 29))
    counts = expected(FIRST, 2, 30)
    p50, p95, p99 = percentiles_of(counts, (50, 95, 99))
    step = session_details(with_latencies, FIRST)["steps"][READ]
    assert step["latency_ms"] == {"p50": p50, "p95": p95, "p99": p99} != before["latency_ms"]
    assert step["cut"] and step["cut"]["has_latency"]
    assert stretch_percentiles(with_latencies, [FIRST], "point-query")["percentiles_ms"]["p99"] == p99
    ended = endings(with_latencies, [FIRST], "point-query", {"threads": 2})[FIRST]
    assert ended["buckets"] == buckets_of(counts)
    edits.undo_cut(with_latencies, FIRST, READ)
    assert session_details(with_latencies, FIRST)["steps"][READ]["latency_ms"] == before["latency_ms"]


def test_the_same_second_of_several_sessions_is_one(with_latencies: History) -> None:
    found = merge_second_latencies([of_step(with_latencies), of_step(with_latencies, SECOND)])
    assert found.s.tolist() == list(range(-2, SECONDS))
    both = second(4, FIRST)
    both = dict(both)
    add(both, second(4, SECOND))
    assert found.between(4, 5) == both


def test_they_survive_a_rebuild_and_an_export(with_latencies: History, tmp_path: Path) -> None:
    before = with_latencies.query("SELECT content FROM latency ORDER BY step")
    file = export(with_latencies, FIRST, tmp_path / "session.zip")
    with History(tmp_path / "other") as other:
        import_session(other, file)
        assert of_step(other).between(0) == expected(FIRST, 0, SECONDS)
    with_latencies.connection.close()
    assert rebuild(tmp_path / "home").problems == []
    with History(tmp_path / "home") as again:
        assert again.query("SELECT content FROM latency ORDER BY step") == before


# hostile

BAD = {
    "A": "skips no bucket",
    "AA": "skips no bucket",
    "AgQDA": "skips no bucket",
    "AAB": "skips no bucket",
    "g": "torn",
    "B!": "no digit",
    "B\n": "no digit",
    "\u00e9": "no digit",
    "ggggggB": "too large",
    "AhgBB": "more than 1024 buckets",
    "B" * (BUCKETS + 1): "more than 1024 buckets",
}


@pytest.mark.parametrize("code", BAD)
def test_a_code_that_is_none_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(ValueError, match=BAD[code]):
        decode_distributions(["B", code])
    lines = made(FIRST).raw.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"latency":"A' in line)
    changed = json.dumps({**json.loads(lines[at]), "latency": code}, separators=(",", ":")).encode() + b"\n"
    with History(tmp_path) as history:
        writer = JournalStorer(history)
        writer.append(PLAN.id, FIRST, 0, b"".join([*lines[:at], changed, *lines[at + 1 :]]))
        assert f"cannot be read from event {at + 1} on: a latency code" in writer.refusal(FIRST)


def test_damaged_latencies_are_told_and_not_shown(with_latencies: History) -> None:
    with_latencies.connection.execute("UPDATE latency SET content = x'00'")
    with pytest.raises(DamagedError):
        of_step(with_latencies)


def test_they_are_packed_without_loss() -> None:
    codes = [encode(second(s, FIRST)) if s % 7 else None for s in range(3000)] + [""]
    found, wanted = unpack_distributions(pack(codes)), decode_distributions(codes)
    assert (found.ends == wanted.ends).all() and (found.counts == wanted.counts).all()
    assert (found.buckets == wanted.buckets).all() and (found.known == wanted.known).all()
    assert len(found) == 3001 and counts_by_bucket(found.total(1, 2)) == second(1, FIRST)


def test_a_step_without_any_has_no_block(with_latencies: History) -> None:
    (load,) = with_latencies.query("SELECT number FROM step WHERE kind = 'load' LIMIT 1")
    assert latencies_of(with_latencies.connection, load[0]) is None


@pytest.mark.parametrize(
    ("step", "outcome", "why"),
    [
        ("load", "completed", "a step of kind load runs no sysbench"),
        ("point-query", "failed", "failed: sysbench: FATAL: error 1205"),
        ("point-query", "completed", WHY_NONE),
    ],
)
def test_a_step_without_them_says_why(history: History, step: str, outcome: str, why: str) -> None:
    maker = Maker(PLAN, FIRST).begin()
    reason = "sysbench: FATAL: error 1205" if outcome == "failed" else ""
    for at in range(len(PLAN.steps)):
        maker.step(at, outcome, reason)
    store(history, maker.end())
    with pytest.raises(InputError, match=f"no latencies by second of {step}: {why}$"):
        stretch_percentiles(history, [FIRST], step)
