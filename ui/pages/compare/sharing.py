"""The comparison for other programs: copied as text, saved as an image."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.compare import Comparison
from app.compare_text import to_csv, to_markdown, to_text
from app.report.writing import FORMS as FORMS_OF_REPORT

from ...theme import Theme
from ...widgets.image import save_image
from .table import ComparisonTable

FORMS = {"text": to_text, "Markdown": to_markdown, "CSV": to_csv}
_IMAGES = "PNG image (*.png);;SVG image (*.svg)"
_REPORTS = "Web page (*.html);;Markdown (*.md)"


def copy(comparison: Comparison, form: str) -> None:
    """To the clipboard."""
    QGuiApplication.clipboard().setText(FORMS[form](comparison))


def ask_path(parent: QWidget, name: str) -> Path | None:
    """Where an image is to go; None where the person thought better of it."""
    path, chosen = QFileDialog.getSaveFileName(parent, "Save image", f"{name}.png", _IMAGES)
    if not path:
        return None
    wanted = Path(path)
    ending = ".svg" if "svg" in chosen else ".png"
    return wanted if wanted.suffix.lower() in (".png", ".svg") else wanted.with_name(wanted.name + ending)


def ask_report_path(parent: QWidget) -> Path | None:
    """Where a report is to go."""
    path, chosen = QFileDialog.getSaveFileName(parent, "Save report", "report.html", _REPORTS)
    if not path:
        return None
    wanted = Path(path)
    ending = ".md" if "md" in chosen else ".html"
    return wanted if wanted.suffix.lower() in FORMS_OF_REPORT else wanted.with_name(wanted.name + ending)


def save_table(comparison: Comparison, is_relative: bool, theme: Theme, path: Path) -> None:
    """All lines and columns of it, whatever of them is seen."""
    table = ComparisonTable(theme)
    table.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    table.figures.show(comparison, is_relative)
    table.refresh()
    for policy in (table.setVerticalScrollBarPolicy, table.setHorizontalScrollBarPolicy):
        policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    try:
        table.resize(table.whole_size)
        table.show()
        save_image(table, path)
    finally:
        table.close()
        table.deleteLater()
