"""Live and History of a server that is not on the machine that drives: whose CPU it is, and no disk."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.history.store.history import History
from app.protocol.events import Fact
from tests.existing import ELSEWHERE, stored_plan
from tests.journals import SERIES, Maker, plan, store
from tests.ui.conftest import ShowLive
from tests.ui.live_page import Follow, shown
from tests.ui.watched import WatchedPlans
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.history.reading import read_detail
from ui.pages.live import LivePage

HERE, DRIVING = "CPU, % of a core", "CPU of the machine that drives, % of a core"


def of_server(number: int, on_this_machine: bool) -> Maker:
    """A session of a server that runs already, as far as the samples of its first step."""
    maker = Maker(replace(plan(number=number), name=f"plan {number}")).begin(SERIES[:0])
    maker.add(Fact, name="existing_server", value={**ELSEWHERE, "on_this_machine": on_this_machine})
    maker.declare(SERIES)
    maker.start_step(0)
    maker.samples(0, range(3))
    return maker


def cpu_chart(page: LivePage) -> tuple[str, list[str], bool]:
    """Its title, its curves, and whether the disk has a chart."""
    charts = page.body.charts
    return (
        charts.cpu.accessibleName(),
        [line.label for line in charts.cpu.head.lines],
        charts.disk.isVisible(),
    )


OF_THE_MACHINE = ["machine (% of all)", "sysbench", "others"]
OF_A_SERVER_HERE = ["machine (% of all)", "server", "sysbench", "others"]


def test_of_a_server_elsewhere_the_machine_that_drives_is_named(
    context: WindowContext, drawn: ShowLive, qtbot: QtBot
) -> None:
    elsewhere, here = of_server(1, False), of_server(2, True)
    with History(context.home) as history:
        store(history, elsewhere, here)
    page = drawn(context)
    for maker, seen in (
        (elsewhere, (DRIVING, OF_THE_MACHINE, False)),
        (here, (HERE, OF_A_SERVER_HERE, True)),
        (elsewhere, (DRIVING, OF_THE_MACHINE, False)),
    ):
        page.open(ShowPageRequest("live", (maker.session,)))
        qtbot.waitUntil(lambda maker=maker: shown(page) == maker.session)
        assert cpu_chart(page) == seen


def test_it_is_named_once_the_session_has_said_where_its_server_is(
    followed: WatchedPlans, qtbot: QtBot, follow: Follow
) -> None:
    whole = of_server(1, False)
    maker = Maker(whole.plan).planned()
    page = follow(maker)
    assert cpu_chart(page)[0] == HERE
    maker.events = whole.events
    followed.bring(maker)
    qtbot.waitUntil(lambda: cpu_chart(page) == (DRIVING, OF_THE_MACHINE, False))


def test_history_says_who_drove_a_server_that_runs_already(context: WindowContext) -> None:
    with History(context.home) as history:
        made = stored_plan(history)
        on = dict(read_detail(history, made.turns[0].session).on)
    assert on["Driven by"] == "a CPU, 2 cores" and "Machine" not in on
