"""What a person chooses for the charts: an earlier session behind them, a series, where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from app.core.errors import DynoError
from app.core.files import write_file
from app.core.harmless import as_file_name, harmless
from app.core.units import unit_text
from app.history.lists.sessions import SessionEntry
from app.history.steps.series import SeriesEntry
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button
from ui.widgets.charts.time_axis import TimeAxis
from ui.widgets.image import copy_image, save_image
from ui.widgets.layouts import in_row, open_disposable_dialog
from ui.widgets.wide_list import WideListComboBox

from .charts import SessionCharts

SERIES = "live/series"  # where the last choice is remembered
FIRST_SERIES = "host.context_switches"
_NO_GHOST = "no earlier session"
_FORMATS = "Picture (*.png);;Drawing (*.svg);;Numbers (*.csv)"


class ChartChoices(QWidget):
    """The line above the charts."""

    ghost_chosen = Signal(str)  # session id, empty: none
    series_chosen = Signal(str)
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, axis: TimeAxis, charts: SessionCharts, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._axis = axis
        self._charts = charts
        self._file_name = "session"
        self._units: dict[str, str] = {}  # by series
        self.series = str(context.memory.value(SERIES, FIRST_SERIES))
        tip = "Go along with the running step, from session to session"
        self.follow = action(page, "Follow", "follow", tip, self._toggle_follow, checkable=True)
        tip = "Show the whole session in the charts"
        self.whole = action(page, "Whole session", "whole", tip, axis.reset)
        tip = "Save the charts as PNG or SVG, or their numbers as CSV"
        self.save = action(page, "Save charts…", "save chart", tip, self._ask_where)
        tip = "Copy the charts to the clipboard as a picture"
        self.copy = action(
            page, "Copy charts", "copy chart", tip, lambda: copy_image(charts, charts.caption())
        )
        self._ghosts = _combo("Draw an earlier session behind the curves; steps begin together", 30)
        self._series = _combo("The series of the last chart", 24)
        self._follow_button = action_button(self.follow)
        self._arrange()
        self._ghosts.activated.connect(lambda at: self.ghost_chosen.emit(self._ghosts.itemData(at)))
        self._series.activated.connect(self._on_series_activated)
        axis.following_changed.connect(self.follow.setChecked)
        self.follow.setChecked(axis.is_following)

    def _arrange(self) -> None:
        left = (self._follow_button, action_button(self.whole))
        boxes: list[QWidget] = []
        for text, box in (("&Overlay", self._ghosts), ("Last &chart", self._series)):
            box.setAccessibleName(text.replace("&", ""))
            boxes += [PlainTextLabel(text, "muted", buddy=box), box]
        row = in_row(*left, *boxes, 1, action_button(self.save), action_button(self.copy))
        row.insertSpacing(len(left), SPACE)
        self.setLayout(row)

    def _toggle_follow(self) -> None:
        if self._axis.is_following:
            self._axis.set_following(False)
        else:
            self._axis.follow()
        self.follow.setChecked(self._axis.is_following)

    def offer_follow(self, is_active: bool) -> None:
        """Highlight *Follow* while a plan runs and the person looks elsewhere."""
        is_offered = is_active and not self._axis.is_following
        if is_offered != bool(self._follow_button.property("offered")):
            self._follow_button.setProperty("offered", is_offered)
            self._follow_button.style().polish(self._follow_button)

    def show_ghosts(self, session: SessionEntry, ghosts: Sequence[SessionEntry], chosen: str) -> None:
        """Show earlier sessions, first those with the same work."""
        self._file_name = as_file_name(session["name"])
        self._ghosts.clear()
        self._ghosts.addItem(_NO_GHOST, "")
        for ghost in ghosts:
            is_same = ghost["work_key"] == session["work_key"]
            date = (ghost["started_at"] or "")[:16].replace("T", " ")
            other = "" if is_same else f"  ({ghost['sequence']}, other work)"
            self._ghosts.addItem(harmless(f"{ghost['name']}  {date}{other}"), ghost["id"])
        self._ghosts.setCurrentIndex(max(self._ghosts.findData(chosen), 0))

    def show_series(self, series: Sequence[SeriesEntry]) -> None:
        self._units = {each["name"]: each["unit"] for each in series}
        self._series.clear()
        for each in series:
            text = each["label"] or each["name"]
            named = f"{text} ({unit_text(each['unit'])})" if each["unit"] else text
            self._series.addItem(harmless(named), each["name"])
        self._series.setCurrentIndex(self._series.findData(self.series))

    def _on_series_activated(self, at: int) -> None:
        self.series = self._series.itemData(at)
        self._context.memory.keep(SERIES, self.series)
        self.series_chosen.emit(self.series)

    def _ask_where(self) -> None:
        dialog = QFileDialog(self.window(), "Save charts", self._context.memory.folder, _FORMATS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("png")
        dialog.selectFile(f"{self._file_name}.png")
        dialog.fileSelected.connect(self._save_to)
        open_disposable_dialog(dialog)

    def _save_to(self, name: str) -> None:
        path = Path(name)
        try:
            if path.suffix.lower() == ".csv":
                write_file(path, self._charts.csv(self._units))
            else:
                save_image(self._charts, path, self._charts.caption())
        except DynoError as error:
            self.failed.emit(error)
        else:
            self._context.bus.saved.emit(path, f"{path.name} is saved")


def _combo(tip: str, letters: int) -> QComboBox:
    box = WideListComboBox()
    box.setToolTip(as_tip(tip))
    box.setMaxVisibleItems(20)
    box.setPlaceholderText("none")
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(letters)
    box.setMinimumWidth(12 * SPACE)  # it gives way where the window is narrow
    return box
