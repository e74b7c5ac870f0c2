"""A widget as a person finds it: by its kind and the text on it, or the name that is read out."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QWidget

T = TypeVar("T", bound=QObject)


def find(part: QObject, kind: type[T], text: str = "") -> T:
    """The only one of this kind; with a text the only one that is known by it."""
    (one,) = (each for each in part.findChildren(kind) if not text or text in _names(each))
    return one


def _names(each: QObject) -> list[str]:
    texts = (str(getattr(each, name, str)()) for name in ("text", "accessibleName"))
    return [text.replace("&", "") for text in texts]


def label_texts(part: QWidget) -> list[str]:
    return [label.text() for label in part.findChildren(QLabel)]
