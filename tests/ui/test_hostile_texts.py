"""Every page and dialog with hostile text in every field: nothing of it steers, or is taken for markup."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

from app.core.errors import DynoError
from app.history.lists import edits
from app.history.recorded.counting import Cut, CuttableStep, MeasuredSeconds
from app.history.store.history import History
from app.planner.starting.preset_check import BuildReply
from app.protocol.answers import Build, DataSnapshot, Survey
from app.protocol.events import LogEvent, MomentEvent, Note
from app.protocol.reading import read
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey, Surveys
from tests import liar
from tests.hostile import MARKUP, TEXT, HostileMaker, finds, laced, laced_plan
from tests.journals import contender, plan, steps
from tests.plans import NOW
from tests.ui.seen import formatted, texts_of
from tests.ui.test_lifetimes import close, every_dialog, show_all
from tests.ui.test_looks import (
    KINDS,
    NAMES,
    SECRET,
    SMALL,
    open_window,
    rest,
    settled,
    show,
)
from tests.ui.watched import WatchedPlans, keep
from ui.core.context import WindowContext
from ui.core.secret_dialog import SecretDialog
from ui.dialogs.closing import ClosingDialog
from ui.dialogs.cut import CutDialog
from ui.dialogs.questions import ask_before
from ui.dialogs.report import ReportDialog
from ui.pages.bench.presets.dialog import PresetDialog
from ui.pages.bench.targets.builds import BuildNotesDialog
from ui.pages.bench.targets.machine_commands import SnapshotsDialog
from ui.shell.window import Window
from ui.widgets.message import MessageBar

__all__ = ["open_window", "settled"]  # fixtures
UI = Path(__file__).parents[2] / "ui"
SHOWN = "ev[il] :smile: <b>bold</b>"


def fill(context: WindowContext) -> list[str]:
    """Sessions that went well, failed, and go on; a survey; presets, workloads and sequences of one's own."""
    survey = laced(liar.survey(), ("clock_utc",))
    survey["builds"] += liar.survey()["builds"]
    Surveys(context.home).keep(Targets(context.home).get(LOCAL), DatedSurvey(NOW, read(Survey, survey)))
    contenders = [contender(engine, preset) for engine, preset in KINDS[:4]]
    its_plan = laced_plan(plan(contenders, its_steps=steps((1, 2), seconds=5)))
    makers = [HostileMaker(its_plan, turn.session) for turn in its_plan.turns]
    for maker in makers:
        maker.begin().step(0)
        maker.step(1, marks=("after-a-crash", "a mark"))
        maker.add(MomentEvent, name="crash", step=1, text="it died")
        maker.add(Note, text="a note", step=1)
        for source in ("sysbench", "server", "agent"):
            maker.add(LogEvent, source=source, level="error", text="an error")
        maker.step(2, "failed", "a reason")
    *over, active = makers
    for maker in over:
        maker.end(reason="a reason")
    active.start_step(3)
    active.samples(3, range(-2, 3))
    keep(context, over)
    with History(context.home) as history:
        edits.tag(history, over[0].session, f"t{MARKUP}")
        edits.note(history, over[0].session, f"n{TEXT}")
    assert isinstance(context.plans, WatchedPlans)
    context.plans.watch(its_plan, "local").name  # noqa: B018 - it is followed
    context.plans.bring(active)
    return [turn.session for turn in its_plan.turns]


def problems_of(window: QWidget) -> list[str]:
    wrong = [
        f"{where}: {', '.join(finds(text))} in {text!r}" for where, text in texts_of(window) if finds(text)
    ]
    wrong += [
        f"{where}: is read as markup: {text!r}" for where, text in texts_of(window) if is_rich(where, text)
    ]
    return wrong + [f"reads markup: {each}" for each in formatted(window)]


def is_rich(where: str, text: str) -> bool:
    """A tooltip that says something else than it looks like; one that begins like HTML is escaped."""
    if not where.startswith("tip of") or not Qt.mightBeRichText(text):
        return False
    return not text.startswith("<p style='white-space:pre-wrap'>") or "<b>" in text or "<img" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_page(open_window: Any, settled: WindowContext, qtbot: Any, name: str) -> None:
    sessions = fill(settled)
    window: Window = open_window(SMALL, "light")
    shown = {"compare": sessions[:3], "history": sessions[:1]}.get(name, sessions)
    show(window, name, shown, qtbot)
    window.message.show_failure(RuntimeError(TEXT))
    for message in window.page(name).findChildren(MessageBar):
        message.show_failure(DynoError(TEXT))
    settled.bus.said.emit(TEXT)
    rest(qtbot)
    assert not (wrong := problems_of(window)), "\n".join(wrong)
    seen = [text for _, text in texts_of(window)]
    assert sum(SHOWN in text for text in seen) > 5, "hardly anything of it is shown"


DIALOGS: dict[str, Callable[[WindowContext, Window], QDialog]] = {
    "closing": lambda context, window: ClosingDialog(context.plans, window),
    "secret": lambda _, window: SecretDialog(f"{SECRET}{TEXT}", parent=window),
    "report": lambda _, window: ReportDialog(TEXT, window),
    "cut": lambda context, window: CutDialog(TEXT, countable(), context.theme, window),
    "build-notes": lambda context, window: BuildNotesDialog(
        context, Target("xeon"), read(Build, laced(liar.survey()["builds"][0])), window
    ),
}


def countable() -> CuttableStep:
    seconds = MeasuredSeconds([50_000.0] * 60, [1.0] * 60)
    return CuttableStep(1, f"update-index{TEXT}", f"queries/s{TEXT}", 36_666.0, seconds, Cut(20, 59, TEXT))


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog(open_window: Any, settled: WindowContext, qtbot: Any, name: str) -> None:
    fill(settled)
    window = open_window(SMALL, "light")
    dialog = DIALOGS[name](settled, window)
    dialog.open()
    rest(qtbot)
    assert not (wrong := problems_of(dialog)), "\n".join(wrong)
    dialog.close()


def test_snapshots_and_presets(open_window: Any, settled: WindowContext, qtbot: Any) -> None:
    window = open_window(SMALL, "light")
    snapshots = SnapshotsDialog(settled, Target("xeon"), window)
    snapshots.show_snapshots([read(DataSnapshot, laced(liar.SNAPSHOT))])
    from tests.ui.test_looks import preset_dialog

    presets: PresetDialog = preset_dialog(settled, window)
    presets._on_answered([BuildReply(TEXT, TEXT, TEXT, TEXT, 1)])
    for dialog in (snapshots, presets):
        dialog.open()
        rest(qtbot)
        assert not (wrong := problems_of(dialog)), "\n".join(wrong)
        dialog.close()


def test_every_dialog_that_a_person_opens(open_window: Any, settled: WindowContext, qtbot: Any) -> None:
    sessions = fill(settled)
    window = open_window(SMALL, "light")
    show_all(window, sessions, qtbot)
    seen = 0
    for opening in every_dialog(window, qtbot):
        dialog = opening()
        rest(qtbot)
        assert not (wrong := problems_of(dialog)), "\n".join(wrong)
        seen += any("ev[il]" in text for _, text in texts_of(dialog))
        close(dialog)
    assert seen > 3, "hardly any dialog shows anything of it"


def test_a_question(open_window: Any, settled: WindowContext, qtbot: Any) -> None:
    window = open_window(SMALL, "light")
    ask_before(window, f"Remove {TEXT}?", TEXT, lambda: None)
    (box,) = window.findChildren(QMessageBox)
    assert not (wrong := [*problems_of(box), *formatted(box)]), "\n".join(wrong)
    box.reject()


def test_labels_and_tooltips_are_made_in_one_place() -> None:
    """Qt's own ones read markup where a text looks like it."""
    wrong = []
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or path.name == "plain.py":
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            is_label = name == "QLabel"
            is_tip = name in ("setToolTip", "showText") and not any(map(_is_plain, node.args))
            if is_label or is_tip or name in ("elidedText", "setInformativeText", "setTextFormat"):
                wrong.append(f"{path.relative_to(UI)}:{node.lineno}: {name}")
    assert not wrong, wrong


def _is_plain(argument: ast.expr) -> bool:
    if isinstance(argument, ast.Constant):
        return isinstance(argument.value, str)
    if isinstance(argument, ast.IfExp):
        return _is_plain(argument.body) and _is_plain(argument.orelse)
    called = argument.func if isinstance(argument, ast.Call) else None
    return getattr(called, "id", "") == "as_tip" or getattr(called, "attr", "") == "toolTip"
