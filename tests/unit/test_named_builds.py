"""Tests that start a server take the version that they find: none names the one of a certain machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

TESTS = Path(__file__).parents[1]
MADE_UP = {TESTS / "plans.py", TESTS / "journals.py"}
RECORDED = {TESTS / "unit/agent/test_options.py"}  # what servers printed
OF_A_SYSTEM = re.compile(r"\b10\.11\b")
OF_A_DAY = re.compile(r"\b10\.11\.\d")  # Debian replaces it by the next one


def naming(paths: Iterable[Path], version: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(TESTS)}:{number}: {line.strip()}"
        for path in sorted(set(paths) - MADE_UP)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if version.search(line)
    ]


def test_no_test_names_the_mariadb_of_one_machine() -> None:
    folders = [TESTS.glob("*.py"), *((TESTS / name).rglob("*.py") for name in ("integration", "ui", "bench"))]
    found = [each for paths in folders for each in naming(paths, OF_A_SYSTEM)]
    assert not found, "take it from tests/installed.py, or from tests/plans.py where no server is started"


def test_no_test_names_the_latest_mariadb_of_a_day() -> None:
    found = naming(set((TESTS / "unit").rglob("*.py")) - RECORDED, OF_A_DAY)
    assert not found, "take it from tests/plans.py"
