"""What charts take from pyqtgraph; its only import.

pyqtgraph copies every name of Qt when it is imported, and PySide6 makes a class when its name is first used:
700 classes, a fifth of the CPU that the first chart takes. Here the copies look a name up when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets

_COPIED = {"QtCore": QtCore, "QtGui": QtGui, "QtWidgets": QtWidgets}


class _Copy(ModuleType):
    """A module of Qt as pyqtgraph sees and extends it."""

    def __init__(self, name: str, of: ModuleType) -> None:
        super().__init__(name)
        self._of = of

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and not name.startswith("__version"):
            raise AttributeError(name)
        value = getattr(self._of, name)
        setattr(self, name, value)
        return value


@contextmanager
def _nothing_to_copy() -> Iterator[None]:
    """pyqtgraph goes by `dir`."""
    of_qt = {module: vars(module).get("__dir__") for module in _COPIED.values()}
    for name, module in _COPIED.items():
        sys.modules.setdefault(f"pyqtgraph.Qt.{name}", _Copy(f"pyqtgraph.Qt.{name}", module))
        vars(module)["__dir__"] = list
    try:
        yield
    finally:
        for module, before in of_qt.items():
            vars(module)["__dir__"] = before
            if before is None:
                del vars(module)["__dir__"]


with _nothing_to_copy():
    from pyqtgraph import GraphicsView, PlotCurveItem, ViewBox, mkPen  # type: ignore[import-untyped]

__all__ = ["GraphicsView", "PlotCurveItem", "ViewBox", "mkPen"]
