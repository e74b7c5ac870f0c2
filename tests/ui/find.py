"""A widget as a person finds it: by its kind and the text on it, in it, beside it, or read out."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QWidget

T = TypeVar("T", bound=QObject)


def find(part: QObject, kind: type[T], text: str = "") -> T:
    """The only one of this kind; with a text the only one that is known by it."""
    beside = {label.buddy(): plain(label.text()) for label in part.findChildren(QLabel)}
    (one,) = (
        each for each in part.findChildren(kind) if not text or text in (*_names(each), beside.get(each))
    )
    return one


def _names(each: QObject) -> list[str]:
    return [plain(str(getattr(each, name, str)())) for name in ("text", "accessibleName", "placeholderText")]


def plain(text: str) -> str:
    return text.replace("&", "")


def label_texts(part: QWidget) -> list[str]:
    return [label.text() for label in part.findChildren(QLabel)]
