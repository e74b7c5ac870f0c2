"""Curves of contenders that take turns: each slice beside the same slice of the others, and their ratio."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.history.recorded.writing import JournalStorer
from app.history.steps.timeline import timeline
from app.history.store.decoding import decode_events
from app.history.store.history import History
from app.protocol.events import encode
from tests import sliced
from tests.plans import MARIADB
from tests.ui.contenders import (
    POINT,
    UPDATE,
    Contender,
    begun,
    made_plan,
    points,
    samples,
    take_turns,
)
from ui.pages.live.charts import ratio_text
from ui.pages.live.curves import QPS, SessionCurves
from ui.pages.live.round import OtherContenderCurves, Ratio

Read = Callable[..., OtherContenderCurves]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """What is stored of the contenders, as the page reads it; one of them is shown."""

    def make(makers: Sequence[Contender], shown: int = 0, events: int = 10_000) -> OtherContenderCurves:
        with History(tmp_path) as history:
            for maker in makers:
                raw = b"".join(encode(event) for event in maker.events[:events])
                JournalStorer(history).append(maker.plan.id, maker.session, 0, raw)
            found = [timeline(history, each.session, (QPS,)) for each in makers]
        curves = [SessionCurves(each, (QPS,)) for each in found]
        others = [each for at, each in enumerate(curves) if at != shown]
        its_round = OtherContenderCurves(curves[shown], others, [each.overview.session for each in found])
        its_round.advance()
        return its_round

    return make


def ratio(its_round: OtherContenderCurves, step: int = POINT) -> Ratio:
    ((_, found),) = its_round.ratios(step)
    return found


@pytest.mark.parametrize("shown", [0, 1])
def test_a_slice_of_the_other_is_drawn_where_the_same_slice_is_here(read: Read, shown: int) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 4))
    here, other = makers[shown], makers[1 - shown]
    its_round = read(makers, shown)
    assert points(its_round.tracks[other.session]) == [
        (t, qps) for (t, _), (_, qps) in zip(samples(here, POINT), samples(other, POINT), strict=True)
    ]


@pytest.mark.parametrize("known", [1, 4, 7, 10, 13, 15, 17])
def test_slices_read_up_to_anywhere_and_continued_by_events(read: Read, known: int) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 4))
    for maker in makers:
        maker.end_step(POINT)
        maker.start_step(UPDATE)
    take_turns(makers, UPDATE, range(-2, 2))
    its_round = read(makers, events=known)
    for maker in makers:
        its_round.shown.take(decode_events(maker.raw) if maker is makers[0] else ())
        its_round.take({maker.session: decode_events(maker.raw)})
        its_round.advance()
    complete = read(makers)
    other = makers[1].session
    assert points(its_round.tracks[other]) == points(complete.tracks[other])
    assert ratio(its_round) == ratio(complete) and ratio(its_round, UPDATE).slices == 2
    breaks = [t for t, qps in points(complete.tracks[other]) if qps is None]
    assert breaks == [complete.shown.bounds[UPDATE].began_t], "no curve leads into the next step"


def test_the_turns_of_others_are_no_gap(read: Read) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 4))
    its_round = read(makers)
    assert its_round.shown.gaps == []
    assert None not in [qps for _, qps in points(its_round.shown.tracks[QPS])]


def test_the_other_is_drawn_no_further_than_the_session_that_is_shown(read: Read) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 2))
    second.slice(POINT, 2, 5000.0)
    its_round = read(makers)
    assert len(points(its_round.tracks[second.session])) == 4
    first.slice(POINT, 2, 2500.0)
    its_round.shown.take(decode_events(first.raw))
    its_round.advance()
    assert points(its_round.tracks[second.session])[-1] == (first.events[-1].t, 5000.0)


@pytest.mark.parametrize("is_written", [True, False])
def test_a_lost_slice_is_a_gap(read: Read, is_written: bool) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(2))
    first.slice(POINT, 2, 1000.0)
    if is_written:
        second.slice(POINT, 2, None)
    take_turns(makers, POINT, range(3, 5))
    its_round = read(makers)
    assert [qps is None for _, qps in points(its_round.tracks[second.session])] == [
        False, False, True, False, False,
    ]  # fmt: skip
    assert ratio(its_round).slices == 4 and ratio(its_round).left_out == 1


def test_the_ratio_is_the_mean_of_logarithms_with_students_interval(read: Read) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 0), factor=50.0)  # the warm-up does not count
    for s, apart in enumerate((0.4, 0.5, 0.6)):
        first.slice(POINT, s, 1000.0)
        second.slice(POINT, s, 1000.0 * math.exp(apart))
    found = ratio(read(makers))
    half = 4.302653 * 0.1 / math.sqrt(3)  # of Student's t with two degrees of freedom
    assert found.value == pytest.approx(math.exp(0.5)) and found.slices == 3
    assert found.interval == pytest.approx((math.exp(0.5 - half), math.exp(0.5 + half)), rel=1e-6)
    assert ratio(read(makers, shown=1)) == found, "of the same contender, whichever is shown"


@pytest.mark.parametrize("shown", [0, 1, 2])
def test_of_three_contenders_each_is_related_to_the_first(read: Read, shown: int) -> None:
    three = made_plan([sliced.INNODB, sliced.ROCKSDB, sliced.MYISAM])
    makers = begun(three)
    for s in range(4):
        for maker, qps in zip(makers, (1000.0, 500.0, 3000.0), strict=True):
            maker.slice(POINT, s, qps)
    its_round = read(makers, shown)
    assert [(each["id"], round(its.value, 9), its.slices) for each, its in its_round.ratios(POINT)] == [
        (makers[1].session, 0.5, 4), (makers[2].session, 3.0, 4),
    ]  # fmt: skip
    said = ratio_text(its_round, its_round.shown.bounds[POINT])
    assert said.count("turn") == 1 and said.endswith(f"of {MARIADB}-innodb-default's QPS in 4 turns")


def test_a_step_of_one_slice_each_says_so(read: Read) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(1))
    for maker in makers:
        maker.end_step(POINT)
    its_round = read(makers)
    shown = ratio_text(its_round, its_round.shown.bounds[POINT])
    said = f"{MARIADB}-rocksdb-default 2.000 of {MARIADB}-innodb-default's QPS"
    assert shown == f"point-query threads=2, repeat 1 alone, one turn of each, not judged: {said}"


def test_one_slice_has_no_interval_and_slices_without_queries_are_left_out(read: Read) -> None:
    first, second = makers = begun(made_plan())
    assert read(makers).ratios(POINT) == []
    for s, (ours, theirs) in enumerate([(1000.0, 0.0), (0.0, 1000.0), (1000.0, 500.0)]):
        first.slice(POINT, s, ours)
        second.slice(POINT, s, theirs)
    found = ratio(read(makers))
    assert found == (pytest.approx(0.5), None, 1, 2)


def test_of_very_many_slices_a_paint_takes_up_the_new_ones(read: Read, monkeypatch: Any) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(600))
    its_round = read(makers)
    logs: list[float] = []
    monkeypatch.setattr("ui.pages.live.round.log", lambda value: logs.append(value) or math.log(value))
    take_turns(makers, POINT, range(600, 602))
    its_round.shown.take(decode_events(makers[0].raw))
    its_round.take({makers[1].session: decode_events(makers[1].raw)})
    its_round.advance()
    assert ratio(its_round).slices == 602 and len(logs) == 2
