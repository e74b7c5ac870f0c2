"""Verdicts in the table of the Compare page: what is coloured, what is not, and why, as a person sees it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox
from pytestqt.qtbot import QtBot

from app.cli import main
from app.comparison.verdicts.judgement import MARKED, SIGNS
from app.comparison.verdicts.rounds import OF_ROUNDS
from app.core.settings import read_settings
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import WITHOUT_WORK
from tests import comparable, journals, sliced
from tests.plans import MARIADB
from tests.ui.compare.seen import Open, base_of, button, columns_of, panel, texts
from tests.ui.find import find
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.theme import Theme
from ui.models.comparison import COLUMN, FIXED
from ui.models.judged import CellAppearance
from ui.pages.compare import ComparePage
from ui.pages.compare.bars import BarsPanel
from ui.widgets.image import save_image

ACROSS = "\N{LEFT RIGHT ARROW}"
TIP = Qt.ItemDataRole.ToolTipRole


def cells(page: ComparePage, column: int, step: str = "") -> list[CellAppearance]:
    """Of the steps that are judged, or of one."""
    model = page.body.table.figures
    rows = [(at, row) for at in range(model.rowCount()) if (row := model.row_at(at))]
    return [
        model.cell(at, len(FIXED) + column)
        for at, row in rows
        if row.kind not in WITHOUT_WORK and step in ("", row.workload)
    ]


def tip(page: ComparePage, column: int, step: str) -> str:
    model = page.body.table.figures
    row = next(at for at in range(model.rowCount()) if (r := model.row_at(at)) and r.workload == step)
    return str(model.index(row, len(FIXED) + column).data(TIP))


def box(page: ComparePage, name: str) -> QDoubleSpinBox:
    return find(page, QDoubleSpinBox, name)


def legend(page: ComparePage) -> str:
    return page.limits.legend.text()


def test_only_what_is_beyond_the_noise_is_coloured(opened: Open, page: ComparePage) -> None:
    """In a noise of 10 % the second column is at 0.62 of the first, the fourth at 0.97."""
    opened(4, repeats=5)
    assert {(cell.tint is None, cell.sign) for cell in cells(page, 0)} == {(True, "")}
    assert {cell.sign for cell in cells(page, 1)} == {"\N{BLACK DOWN-POINTING TRIANGLE}"}
    assert all(cell.tint is not None for cell in cells(page, 1))
    assert "~" in {cell.sign for cell in cells(page, 3)}
    assert all((cell.tint is None) == (cell.sign == "~") for cell in cells(page, 3))
    assert "~ undecided" in legend(page)
    told = tip(page, 1, "update-index")
    assert "worse: beyond the noise, and large enough to matter (Welch, 5 against 5: p < 0.0001)" in told
    assert "the median of 5, lowest and highest" in told


def test_columns_of_two_plans_are_across_time(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    """In a noise of 10 %: the first contender today, the second, at 0.62 of it, tomorrow."""
    first = comparable.plan(1, repeats=5)
    both = comparable.plan(2, repeats=5, number=2)
    later = replace(both, turns=[turn for turn in both.turns if turn.contender == 1])
    ids = (*comparable.keep(context.home, first), *comparable.keep(context.home, later))
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert {cell.beside for cell in cells(page, 1)} == {ACROSS} and {
        cell.beside for cell in cells(page, 0)
    } == {""}
    assert "across time: the variance between plans is added" in tip(page, 1, "update-index")
    assert "Measure both again in one plan, alternating" in tip(page, 1, "update-index")
    assert "10% assumed: no canary run yet, 8 needed" in page.warning.text
    assert f"{ACROSS} across time or machines" in legend(page)
    means = [row[4] for row in texts(page) if row[0].startswith("geometric mean")]
    assert means and all(ACROSS in mean for mean in means)
    with qtbot.waitSignal(context.bus.wanted) as asked:
        qtbot.mouseClick(button(page.warning, "Measure again…"), Qt.MouseButton.LeftButton)
    wanted = asked.args[0]
    assert wanted.page == "bench" and set(wanted.sessions) == set(ids) and wanted.sessions[0] == ids[0]


def test_a_repeat_that_is_left_out_is_counted_beside_the_figure(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    plan = comparable.plan(2, repeats=4)
    ids = comparable.keep(context.home, plan, marked={(1, "update-index", 2)})
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert {(cell.beside, cell.is_warning) for cell in cells(page, 1, "update-index")} == {
        ("\N{MINUS SIGN}1", True)
    }
    assert all(cell.tint is not None for cell in cells(page, 1, "update-index"))
    assert "1 of 4 repeats left out: indebted" in tip(page, 1, "update-index")
    assert "the median of 3," in tip(page, 1, "update-index")


def test_a_single_session_is_never_coloured(opened: Open, page: ComparePage) -> None:
    """How steady it was in itself stands beside it, and what that is not."""
    opened(2, its_steps=comparable.steps((1,), seconds=40))
    assert all(cell.tint is None and cell.sign == "" for column in (0, 1) for cell in cells(page, column))
    assert "the noise between repeats is unknown" in legend(page)
    for column in (0, 1):
        (cell,) = cells(page, column, "update-index")
        assert cell.beside.startswith("\N{PLUS-MINUS SIGN}") and not cell.is_warning
    assert "blocks of seconds are within" in tip(page, 1, "update-index")
    assert "\nsteadiness of its seconds: steady" in tip(page, 1, "update-index")
    assert legend(page).endswith("\N{PLUS-MINUS SIGN} within a session")
    page.controls.turn()
    assert all(cell.beside for cell in cells(page, 1, "update-index"))
    assert not any(cell.beside for cell in cells(page, 1, "load"))


def test_another_base_takes_nothing_away_from_beside_the_figures(
    qtbot: QtBot, opened: Open, page: ComparePage
) -> None:
    ids = opened(2, its_steps=comparable.steps((1,), seconds=40))
    before = [[cell.beside for cell in cells(page, at, "update-index")] for at in (0, 1)]
    page.body.table.base_wanted.emit(1)
    qtbot.waitUntil(lambda: base_of(page) == ids[1])
    assert [[cell.beside for cell in cells(page, at, "update-index")] for at in (0, 1)] == before


def test_how_long_a_server_settled_is_no_difference(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=5)
    assert "not judged: how long a server took to settle or start" in tip(page, 1, "settle")


def test_two_repeats_are_not_enough(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=2)
    assert {(cell.tint is None, cell.sign) for cell in cells(page, 1)} == {(True, "?")}
    assert "? fewer than 3 repeats" in legend(page)


def test_marked_and_failed_steps_are_never_coloured(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    plan = comparable.plan(3, repeats=5)
    ids = comparable.keep(context.home, plan, {(2, "read-only")}, {(1, "update-index")})
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 3)
    marked = {(cell.tint, cell.beside, cell.sign) for cell in cells(page, 1, "update-index")}
    assert marked == {(None, "!", SIGNS[MARKED])} and SIGNS[MARKED] != "!"
    assert (
        f"{SIGNS[MARKED]} not judged: something went wrong, here or in the base   ! hover to see a remark"
        in legend(page)
    )
    assert "indebted" in tip(page, 1, "update-index")
    assert {(cell.text, cell.tint, cell.beside) for cell in cells(page, 2, "read-only")} == {
        ("", None, "! failed")
    }
    assert all(cell.tint is not None for cell in cells(page, 2, "update-index"))


def until_decided(dyno_home: Path, **limits: float) -> tuple[str, ...]:
    """The sessions of such a plan; rounds are within 1 % of one another, one step differs by a half."""
    made = replace(comparable.plan(2, repeats=8), until_decided=True, **limits)  # type: ignore[arg-type]
    ids = tuple(turn.session for turn in made.turns)
    with History(dyno_home) as history:
        for turn in made.turns:
            maker = journals.Maker(made, turn.session).begin()
            for at, step in enumerate(made.steps):
                factor = 1.5 if turn.contender and step.workload == "read-only" else 1.0
                maker.step(at, value=(1000 + turn.ordinal // 2) * factor)
            JournalStorer(history).append(made.id, turn.session, 0, maker.end().raw)
    return ids


def test_a_plan_until_decided_is_judged_by_its_own_limits(
    qtbot: QtBot, opened: Open, page: ComparePage, dyno_home: Path
) -> None:
    boxes = box(page, "Smallest change to highlight"), box(page, "False discovery rate")
    boxes[0].setValue(50.0)
    page.open(ShowPageRequest("compare", until_decided(dyno_home, matters_pct=4.0, false_share_pct=1.0)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert [(each.value(), each.isEnabled()) for each in boxes] == [(4.0, False), (1.0, False)]
    assert "it measured until the limit was met" in boxes[0].toolTip()
    assert cells(page, 1, "read-only")[0].word == "better"  # a half: a person asks for more
    assert "not by differences of 50%" in page.warning.text
    opened(5, repeats=5, number=2)
    assert [(each.value(), each.isEnabled()) for each in boxes] == [(50.0, True), (5.0, True)]
    assert read_settings(page.context.home).matters_pct == 50.0


def test_same_is_no_difference_and_no_colour(qtbot: QtBot, page: ComparePage, dyno_home: Path) -> None:
    page.open(ShowPageRequest("compare", until_decided(dyno_home)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    (same, *_), (better, *_) = (cells(page, 1, name) for name in ("point-query", "read-only"))
    assert (same.sign, same.tint, same.word) == ("=", None, "=")
    assert (better.sign, better.tint is None) == ("\N{BLACK UP-POINTING TRIANGLE}", False)
    assert "= no difference that matters" in legend(page)
    assert "the same: no difference that matters, noise included (Welch" in tip(page, 1, "point-query")


def test_limits_are_changed_above_the_table_and_kept(
    qtbot: QtBot, opened: Open, page: ComparePage, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = opened(5, repeats=5)  # the last column is at 1.3
    matters = box(page, "Smallest change to highlight")
    assert (matters.value(), box(page, "False discovery rate").value()) == (2.0, 5.0)
    assert all(cell.tint is not None for cell in cells(page, 4))
    matters.setValue(50)
    qtbot.waitUntil(lambda: all(cell.tint is None for cell in cells(page, 4)))
    assert {cell.sign for cell in cells(page, 4)} <= {"=", "\N{ALMOST EQUAL TO}"}
    assert "too small to matter" in tip(page, 4, "update-index")
    qtbot.waitUntil(lambda: read_settings(page.context.home).matters_pct == 50.0)
    again = ComparePage(page.context)
    qtbot.addWidget(again)
    assert box(again, "Smallest change to highlight").value() == 50.0
    assert main(["compare", *ids, "--details"]) == 0
    assert "50% or more" in capsys.readouterr().out.replace("\n", " ")
    assert main(["compare", *ids, "--difference", "2"]) == 0
    assert "better" in capsys.readouterr().out
    box(page, "False discovery rate").setValue(0)
    qtbot.waitUntil(lambda: {cell.sign for cell in cells(page, 4)} == {"~"})


def test_spread_n_and_p_are_shown_where_they_are_asked_for(
    qtbot: QtBot, opened: Open, page: ComparePage
) -> None:
    opened(2, repeats=5)
    table = page.body.table
    height, width = table.rowHeight(1), table.columnWidth(len(FIXED) + 1)
    assert not any(cell.below for cell in cells(page, 1))
    shown = find(page, QCheckBox, "Spread, n, p")
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton)
    assert all(cell.below.endswith("n=5 p<0.0001") for cell in cells(page, 1))
    assert all(cell.below.endswith("n=5") for cell in cells(page, 0))
    assert table.rowHeight(1) > height and table.columnWidth(len(FIXED) + 1) >= width
    assert table.horizontalHeader().length() <= table.viewport().width()  # the charts make room
    assert page.context.memory.value("compare/details", False)


def test_each_group_ends_with_its_geometric_mean(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=5)
    assert page.body.comparison
    shown = texts(page)
    means = [row for row in shown if row[0].startswith("geometric mean")]
    assert {row[2] for row in means} == {"queries/s"}
    groups = {group.group: group for group in page.body.comparison.groups}
    ratio = groups["point-query"].ratios[1]
    assert ratio and means[0][4] == f"{ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
    model = page.body.table.figures
    assert model.index(shown.index(means[0]), 0).data(TIP) == "Geometric mean of 4 steps"
    told = str(model.index(shown.index(means[0]), len(FIXED) + 1).data(TIP))
    assert "with an interval: all intervals hold at once" in told
    assert model.row_at(shown.index(means[0])) is None  # the keyboard goes past it


def test_what_is_copied_has_words_beside_the_ratios(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=5)
    page.body.table.choose(1, 4)
    assert page.body.table.selected_text().splitlines()[1].endswith(" worse")


@pytest.mark.parametrize("form", ["text", "Markdown"])
def test_what_is_copied_has_what_stands_beside_and_below_the_figures(
    qtbot: QtBot, opened: Open, page: ComparePage, form: str
) -> None:
    opened(2, its_steps=comparable.steps((1,), seconds=40))
    qtbot.waitUntil(lambda: all(cell.beside for cell in cells(page, 1, "update-index")))
    page.sharing.copy(form)
    (cell,) = cells(page, 1, "update-index")
    assert f" {cell.beside}" in QGuiApplication.clipboard().text()
    assert "n=1" not in QGuiApplication.clipboard().text()
    find(page, QCheckBox, "Spread, n, p").click()
    page.sharing.copy(form)
    assert f"within {cell.beside} n=1" in QGuiApplication.clipboard().text()


def test_repeats_on_one_load_are_told_apart_in_the_head(opened: Open, page: ComparePage) -> None:
    opened(2, repeats=3)
    assert page.body.comparison
    columns = [replace(each, loads=1, server_starts=3) for each in page.body.comparison.columns]
    found = replace(page.body.comparison, columns=columns)
    page.body.table.figures.show(found, is_relative=True)
    head = [
        page.body.table.figures.headerData(len(FIXED), Qt.Orientation.Horizontal, role)
        for role in (COLUMN, TIP)
    ]
    assert head[0].n == "n = 3, 1 load"
    assert "3 repeats: 1 load, 3 server starts" in head[1]


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_text_is_legible_on_the_strongest_tint(theme: Theme, appearance: str) -> None:
    theme.set_appearance(appearance)
    for word in ("better", "worse"):
        tint = theme.verdict(word, 8.0)
        assert tint is not None and theme.verdict("~", 8.0) is None
        assert contrast(theme.colour("text"), laid(tint, theme.colour("base"))) >= 4.5


def laid(tint: QColor, ground: QColor) -> QColor:
    """What is seen where a tint lies over a ground."""
    share = tint.alphaF()
    pairs = zip(tint.getRgb()[:3], ground.getRgb()[:3], strict=True)
    return QColor(*(round(ours * share + behind * (1 - share)) for ours, behind in pairs))


def contrast(one: QColor, other: QColor) -> float:
    """As the guidelines for web content have it."""

    def light(colour: QColor) -> float:
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_columns_in_slices_are_judged_by_round(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    """Rounds lie 50 % apart; of each the second contender is 5 % slower."""
    with History(context.home) as history:
        ids = sliced.keep(history, sliced.plan(), (1.0, 0.95))
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    assert {cell.sign for cell in cells(page, 1)} == {"\N{BLACK DOWN-POINTING TRIANGLE}"}
    told = tip(page, 1, "update-index")
    assert "worse: beyond the noise, and large enough to matter (Student's t, 5 repeats: p < 0.0001)" in told
    assert OF_ROUNDS in page.limits.toolTip() and "the median of its repeats" in legend(page)
    assert (
        "Student's t over repeats, 3 results" in page.limits.toolTip() and "Welch" not in legend(page) + told
    )


def test_a_picture_of_bars_names_what_is_not_judged(
    qtbot: QtBot, context: WindowContext, page: ComparePage, tmp_path: Path
) -> None:
    marked = {(1, "update-index", repeat) for repeat in (1, 2, 3)}
    ids = comparable.keep(context.home, comparable.plan(2, repeats=3), marked=marked)
    page.open(ShowPageRequest("compare", ids))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    bars = panel(qtbot, page, BarsPanel)
    save_image(bars.picture, tmp_path / "bars.svg", bars.caption)
    svg = (tmp_path / "bars.svg").read_text()
    assert "indebted, not judged" in svg
    assert f"{MARIADB}-innodb-preset0 (base, n = 3), {MARIADB}-rocksdb-preset0 (n = 3), on local" in svg


def test_what_it_comes_to_stands_above_the_table(
    qtbot: QtBot, opened: Open, context: WindowContext, page: ComparePage
) -> None:
    opened(2)
    none = (
        "MyRocks measured at 0.56 to 0.66 of InnoDB's rate over 9 steps: none of these is judged (measured "
    )
    assert page.verdict.isVisible() and page.verdict.text().startswith(none)
    with History(context.home) as history:
        ids = sliced.keep(history, sliced.plan(number=7), (1.0, 0.95))
    page.open(ShowPageRequest("compare", tuple(ids)))
    qtbot.waitUntil(lambda: "load: " in page.verdict.text())
    load = next(each for each in page.verdict.text().splitlines() if each.startswith("load"))
    assert load == "load: MyRocks at 0.95 of InnoDB's rate (95% sure: 0.94 to 0.96): slower."
    page.body.table.base_wanted.emit(1)
    qtbot.waitUntil(lambda: "InnoDB at 1.05 of MyRocks" in page.verdict.text())
