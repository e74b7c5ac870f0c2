"""Scripted agents in place of targets, for as long as a test lasts and no longer."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

APP = Path(__file__).parents[1] / "app"
KEEPS = re.compile(r"^from app\.remote\.reach import .*\breached\b", re.MULTILINE)


def reach_instead(patch: pytest.MonkeyPatch, reached: Callable[..., Any]) -> None:
    """A module that keeps it by name is imported before: it would keep the stand-in for ever."""
    for name in _modules_that_keep_it():
        import_module(name)
    patch.setattr("app.remote.reach.reached", reached)


@lru_cache(maxsize=1)
def _modules_that_keep_it() -> list[str]:
    paths = [path for path in sorted(APP.rglob("*.py")) if KEEPS.search(path.read_text())]
    return [".".join(path.relative_to(APP.parent).with_suffix("").parts) for path in paths]
