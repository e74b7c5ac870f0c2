"""The Live page of a plan in slices: the contenders over one another, and their ratio so far."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.history.lists.edits import count_only_seconds
from app.history.recorded.counting import Cut
from app.history.store.history import History
from tests.plans import MARIADB
from tests.ui.conftest import ShowLive as Show
from tests.ui.contenders import (
    LOAD,
    POINT,
    UPDATE,
    Contender,
    Points,
    begun,
    made_plan,
    points,
    samples,
    take_turns,
)
from tests.ui.watched import WatchedPlans, keep
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.live import LivePage
from ui.pages.live.charts import TIP
from ui.pages.live.curves import QPS, SessionCurves
from ui.pages.live.lines import OTHER


def bring(followed: WatchedPlans, makers: Sequence[Contender]) -> None:
    for maker in makers:
        followed.bring(maker)


def look_at(page: LivePage, maker: Contender, qtbot: Any) -> SessionCurves:
    def shown() -> SessionCurves | None:
        return page.watching.loaded.curves if page.watching.loaded else None

    page.open(ShowPageRequest("live", (maker.session,)))
    qtbot.waitUntil(lambda: (found := shown()) is not None and found.session == maker.session)
    found = shown()
    assert found is not None
    return found


def text(page: LivePage) -> str:
    return page.body.charts.ratio.text()


def lines(page: LivePage) -> list[str]:
    return [line.full or line.label for line in page.body.charts.qps.head.lines]


def other(page: LivePage, maker: Contender) -> Points:
    return points(page.body.charts.qps.track(OTHER + maker.session))


def test_both_contenders_come_in_slice_by_slice(
    context: WindowContext, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    bring(followed, makers)
    page = drawn(context)
    assert lines(page) == [f"{MARIADB}-innodb-default-1", f"{MARIADB}-rocksdb-default-1"]
    assert text(page) == "point-query threads=2, repeat 1 alone: no ratio yet"
    take_turns(makers, POINT, range(-2, 1))
    bring(followed, makers)
    page.painting.paint()
    assert len(other(page, second)) == 3
    head = f"point-query threads=2 so far, repeat 1 alone, not judged: {MARIADB}-rocksdb-default"
    assert text(page) == f"{head} 2.000 (no interval yet, 1 turn) of {MARIADB}-innodb-default's QPS"
    second.slice(POINT, 1, 3000.0)
    bring(followed, [second])
    page.painting.paint()
    assert len(other(page, second)) == 3, "the same slice has not come here"
    first.slice(POINT, 1, 1000.0)
    bring(followed, [first])
    page.painting.paint()
    assert other(page, second)[-1] == (first.events[-1].t, 3000.0)
    assert text(page).startswith(f"{head} 2.449 (interval too wide, 2 turns)")
    assert "only Compare judges repeats" in TIP and TIP.partition(":")[0] in page.body.charts.ratio.toolTip()
    take_turns(makers, POINT, range(2, 60))
    for maker in makers:
        maker.end_step(POINT)
    bring(followed, makers)
    page.painting.paint()
    assert f"60 turns) of {MARIADB}-innodb-default's QPS" in text(page) and "so far" not in text(page)


def test_a_contender_whose_journal_comes_later_is_drawn_too(
    context: WindowContext, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    first, second = makers = begun(made_plan())
    followed.watch(first.plan)
    take_turns(makers, POINT, range(3))
    bring(followed, [first])
    page = drawn(context)
    assert lines(page) == [f"{MARIADB}-innodb-default-1"]
    bring(followed, [second])
    qtbot.waitUntil(lambda: lines(page) == [f"{MARIADB}-innodb-default-1", f"{MARIADB}-rocksdb-default-1"])
    assert len(other(page, second)) == 3 and "3 turns" in text(page)


def test_what_came_in_is_what_is_stored(
    context: WindowContext, followed: WatchedPlans, drawn: Show, qtbot: Any
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
    assert len(came) == 62 and "60 turns" in ratio_came
    stored = drawn(context)
    assert (other(stored, second), text(stored)) == (came, ratio_came)


def test_a_contender_that_died_keeps_its_curve_and_the_ratio_its_slices(
    context: WindowContext, followed: WatchedPlans, drawn: Show, qtbot: Any
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
    assert len(other(page, second)) == 7 and "5 turns" in text(page)
    first.end_step(POINT)
    first.start_step(UPDATE)
    take_turns([first], UPDATE, range(-2, 5))
    bring(followed, [first])
    page.painting.paint()
    assert len(other(page, second)) == 7
    assert text(page) == "update-index threads=2, repeat 1 alone: no ratio yet"
    look_at(page, second, qtbot)
    assert len(other(page, first)) == 7, "no further than the one that died came"


def test_the_ratio_is_of_the_step_that_is_looked_at(context: WindowContext, drawn: Show) -> None:
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
    loaded = page.watching.loaded
    assert loaded is not None and f"{MARIADB}-rocksdb-default 0.500 (0.500 to 0.500, 60 turns)" in text(page)
    page.step.look_at(POINT)
    assert f"{MARIADB}-rocksdb-default 2.000" in text(page)
    page.body.charts.axis.set_cursor(loaded.curves.bounds[LOAD].began_t)
    assert text(page) == "load: the servers ran one after the other"


def test_of_each_round_its_own_contenders_in_the_order_of_the_plan(
    context: WindowContext, drawn: Show, qtbot: Any
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
    assert lines(page) == [f"{MARIADB}-innodb-default-2", f"{MARIADB}-rocksdb-default-2"]
    assert ", repeat 2 alone, not judged:" in text(page)
    assert f"{MARIADB}-rocksdb-default 3.000 (3.000 to 3.000, 4 turns)" in text(page)


def test_two_of_one_colour_are_told_apart(context: WindowContext, drawn: Show) -> None:
    its_plan = made_plan()
    equals = [its_plan.contenders[0], replace(its_plan.contenders[0], name="again")]
    makers = begun(replace(its_plan, contenders=equals))
    keep(context, makers)
    page = drawn(context)
    first, second = page.body.charts.qps.head.lines
    assert first.colour == second.colour and not first.dashed and second.dashed


def test_seconds_that_do_not_count_are_shaded_by_their_slices(
    context: WindowContext, drawn: Show, qtbot: Any
) -> None:
    makers = begun(made_plan())
    take_turns(makers, POINT, range(-2, 60))
    for maker in makers:
        maker.end_step(POINT)
    keep(context, [each.end() for each in makers])
    with History(context.home) as history:
        count_only_seconds(history, makers[0].session, POINT, Cut(10, 49, "it was warm later"))
    page = drawn(context)
    bounds, drawn = look_at(page, makers[0], qtbot).bounds[POINT], [t for t, _ in samples(makers[0], POINT)]
    shaded = [(each.first, each.last) for each in page.body.charts.qps.ground.spans if each.kind == "warmup"]
    assert shaded == [
        (bounds.began_t, bounds.measured_t), (bounds.measured_t, drawn[11]), (drawn[51], drawn[61]),
    ]  # fmt: skip


def test_the_warm_up_is_shaded_until_it_is_over(
    context: WindowContext, followed: WatchedPlans, drawn: Show, qtbot: Any
) -> None:
    makers = begun(made_plan())
    followed.watch(makers[0].plan)
    take_turns(makers, POINT, range(-2, -1))
    bring(followed, makers)
    page = drawn(context)
    take_turns(makers, POINT, range(-1, 0))
    bring(followed, makers)
    newest = samples(makers[0], POINT)[-1][0]
    ground = page.body.charts.qps.ground
    qtbot.waitUntil(lambda: [each.last for each in ground.spans if each.kind == "warmup"] == [newest])
    assert newest > 4, "its two seconds take longer than two seconds"


def test_the_numbers_have_both(context: WindowContext, drawn: Show, qtbot: Any) -> None:
    first, second = makers = begun(made_plan())
    take_turns(makers, POINT, range(3))
    keep(context, makers)
    page = drawn(context)
    look_at(page, first, qtbot)
    head, *rows = csv.reader(page.body.charts.csv({}).splitlines())
    place = head.index(QPS)
    assert [(row[0], float(row[1]), float(row[place])) for row in rows] == [
        (name, pytest.approx(t, abs=1e-3), qps)
        for name, maker in (
            (f"{MARIADB}-innodb-default-1", first),
            (f"{MARIADB}-rocksdb-default-1", second),
        )
        for (t, _), (_, qps) in zip(samples(first, POINT), samples(maker, POINT), strict=True)
    ]


def test_a_plan_in_another_order_looks_as_before(context: WindowContext, drawn: Show, qtbot: Any) -> None:
    makers = begun(made_plan(order="interleaved"))
    take_turns(makers, POINT, range(3))
    keep(context, makers)
    page = drawn(context)
    curves = look_at(page, makers[0], qtbot)
    assert not page.body.charts.ratio.isVisible() and text(page) == ""
    assert len(lines(page)) == 1
    assert curves.seconds == {}
    assert len(curves.gaps) == 2, "five seconds without a sample"
