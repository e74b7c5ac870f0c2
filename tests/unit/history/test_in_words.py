"""What journals say only in words is read at one place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import app
from app.history.recorded.in_words import DataAndStartWords, has_wrong_rows, is_of_snapshot

ROOT = Path(app.__file__).parent.parent


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ("fresh", {"source": "load"}),
        ("fresh, kept as snapshot ab", {"source": "load", "snapshot": "ab"}),
        ("fresh, not kept: the disk is full", {"source": "load", "not_kept": "the disk is full"}),
        ("snapshot ab, reflinks", {"source": "snapshot", "snapshot": "ab", "copy": "reflinks"}),
        ("snapshot ab", {"source": "snapshot", "snapshot": "ab"}),
    ],
)
def test_old_words_mean_what_is_data_today(load: str, said: dict[str, str]) -> None:
    old = {"load": load, "start": "snapshot", "pause_s": 3}
    assert DataAndStartWords.of(old) == DataAndStartWords.of({**old, **said})
    assert DataAndStartWords.of(old).source


@pytest.mark.parametrize("fact", [{}, {"load": "by hand"}, {"load": None}, {"load": 7, "start": None}])
def test_words_of_nobody_are_unknown(fact: dict[str, Any]) -> None:
    assert DataAndStartWords.of(fact).source == DataAndStartWords.of(fact).snapshot == ""


@pytest.mark.parametrize(
    ("reason", "is_so"),
    [
        ("from the snapshot of this data", True),
        ("from the snapshot ab12", True),
        ("skipped by a person", False),
    ],
)
def test_a_step_that_a_snapshot_spares(reason: str, is_so: bool) -> None:
    assert is_of_snapshot(reason) == is_so


@pytest.mark.parametrize(
    ("work", "is_so"),
    [
        ({"problem": "400.0 rows read per event, 10.0 expected"}, False),
        ({"problem": "9.0 rows changed per event, 0.0 expected"}, True),
        ({"problem": "any words", "wrong": ["read"]}, False),
        ({"problem": "any words", "wrong": ["read", "returned"]}, True),
        ({}, True),
        ({"problem": ""}, True),
    ],
)
def test_rows_that_are_other_results(work: dict[str, Any], is_so: bool) -> None:
    assert has_wrong_rows(work) == is_so


def test_nobody_else_reads_the_words_again() -> None:
    files = [path for part in ("app", "ui") for path in (ROOT / part).rglob("*.py")]
    having = {path.name for path in files if re.search(r"re\.\w+\(r?\".*snapshot ", path.read_text())}
    assert having == {"in_words.py"}
