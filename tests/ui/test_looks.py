"""Pages and dialogs, empty, filled, with bad news, light, dark, small, large: nothing cut, nothing nameless.

The pictures lie in the directory of the test, for a person to look at.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QScrollArea, QTextBrowser, QWidget

from app.catalog import Catalog
from app.comparison.verdicts.compare import compare
from app.core.errors import DynoError
from app.core.settings import TEXT_SIZES
from app.history.lists.browsing import Filter, Order, page
from app.history.recorded.counting import Cut, CuttableStep, MeasuredSeconds
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.planner.starting.choices import choices
from app.planner.starting.draft import Draft, empty_field_values
from app.planner.starting.launch import Launch
from app.planner.starting.preset_check import BuildReply
from app.protocol.answers import Build, DataSnapshot, Queue, QueuedPlan
from app.protocol.events import LogEvent
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey, Surveys
from app.team.address import parse_team_address
from app.team.certificate import CertificateChangedError
from app.team.plugin import PlainPasswordPluginError
from tests import plans as made_up
from tests.journals import Maker, contender, plan, steps, whole
from tests.plans import MARIADB
from tests.ui.bench.set_up import settle
from tests.ui.looked_at import faults
from tests.ui.watched import WatchedPlans, keep, watched
from tests.unit.explaining.pairs import shown
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.secret_dialog import SecretDialog
from ui.dialogs.closing import ClosingDialog
from ui.dialogs.cut import CutDialog
from ui.dialogs.help import AboutDialog, HelpDialog
from ui.dialogs.palette import CommandPalette
from ui.dialogs.queue import QueueDialog
from ui.dialogs.report import ReportDialog
from ui.dialogs.settings import SettingsDialog
from ui.dialogs.team import AuthPluginDialog, CertificateDialog, TeamDialog
from ui.dialogs.team_sessions import TeamSessionsDialog
from ui.pages import PLACES
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.run_dialogs import LoadTargetsDialog, QueueingDialog, SeveralTargetsDialog
from ui.pages.bench.plan.sweep import SweepDialog
from ui.pages.bench.presets.dialog import PresetDialog
from ui.pages.bench.sql import CustomSqlDialog
from ui.pages.bench.targets.builds import BuildNotesDialog, InstallBuildDialog
from ui.pages.bench.targets.machine_commands import SnapshotsDialog
from ui.pages.compare.bisect_dialog import BisectDialog
from ui.pages.compare.explain_dialog import DifferenceSearchDialog
from ui.pages.compare.gate_dialog import GateDialog
from ui.shell.window import Window
from ui.widgets.message import MessageBar

NAMES = tuple(place.name for place in PLACES)
LONG = "a rather long name of a contender compressed on two cores"
NEWS = (
    "shelf-in-the-cellar does not answer: the connection to shelf.example.org port 22 was refused by the"
    " firewall of the house next door, which somebody has to ask; the plan goes on there"
)
KINDS = (
    ("innodb", "baseline"), ("rocksdb", "baseline"), ("myisam", "baseline"), ("innodb", "cached"),
    ("rocksdb", "bloom-filters-and-zstd"), ("innodb", "o_direct"), ("myisam", "big"), ("rocksdb", "tiny"),
)  # fmt: skip
COMPARED = (
    *(f"{MARIADB}:{engine}" for engine in ("innodb", "rocksdb", "myisam")),
    *("mysql-5.6.24:innodb", "mysql-9.7.4:innodb", f"{MARIADB}:innodb:stock"),
)
CUT = CuttableStep(
    1, "update-index threads=2", "queries/s", 36_666.0,
    MeasuredSeconds([50_000.0] * 20 + [30_000.0] * 40, [1.0] * 60),
    Cut(20, 59, "the cache was still filling"),
)  # fmt: skip
SECRET = "passphrase of /home/somebody/.ssh/id_ed25519 for shelf-in-the-cellar"
NOTED = Build(
    name="mysql-5.6.24",
    base="/srv/dyno/builds/mysql-5.6.24",
    server="/srv/dyno/builds/mysql-5.6.24/bin/mysqld",
    version_text="mysqld  Ver 5.6.24 for Linux on x86_64 (MySQL Community Server (GPL))",
    notes={"revision": "fed1234", "compiler": "gcc 12", "file": "mysql-5.6.24.tar.gz", "sha256": "0" * 64},
)
SMALL, LARGE = (1280, 760), (1920, 1040)


@pytest.fixture
def settled(context: WindowContext, dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> WindowContext:
    """Nothing is asked of this computer, and a plan may be said to be carried out."""
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    changed, plans = watched(context)
    monkeypatch.setattr(plans, "adopt", lambda: None)
    return changed


@pytest.fixture
def open_window(qtbot: Any, settled: WindowContext) -> Callable[[tuple[int, int], str], Window]:
    def open_(size: tuple[int, int], appearance: str) -> Window:
        settled.theme.set_appearance(appearance)
        window = Window(settled)
        qtbot.addWidget(window, before_close_func=_let_close)
        window.resize(*size)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        qtbot.waitUntil(lambda: bool(window.pages))
        return window

    return open_


def _let_close(window: Window) -> None:
    window._may_close = True


def survey_of(home: Path, **changes: Any) -> None:
    content = made_up.survey(clock_utc=time.time(), **changes)
    Surveys(home).keep(Targets(home).get(LOCAL), DatedSurvey(time.time(), content))


def fill(context: WindowContext) -> list[str]:
    """Eight contenders, one with a long name; steps failed, sessions stopped, failed and still active."""
    survey_of(context.home)
    contenders = [
        replace(contender(engine, preset), name=LONG if at == 0 else f"{engine}-{preset}")
        for at, (engine, preset) in enumerate(KINDS)
    ]
    its_plan = plan(contenders, its_steps=steps((1, 2, 4, 8), seconds=5), target="shelf-in-the-cellar")
    makers = [
        whole(its_plan, turn.session, failed=4 if at == 3 else None)
        for at, turn in enumerate(its_plan.turns[:5])
    ]
    stopped, full, active = (Maker(its_plan, turn.session).begin() for turn in its_plan.turns[5:])
    for maker in (stopped, full, active):
        maker.step(0)
    stopped.step(1, "failed", f"sysbench: FATAL: {NEWS}")
    stopped.end("stopped", "as was asked for")
    full.add(LogEvent, source="server", level="error", text=f"2026-11-21 15:47:08 0 [ERROR] mariadbd: {NEWS}")
    full.end("failed", "the disk is full: 12 MiB are left under /srv/dyno")
    active.start_step(1)
    active.samples(1, range(-2, 3))
    keep(context, [*makers, stopped, full])
    assert isinstance(context.plans, WatchedPlans)
    context.plans.watch(its_plan, its_plan.target)
    context.plans.bring(active)
    return [turn.session for turn in its_plan.turns]


def set_up_plan(bench: BenchPage, qtbot: Any) -> None:
    """One that can run, of all builds that can start."""
    qtbot.waitUntil(lambda: bench.controller.survey is not None)
    request = made_up.request(*COMPARED, repeats=5)
    first, *others = request.contenders
    bench.controller.change(Draft(request.with_options(contenders=(replace(first, name=LONG), *others))))
    settle(qtbot, bench)
    assert bench.outcome is not None and not bench.outcome.obstacle


def show(window: Window, name: str, sessions: list[str], qtbot: Any) -> None:
    """The page with all that it has to show."""
    chosen = {"compare": sessions, "bench": []}.get(name, sessions[-1:])
    window._on_wanted(ShowPageRequest(name, tuple(chosen)))
    page = window.page(name)
    if sessions and isinstance(page, BenchPage):
        set_up_plan(page, qtbot)
    ready: dict[str, Callable[[], bool]] = {
        "live": lambda: page.watching.loaded is not None,  # type: ignore[attr-defined]
        "history": lambda: len(page._table.selected) == 1,  # type: ignore[attr-defined]
        "compare": lambda: page.body.comparison is not None,  # type: ignore[attr-defined]
    }
    if sessions and name in ready:
        qtbot.waitUntil(ready[name])
    rest(qtbot)


def rest(qtbot: Any) -> None:
    """Until what was begun has been laid out."""
    for _ in range(3):
        qtbot.wait(30)


def until_laid_out(window: QWidget, qtbot: Any) -> None:
    """What is folded out is laid out in several goes, each later on a busy machine."""
    before = None
    while (now := [(each.geometry(), each.isVisible()) for each in window.findChildren(QWidget)]) != before:
        before = now
        qtbot.wait(300)


def look_at(window: QWidget, path: Path) -> list[str]:
    """As it is seen: what pool threads have brought a moment ago is laid out first."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert window.grab().save(str(path))
    return faults(window)


@pytest.mark.parametrize("appearance", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [pytest.param(SMALL, id="small"), pytest.param(LARGE, id="large", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("state", ["empty", "filled", "error"])
def test_pages(
    open_window: Any,
    settled: WindowContext,
    qtbot: Any,
    tmp_path: Path,
    state: str,
    size: Any,
    appearance: str,
) -> None:
    sessions = fill(settled) if state != "empty" else []
    window = open_window(size, appearance)
    found = {}
    for name in NAMES:
        show(window, name, sessions, qtbot)
        if state == "error":
            window.message.show_failure(RuntimeError(NEWS))
            for message in window.page(name).findChildren(MessageBar):
                message.show_failure(DynoError(NEWS))
            rest(qtbot)
        found[name] = look_at(window, tmp_path / f"{name}-{state}-{size[0]}-{appearance}.png")
        assert (window.width(), window.height()) == size, f"{name} has made the window larger"
    assert not any(found.values()), _report(found)


@pytest.mark.parametrize("name", [*NAMES, "bench with more"])
def test_pages_with_the_largest_text(
    open_window: Any, settled: WindowContext, qtbot: Any, tmp_path: Path, name: str
) -> None:
    """In the smallest window a page may scroll down; it scrolls aside nowhere, and nothing is cut off."""
    sessions = fill(settled)
    settled.theme.set_text_size(max(TEXT_SIZES))
    try:
        window = open_window(SMALL, "light")
        show(window, name.split()[0], sessions, qtbot)
        if "more" in name:
            page = window.page("bench")
            page.sequence.more.trigger()
        until_laid_out(window, qtbot)
        areas = [each for each in window.findChildren(QScrollArea) if each.isVisible()]
        aside = {each.accessibleName(): each.horizontalScrollBar().maximum() for each in areas}
        found = look_at(window, tmp_path / f"{name}-150.png")
    finally:
        settled.theme.set_text_size(100)
    assert (window.width(), window.height()) == SMALL
    assert [each for each in found if not each.startswith("demands")] == []
    assert not any(aside.values()), aside


PLUGIN = PlainPasswordPluginError(
    parse_team_address("mysql://anna@db.example/dyno"), "sha256_password", "client_ed25519"
)
CERTIFICATE = CertificateChangedError("db.example port 3306", "SHA256:" + ":".join(["A0"] * 32), "SHA256:00")


def team_sessions_dialog(context: WindowContext, window: Window) -> TeamSessionsDialog:
    dialog = TeamSessionsDialog(context, window)
    with History(context.home) as history:
        dialog._on_found(0, page(history, Filter(), Order(), 0, 100))
    return dialog


def preset_dialog(context: WindowContext, parent: QWidget) -> PresetDialog:
    """With what two builds have said to it, one of them at length."""
    catalog, survey = Catalog(), made_up.survey()
    preset = catalog.preset("innodb", "tencent")
    target = Targets(context.home).get(LOCAL)
    dialog = PresetDialog(context, target, choices(survey, catalog), survey, preset, parent)
    dialog._on_answered(
        [
            BuildReply("mysql-9.7.4", "rejected", "innodb_table_locks", f"unknown variable; {NEWS}", 40),
            BuildReply("mysql-9.7.4", "ignored", "loose_ssl", "unknown variable 'loose_ssl=0'.", 14),
            BuildReply(MARIADB, "accepted", "", f"{MARIADB} accepts every option of tencent"),
        ]
    )
    return dialog


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_dialogs(
    open_window: Any, settled: WindowContext, qtbot: Any, tmp_path: Path, appearance: str
) -> None:
    sessions = fill(settled)
    window = open_window(SMALL, appearance)
    dialogs: dict[str, QDialog] = {
        "settings": SettingsDialog(settled, window),
        "help": HelpDialog(window.all_actions(), window),
        "palette": CommandPalette(window.all_actions(), window),
        "about": AboutDialog(settled, window),
        "closing": ClosingDialog(settled.plans, window),
        "secret": SecretDialog(SECRET, parent=window),
        "report": ReportDialog("rocksdb-default against innodb-default", window),
        "cut": CutDialog("rocksdb-default", CUT, settled.theme, window),
        "sql": CustomSqlDialog(settled, window),
        "preset": preset_dialog(settled, window),
        "several": SeveralTargetsDialog(settled, [Target(LOCAL), Target("xeon")], _no_launch, window),
        "load": LoadTargetsDialog(["client-1", "client-2"], PlanRequest(load=("client-1",)), window),
        "sweep": SweepDialog(
            Draft().with_options(vary="innodb_spin_wait_delay"), empty_field_values(None), [], window
        ),
        "install": InstallBuildDialog(settled, Target("xeon"), window),
        "build-notes": BuildNotesDialog(settled, Target("xeon"), NOTED, window),
        "snapshots": snapshots_dialog(settled, window),
        "queue": queue_dialog(settled, window),
        "explain": explain_dialog(settled, sessions, window),
        "bisect": bisect_dialog(settled, sessions, window),
        "gate": gate_dialog(settled, sessions, window, qtbot),
        "queueing": QueueingDialog("shelf-in-the-cellar", window),
        "team": TeamDialog(settled, window),
        "certificate": CertificateDialog(CERTIFICATE, window),
        "auth-plugin": AuthPluginDialog(PLUGIN, window),
        "team-sessions": team_sessions_dialog(settled, window),
    }
    found = {}
    for name, dialog in dialogs.items():
        with qtbot.waitActive(dialog):
            dialog.open()
            dialog.activateWindow()
        rest(qtbot)
        found[name] = look_at(dialog, tmp_path / f"{name}-{appearance}.png")
        dialog.close()
    assert not any(found.values()), _report(found)


def explain_dialog(context: WindowContext, sessions: list[str], window: Window) -> DifferenceSearchDialog:
    with History(context.home) as history:
        comparison = compare(history, sessions)
    dialog = DifferenceSearchDialog(context, comparison, 1, "", window)
    dialog.show_entry(shown())
    return dialog


def bisect_dialog(context: WindowContext, sessions: list[str], window: Window) -> BisectDialog:
    with History(context.home) as history:
        comparison = compare(history, sessions)
    return BisectDialog(context, comparison, 1, "", window)


def gate_dialog(context: WindowContext, sessions: list[str], window: Window, qtbot: Any) -> GateDialog:
    with History(context.home) as history:
        comparison = compare(history, sessions)
    dialog = GateDialog(context, comparison, 1, "", window)
    qtbot.waitUntil(lambda: bool(dialog.sentence.text() or dialog.message.text))
    return dialog


def _no_launch(target: Target, is_queued: bool) -> Launch:
    raise NotImplementedError(target, is_queued)


def snapshots_dialog(context: WindowContext, window: Window) -> SnapshotsDialog:
    """With one that can be used and one that cannot."""
    contender = {"build": MARIADB, "engine": "innodb", "preset": "optimized"}
    one = DataSnapshot(
        "06e60d16d7c0e5fd", made_at=1.0, size_bytes=1 << 30, contender=contender,
        tables=4, rows=1_000_000, load_method="ordered",
    )  # fmt: skip
    dialog = SnapshotsDialog(context, Target("xeon"), window)
    dialog.show_snapshots([one, replace(one, key="88aee10e916e1203", problem="ibdata1 was changed")])
    dialog.list.topLevelItem(0).setSelected(True)
    return dialog


def queue_dialog(context: WindowContext, window: Window) -> QueueDialog:
    """With one that is next, one for later, and one that is held."""
    entry = QueuedPlan("A" * 26, "compressed against plain", "0" * 64, "f", 10)
    later = replace(entry, plan="B" * 26, at=80_000.0)
    held = replace(entry, plan="C" * 26, held="mysql-5.6.24 is gone (install it, or remove the plan)")
    dialog = QueueDialog(context, Target("xeon"), window)
    dialog.show_queue(Queue([entry, later, held], "the plan duel was stopped", now=1.0))
    dialog.list.topLevelItem(1).setSelected(True)
    return dialog


def test_help_tells_the_keys_of_pages_that_were_not_seen(open_window: Any) -> None:
    window = open_window(SMALL, "light")
    told = HelpDialog(window.all_actions(), window).findChild(QTextBrowser).toPlainText()
    places = [line for line in told.splitlines() if line in ("File", "Bench", "Live", "History", "Compare")]
    assert places[:5] == ["File", "Bench", "Live", "History", "Compare"]
    assert "Skip step" in told and "Make base" in told
    shown = [menu.text() for menu in window.menuBar().actions() if menu.isVisible()]
    assert shown == ["&File", "&Bench", "&View", "&Help"]


def _report(found: dict[str, list[str]]) -> str:
    return "\n".join(f"{name} {line}" for name, lines in found.items() for line in lines)
