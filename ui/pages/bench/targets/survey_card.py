"""A survey as a person reads it: the machine, its disk, what is installed, what would spoil a measurement."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.harmless import harmless
from app.core.units import ago_text, bytes_text, count_text, date_text
from app.protocol.answers import Build, Cpu, DataSnapshot, Disk, Survey
from app.targets.builds import build_notes_text, problem_of
from app.targets.surveys import DatedSurvey
from app.targets.tested_versions import how_tested
from app.variables.memory_text import supported_memory_settings
from ui.core.index import Index
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.layouts import in_column
from ui.widgets.pairs import TitleTextGrid
from ui.widgets.wrapping_row import WrappingRow

_KINDS = {"nvme": "NVMe", "ssd": "SSD", "hdd": "hard disk", "memory": "in memory", "file": "in a file"}


class SurveyCard(QFrame):
    """Shows a survey; empty without one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName("Survey")
        self._survey: DatedSurvey | None = None
        self._head, self._age = PlainTextLabel(role="heading", wraps=True), PlainTextLabel(role="muted")
        self._facts = TitleTextGrid()
        self._warnings, self._builds_head = PlainTextLabel(role="heading"), PlainTextLabel(role="heading")
        self._warning_lines = QVBoxLayout()
        self._warning_labels: list[QLabel] = []
        self._buttons = WrappingRow()
        self.builds = BuildTree()
        self._nothing = PlainTextLabel(
            "Not surveyed yet. Survey the target to see its hardware and builds.", "muted", wraps=True
        )
        shown = (self._nothing, self._head, self._age, self._facts, self._warnings, self._warning_lines)
        parts = (*shown, self._builds_head, self.builds, self._buttons)
        self.setLayout(in_column(*parts, margins=(SPACE, SPACE, SPACE, SPACE)))
        self.clear()

    def show_survey(self, survey: DatedSurvey) -> None:
        content = survey.content
        self._survey = survey
        self._set_empty(False)
        self._head.setText(cpu_text(content.cpu))
        self._facts.show_pairs(facts_of(content))
        self._show_warnings(content.warnings)
        builds = content.builds
        unable = sum(1 for build in builds if build.problem)
        self._builds_head.setText(
            (f"{len(builds)} build{'s' * (len(builds) != 1)}" if builds else "No builds found")
            + (f", {unable} cannot start" if unable else "")
        )
        self.builds.show_builds(builds)
        self.update_time()

    def add_button(self, button: QPushButton) -> None:
        """Add a button for what the survey has found."""
        self._buttons.addWidget(button)

    def clear(self) -> None:
        self._survey = None
        self.builds.show_builds(())
        self._set_empty(True)

    def update_time(self) -> None:
        """Update the age."""
        if self._survey:
            self._age.setText(f"Surveyed {ago_text(self._survey.at, time.time())}")
            self._age.setToolTip(as_tip(date_text(self._survey.at)))

    def _set_empty(self, is_empty: bool) -> None:
        self._nothing.setVisible(is_empty)
        for widget in (self._head, self._age, self._facts, self._warnings, self._builds_head, self.builds):
            widget.setHidden(is_empty)
        if is_empty:
            self._show_warnings([])

    def _show_warnings(self, warnings: Sequence[str]) -> None:
        while len(self._warning_labels) < len(warnings):
            self._add_warning()
        self._warnings.setVisible(bool(warnings))
        self._warnings.setText("1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings")
        for at, label in enumerate(self._warning_labels):
            label.setVisible(at < len(warnings))
            label.setText(f"⚠ {warnings[at]}" if at < len(warnings) else "")

    def _add_warning(self) -> None:
        label = PlainTextLabel(role="warn", wraps=True, selectable=True)
        self._warning_lines.addWidget(label)
        self._warning_labels.append(label)


class BuildTree(QTreeWidget):
    """The builds of a survey; those that cannot start are grey, with the reason."""

    removal_wanted = Signal()  # Del

    def __init__(self) -> None:
        super().__init__()
        self.builds: Sequence[Build] = ()
        self.setAccessibleName("Builds")
        self.setHeaderLabels(["Build", "Engines"])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setStyleSheet("QTreeWidget::item { padding: 4px 2px; }")
        self.setItemDelegate(_GreyDelegate(self))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.header().setStretchLastSection(True)

    @property
    def chosen(self) -> Build | None:
        """The selected build."""
        rows = [index.row() for index in self.selectionModel().selectedRows()]
        return self.builds[rows[0]] if rows else None

    def show_builds(self, builds: Sequence[Build]) -> None:
        """Show builds; the selection stays if it exists."""
        base = self.chosen.base if self.chosen else None
        self.clear()
        self.builds = builds
        for build in builds:
            item = _build_item(build)
            self.addTopLevelItem(item)
            if build.base == base:
                self.setCurrentItem(item)
        self.setVisible(bool(builds))
        row = self.sizeHintForRow(0) if builds else 0
        self.setFixedHeight(self.header().sizeHint().height() + row * len(builds) + 2 * self.frameWidth() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.chosen is not None:
            self.removal_wanted.emit()
        else:
            super().keyPressEvent(event)


def _build_item(build: Build) -> QTreeWidgetItem:
    version = how_tested(build.family, build.version)
    engines = ("" if version.is_tried else f"{version.how}: ") + " ".join(build.engines)
    texts = (build.name, f"cannot start: {build.problem}" if build.problem else engines)
    item = QTreeWidgetItem([harmless(text) for text in texts])
    notes = build_notes_text(build.notes or {})
    said = (build.version_text, build.server, version.text, problem_of(build), notes)
    tip = "\n".join(filter(None, said))
    for column in (0, 1):
        item.setToolTip(column, as_tip(tip))
    return item


class _GreyDelegate(QStyledItemDelegate):
    """Paints a build that cannot start as disabled, though it can be selected."""

    def __init__(self, tree: BuildTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if self._tree.builds[index.row()].problem:
            option.state &= ~QStyle.StateFlag.State_Enabled


def cpu_text(cpu: Cpu) -> str:
    cores, threads = count_text(cpu.cores, "core"), count_text(cpu.threads, "thread")
    return f"{cpu.model or 'Unknown CPU'}, {cores}, {threads}"


def facts_of(survey: Survey) -> Iterator[tuple[str, str]]:
    """Names and values in order of importance, without unknown ones."""
    memory, available = survey.memory_bytes, survey.memory_available_bytes
    if memory:
        yield "Memory", bytes_text(memory) + (f", {bytes_text(available)} available" if available else "")
    if disk := survey.disk:
        yield "Disk", disk_text(disk)
        yield "Directory", disk.path or ""
    yield "Snapshots", snapshots_text(survey.snapshots)
    system = [survey.distribution, f"Linux {survey.kernel}" if survey.kernel else ""]
    yield "System", ", ".join(filter(None, system))
    if clock := _clock_text(survey):
        yield "Clock speed", clock
    yield "User", survey.user or ""
    yield "Python", survey.python or ""
    yield "sysbench", survey.sysbench or "not installed"
    yield from supported_memory_settings(survey)


def _clock_text(survey: Survey) -> str:
    turbo = survey.turbo
    words = [survey.governor or "", "" if turbo is None else "turbo on" if turbo else "turbo off"]
    return ", ".join(filter(None, words))


def snapshots_text(kept: Sequence[DataSnapshot]) -> str:
    size = sum(each.size_bytes or 0 for each in kept)
    return f"{len(kept)} stored, {bytes_text(size)}" if kept else ""


def disk_text(disk: Disk) -> str:
    kind, total = disk.kind or "", disk.total_bytes
    what = disk.model or disk.device or "unknown"
    words = [f"{what} ({_KINDS.get(kind, kind)})" if kind else what, disk.filesystem or ""]
    if disk.free_bytes is not None:
        words.append(bytes_text(disk.free_bytes) + (f" of {bytes_text(total)}" if total else "") + " free")
    return ", ".join(filter(None, words))
