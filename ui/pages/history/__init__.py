"""History: find sessions again, look at them, send them on."""

from .page import HistoryPage

__all__ = ["HistoryPage"]
