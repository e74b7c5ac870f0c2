"""The Live page of a plan in slices: the contenders over one another, and their ratio so far."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.history.counting import Cut
from app.history.decoding import decode_lines
from app.history.edits import cut
from app.history.history import History
from app.history.timeline import timeline
from app.history.writing import Writer
from app.protocol import plan
from app.protocol.events import encode
from app.protocol.plan import SLICES, Plan
from tests import journals, sliced
from tests.ui.conftest import ShowLive as Show
from tests.ui.watched import WatchedPlans, keep
from ui.core.bus import Wanted
from ui.core.context import Context
from ui.pages.live import LivePage
from ui.pages.live.charts import OTHER
from ui.pages.live.curves import QPS, SessionCurves
from ui.pages.live.ratio_line import TIP, ratio_text
from ui.pages.live.round import Ratio, RoundCurves
from ui.widgets.charts.pyramid import Track

LOAD, POINT, UPDATE = 0, 1, 2  # steps of the plan; a load is never in slices
AWAY_S = 5.0  # that the others take between two slices
Points = list[tuple[float, float | None]]


class Contender(journals.Maker):
    """Its slices have the QPS that a test gives them."""

    qps: float | None = 1000.0

    def value(self, position: int, s: int) -> float | None:
        return self.qps if self.series[position]["name"] == QPS else super().value(position, s)

    def slice(self, step: int, s: int, qps: float | None) -> None:
        self.qps = qps
        self.samples(step, [s])


def made_plan(
    contenders: Sequence[plan.Contender] = (sliced.INNODB, sliced.ROCKSDB), order: str = SLICES
) -> Plan:
    made = sliced.plan(contenders, rounds=2, order=order)
    return replace(made, steps=[replace(step, warmup=2 if step.seconds else 0) for step in made.steps])


def begun(its_plan: Plan, repeat: int = 1) -> list[Contender]:
    """The contenders of a round, before their first slices."""
    makers = [Contender(its_plan, turn.session) for turn in its_plan.turns if turn.repeat == repeat]
    for maker in makers:
        maker.begin()
        maker.step(LOAD)
        maker.start_step(POINT)
    return makers


def take_turns(makers: Sequence[Contender], step: int, seconds: range, factor: float = 2.0) -> None:
    """The later ones do `factor` as much as the first."""
    for s in seconds:
        for at, maker in enumerate(makers):
            maker.slice(step, s, 1000.0 * (1 + s % 3 / 10) * (factor if at else 1.0))
            maker.t += AWAY_S


def samples(maker: Contender, step: int) -> Points:
    return [(each.t, each.values[0]) for each in maker.events if each.kind == "sample" and each.step == step]


def points(track: Track) -> Points:
    t, values = track.window(-1e9, 1e9, 1 << 20)
    return [(t, None if math.isnan(v) else v) for t, v in zip(t.tolist(), values.tolist(), strict=True)]


# ---- the curves

Read = Callable[..., RoundCurves]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """What is stored of the contenders, as the page reads it; one of them is shown."""

    def make(makers: Sequence[Contender], shown: int = 0, events: int = 10_000) -> RoundCurves:
        with History(tmp_path) as history:
            for maker in makers:
                raw = b"".join(encode(event) for event in maker.events[:events])
                Writer(history).append(maker.plan.id, maker.session, 0, raw)
            found = [timeline(history, each.session, (QPS,)) for each in makers]
        curves = [SessionCurves(each, (QPS,)) for each in found]
        others = [each for at, each in enumerate(curves) if at != shown]
        its_round = RoundCurves(curves[shown], others, [each.overview.session for each in found])
        its_round.advance()
        return its_round

    return make


def ratio(its_round: RoundCurves, step: int = POINT) -> Ratio:
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
def test_read_up_to_anywhere_and_continued_by_events(read: Read, known: int) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 4))
    for maker in makers:
        maker.end_step(POINT)
        maker.start_step(UPDATE)
    take_turns(makers, UPDATE, range(-2, 2))
    its_round = read(makers, events=known)
    for maker in makers:
        its_round._shown.take(decode_lines(maker.raw) if maker is makers[0] else ())
        its_round.take({maker.session: decode_lines(maker.raw)})
        its_round.advance()
    complete = read(makers)
    other = makers[1].session
    assert points(its_round.tracks[other]) == points(complete.tracks[other])
    assert ratio(its_round) == ratio(complete) and ratio(its_round, UPDATE).slices == 2
    breaks = [t for t, qps in points(complete.tracks[other]) if qps is None]
    assert breaks == [complete._shown.bounds[UPDATE].began_t], "no curve leads into the next step"


def test_the_turns_of_others_are_no_gap(read: Read) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 4))
    its_round = read(makers)
    assert its_round._shown.gaps == []
    assert None not in [qps for _, qps in points(its_round._shown.tracks[QPS])]


def test_the_other_is_drawn_no_further_than_the_session_that_is_shown(read: Read) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 2))
    second.slice(POINT, 2, 5000.0)
    its_round = read(makers)
    assert len(points(its_round.tracks[second.session])) == 4
    first.slice(POINT, 2, 2500.0)
    its_round._shown.take(decode_lines(first.raw))
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
    said = ratio_text(its_round, its_round._shown.bounds[POINT])
    assert said.count("slice") == 1 and said.endswith("of innodb-default's QPS in 4 slices")


def test_a_step_of_one_slice_was_carried_out_whole(read: Read) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(1))
    for maker in makers:
        maker.end_step(POINT)
    its_round = read(makers)
    said = "not in slices: contenders ran one after the other, no verdict"
    shown = ratio_text(its_round, its_round._shown.bounds[POINT])
    assert shown == f"point-query threads=2: {said}: rocksdb-default 2.000 of innodb-default's QPS"


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
    its_round._shown.take(decode_lines(makers[0].raw))
    its_round.take({makers[1].session: decode_lines(makers[1].raw)})
    its_round.advance()
    assert ratio(its_round).slices == 602 and len(logs) == 2


# ---- the page


def bring(followed: WatchedPlans, makers: Sequence[Contender]) -> None:
    for maker in makers:
        followed.bring(maker)


def look_at(page: LivePage, maker: Contender, qtbot: Any) -> SessionCurves:
    def shown() -> SessionCurves | None:
        return page._watching.loaded.curves if page._watching.loaded else None

    page.open(Wanted("live", (maker.session,)))
    qtbot.waitUntil(lambda: (found := shown()) is not None and found.session == maker.session)
    found = shown()
    assert found is not None
    return found


def text(page: LivePage) -> str:
    return page.body.charts.ratio.text()


def lines(page: LivePage) -> list[str]:
    return [line.full or line.label for line in page.body.charts.qps._lines]


def other(page: LivePage, maker: Contender) -> Points:
    return points(page.body.charts.qps.track(OTHER + maker.session))


def test_both_contenders_come_in_slice_by_slice(
    context: Context, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    bring(followed, makers)
    page = drawn(context)
    assert lines(page) == ["innodb-default-1", "rocksdb-default-1"]
    assert text(page) == "point-query threads=2: no ratio yet"
    take_turns(makers, POINT, range(-2, 1))
    bring(followed, makers)
    page.painting.paint()
    assert len(other(page, second)) == 3
    head = "point-query threads=2 so far, one round, no verdict: rocksdb-default"
    assert text(page) == f"{head} 2.000 (no interval yet, 1 slice) of innodb-default's QPS"
    second.slice(POINT, 1, 3000.0)
    bring(followed, [second])
    page.painting.paint()
    assert len(other(page, second)) == 3, "the same slice has not come here"
    first.slice(POINT, 1, 1000.0)
    bring(followed, [first])
    page.painting.paint()
    assert other(page, second)[-1] == (first.events[-1].t, 3000.0)
    assert text(page).startswith(f"{head} 2.449 (interval too wide, 2 slices)")
    assert "only Compare judges rounds" in TIP and TIP.partition(":")[0] in page.body.charts.ratio.toolTip()
    take_turns(makers, POINT, range(2, 60))
    for maker in makers:
        maker.end_step(POINT)
    bring(followed, makers)
    page.painting.paint()
    assert "60 slices) of innodb-default's QPS" in text(page) and "so far" not in text(page)


def test_a_contender_whose_journal_comes_later_is_drawn_too(
    context: Context, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    take_turns(makers, POINT, range(3))
    bring(followed, [first])
    page = drawn(context)
    assert lines(page) == ["innodb-default-1"]
    bring(followed, [second])
    qtbot.waitUntil(lambda: lines(page) == ["innodb-default-1", "rocksdb-default-1"])
    assert len(other(page, second)) == 3 and "3 slices" in text(page)


def test_what_came_in_is_what_is_stored(
    context: Context, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    bring(followed, makers)
    page = drawn(context)
    for seconds in (range(-2, 0), range(30), range(30, 60)):
        take_turns(makers, POINT, seconds)
        bring(followed, makers)
    page.painting.paint()
    came, ratio_came = other(page, second), text(page)
    assert len(came) == 62 and "60 slices" in ratio_came
    stored = drawn(context)
    assert (other(stored, second), text(stored)) == (came, ratio_came)


def test_a_contender_that_died_keeps_its_curve_and_the_ratio_its_slices(
    context: Context, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    take_turns(makers, POINT, range(-2, 5))
    bring(followed, makers)
    page = drawn(context)
    second.end_step(POINT, "failed", "the server has ended")
    second.end("failed", "the server has ended")
    take_turns([first], POINT, range(5, 60))
    bring(followed, makers)
    page.painting.paint()
    assert len(other(page, second)) == 7 and "5 slices" in text(page)
    first.end_step(POINT)
    first.start_step(UPDATE)
    take_turns([first], UPDATE, range(-2, 5))
    bring(followed, [first])
    page.painting.paint()
    assert len(other(page, second)) == 7
    assert text(page) == "update-index threads=2: no ratio yet"
    look_at(page, second, qtbot)
    assert len(other(page, first)) == 7, "no further than the one that died came"


def test_the_ratio_is_of_the_step_that_is_looked_at(context: Context, drawn: Show) -> None:
    makers = begun(made_plan())
    for step, factor in ((POINT, 2.0), (UPDATE, 0.5)):
        if step == UPDATE:
            for maker in makers:
                maker.start_step(UPDATE)
        take_turns(makers, step, range(-2, 60), factor)
        for maker in makers:
            maker.end_step(step)
    keep(context, [each.end() for each in makers])
    page = drawn(context)
    loaded = page._watching.loaded
    assert loaded is not None and "rocksdb-default 0.500 (0.500 to 0.500, 60 slices)" in text(page)
    page._look_at(POINT)
    assert "rocksdb-default 2.000" in text(page)
    page.body.charts.axis.set_cursor(loaded.curves.bounds[LOAD].began_t)
    assert text(page) == "load: not in slices: contenders ran one after the other"


def test_of_each_round_its_own_contenders_in_the_order_of_the_plan(
    context: Context, drawn: Show, qtbot: Any
) -> None:
    """The load order turns round from round to round."""
    its_plan = made_plan()
    turns = list(its_plan.turns)
    turns[2:] = [replace(turns[3], ordinal=3), replace(turns[2], ordinal=4)]
    its_plan = replace(its_plan, turns=turns)
    makers = [maker for repeat in (1, 2) for maker in begun(its_plan, repeat)]
    take_turns(makers[:2], POINT, range(-2, 3))
    take_turns([makers[3], makers[2]], POINT, range(-2, 4), 3.0)
    keep(context, makers)
    page = drawn(context)
    look_at(page, makers[2], qtbot)
    assert lines(page) == ["innodb-default-2", "rocksdb-default-2"]
    assert "rocksdb-default 3.000 (3.000 to 3.000, 4 slices)" in text(page)


def test_two_of_one_colour_are_told_apart(context: Context, drawn: Show) -> None:
    its_plan = made_plan()
    equals = [its_plan.contenders[0], replace(its_plan.contenders[0], name="again")]
    makers = begun(replace(its_plan, contenders=equals))
    keep(context, makers)
    page = drawn(context)
    first, second = page.body.charts.qps._lines
    assert first.colour == second.colour and not first.dashed and second.dashed


def test_seconds_that_do_not_count_are_shaded_by_their_slices(
    context: Context, drawn: Show, qtbot: Any
) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 60))
    for maker in makers:
        maker.end_step(POINT)
    keep(context, [each.end() for each in makers])
    with History(context.home) as history:
        cut(history, makers[0].session, POINT, Cut(10, 49, "it was warm later"))
    page = drawn(context)
    bounds, drawn = look_at(page, makers[0], qtbot).bounds[POINT], [t for t, _ in samples(makers[0], POINT)]
    shaded = [(each.first, each.last) for each in page.body.charts.qps._ground.spans if each.kind == "warmup"]
    assert shaded == [
        (bounds.began_t, bounds.measured_t), (bounds.measured_t, drawn[11]), (drawn[51], drawn[61]),
    ]  # fmt: skip


def test_the_warm_up_is_shaded_until_it_is_over(
    context: Context, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    makers = begun(made_plan())
    followed.watch(makers[0].plan)
    take_turns(makers, POINT, range(-2, -1))
    bring(followed, makers)
    page = drawn(context)
    take_turns(makers, POINT, range(-1, 0))
    bring(followed, makers)
    newest = samples(makers[0], POINT)[-1][0]
    ground = page.body.charts.qps._ground
    qtbot.waitUntil(lambda: [each.last for each in ground.spans if each.kind == "warmup"] == [newest])
    assert newest > 4, "its two seconds take longer than two seconds"


def test_the_numbers_have_both(context: Context, drawn: Show, qtbot: Any) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(3))
    keep(context, makers)
    page = drawn(context)
    look_at(page, first, qtbot)
    head, *rows = csv.reader(page.body.charts.csv({}).splitlines())
    place = head.index(QPS)
    assert [(row[0], float(row[1]), float(row[place])) for row in rows] == [
        (name, pytest.approx(t, abs=1e-3), qps)
        for name, maker in (("innodb-default-1", first), ("rocksdb-default-1", second))
        for (t, _), (_, qps) in zip(samples(first, POINT), samples(maker, POINT), strict=True)
    ]


def test_a_plan_in_another_order_looks_as_before(context: Context, drawn: Show, qtbot: Any) -> None:
    makers = begun(made_plan(order="interleaved"))
    take_turns(makers, POINT, range(3))
    keep(context, makers)
    page = drawn(context)
    curves = look_at(page, makers[0], qtbot)
    assert not page.body.charts.ratio.isVisible() and text(page) == ""
    assert len(lines(page)) == 1
    assert curves.seconds == {}
    assert len(curves.gaps) == 2, "five seconds without a sample"
