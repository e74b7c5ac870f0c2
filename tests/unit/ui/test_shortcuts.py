"""One map of keys: nothing else gives one, and a key means one thing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ui.core.shortcuts import SHORTCUTS

UI = Path(__file__).parents[3] / "ui"
TEXTS = {path: path.read_text(encoding="utf-8") for path in UI.rglob("*.py") if path.name != "shortcuts.py"}


def test_a_key_means_one_thing() -> None:
    assert [key for key, many in Counter(SHORTCUTS.values()).items() if many > 1] == []


def test_every_key_is_used() -> None:
    everything = "\n".join(TEXTS.values())
    assert [means for means in SHORTCUTS if f'"{means}"' not in everything] == []


def test_no_other_file_names_a_key() -> None:
    literal = re.compile(r'"(?:(?:Ctrl|Alt|Shift)\+[^"]+|F\d+|Del)"')
    assert {path.name: found for path, text in TEXTS.items() if (found := literal.findall(text))} == {}
