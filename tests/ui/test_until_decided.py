"""Plans that end when it is decided, in the window: what was not needed is nothing that went wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from app.history.store.history import History
from app.protocol.states import DECIDED, OUT_OF_TIME
from tests.decided import makers_of, until_decided
from tests.journals import Maker
from tests.ui.conftest import ShowLive
from tests.ui.watched import WatchedPlans, keep
from ui.core.context import WindowContext
from ui.models.session_columns import FIXED, STATE, tone_of
from ui.models.sessions import SessionModel
from ui.pages.history.overview import SessionOverview
from ui.pages.history.reading import read_detail
from ui.shell.notices import Notices
from ui.widgets.message import MessageBar
from ui.widgets.plan_line import PlanLine

ROUNDS_NEEDED = 4
LENGTH = next(at for at, column in enumerate(FIXED) if column.title == "Length")


def carried_out(plans: WatchedPlans, rounds: int, is_over: bool) -> list[Maker]:
    its_plan = until_decided()
    plans.watch(its_plan)
    makers = makers_of(its_plan, rounds, is_over=is_over)
    for maker in makers:
        plans.bring(maker, "ended" if is_over and maker is makers[-1] else "up")
    return makers


def test_live_has_a_narrow_block_for_what_was_not_needed(
    plans: tuple[WindowContext, WatchedPlans], drawn: ShowLive, qtbot: Any
) -> None:
    context, watcher = plans
    makers = carried_out(watcher, ROUNDS_NEEDED, is_over=True)
    page = drawn(context)
    header = page.body.header
    qtbot.waitUntil(lambda: "decided after 4 repeats" in header.text)
    last = [block for block in header.strip.blocks() if block.session == makers[-1].session]
    first = [block for block in header.strip.blocks() if block.session == makers[0].session]
    assert (len(last), len(first)) == (1, 5)
    assert last[0].place.width() < max(block.place.width() for block in first) / 4
    assert header.strip.text_of(last[0]) == "myisam-default-8: not needed: decided after 4 repeats"
    assert header._state.property("role") == "muted"


def test_while_it_goes_on_what_is_left_is_the_most(
    plans: tuple[WindowContext, WatchedPlans], drawn: ShowLive, qtbot: Any
) -> None:
    context, watcher = plans
    makers = carried_out(watcher, 1, is_over=False)
    page = drawn(context)
    qtbot.waitUntil(lambda: "elapsed, at most" in page.body.header.text)
    assert ", done by " in page.body.header.text
    line = PlanLine(context.theme)
    qtbot.addWidget(line)
    line.show_plan(watcher.all()[0])
    assert " at most " in line.text and line.text.endswith(" left")
    assert makers[0].session in watcher.all()[0].sessions


def test_a_plan_that_is_not_read_yet_has_no_id_for_a_name(
    plans: tuple[WindowContext, WatchedPlans], qtbot: Any
) -> None:
    context, watcher = plans
    followed = watcher.watch(replace(until_decided(), id="01ARZ3NDEKTSV4RRFFQWWA422"))
    line = PlanLine(context.theme)
    qtbot.addWidget(line)
    line.show_plan(followed)
    assert line.text.startswith("plan on local") and "WWA422" not in line.text


def test_the_window_says_that_it_is_decided_and_no_more(
    plans: tuple[WindowContext, WatchedPlans], qtbot: Any
) -> None:
    context, watcher = plans
    window, message = QMainWindow(), MessageBar()
    qtbot.addWidget(window)
    qtbot.addWidget(message)
    notices = Notices(context, window, message)
    notices._notify = lambda text: None  # type: ignore[method-assign]
    carried_out(watcher, ROUNDS_NEEDED, is_over=True)
    notices._on_ended(watcher.all()[0].id)
    first = message.text.splitlines()[0]
    assert first.endswith("has ended, decided after 4 repeats")


def test_the_list_of_sessions_does_not_warn_of_them(context: WindowContext, qtbot: Any) -> None:
    keep(context, makers_of(until_decided(), ROUNDS_NEEDED))
    model = SessionModel(context.tasks, context.theme, context.home, context.bus)
    with qtbot.waitSignal(model.found):
        model.group_by_plan(False)
    shown = [model.index(row, STATE) for row in range(model.rowCount())]
    texts = [str(index.data()) for index in shown]
    assert texts.count("not needed: decided") == 8 and texts.count("completed") == 8
    spared = [row for row, text in enumerate(texts) if text != "completed"]
    assert {str(model.index(row, LENGTH).data() or "") for row in spared} == {""}  # it was only waited for
    muted = context.theme.colour("muted")
    inks = [index.data(Qt.ItemDataRole.ForegroundRole) for index in shown]
    assert [inks[at] == muted for at, text in enumerate(texts) if text != "completed"] == [True] * 8


def test_only_what_was_not_needed_is_quiet() -> None:
    assert tone_of("stopped", DECIDED) == tone_of("stopped", OUT_OF_TIME) == "muted"
    assert tone_of("stopped", "somebody asked for it") == "warn"


def test_the_history_says_why_a_session_never_began(context: WindowContext, qtbot: Any) -> None:
    makers = makers_of(until_decided(), ROUNDS_NEEDED)
    keep(context, makers)
    with History(context.home) as history:
        detail = read_detail(history, makers[-1].session)
    assert dict(detail.on)["Began"] == "never"
    overview = SessionOverview()
    qtbot.addWidget(overview)
    overview.show_detail(detail)
    assert (overview._state.text(), overview._state.property("role")) == ("not needed: decided", "muted")
