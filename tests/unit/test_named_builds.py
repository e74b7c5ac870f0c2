"""Tests that start a server take the version that they find: none names the one of a certain machine."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
MADE_UP = {TESTS / "plans.py", TESTS / "journals.py"}
OF_A_SYSTEM = re.compile(r"\b10\.11\b")


def test_no_test_names_the_mariadb_of_one_machine() -> None:
    folders = [TESTS.glob("*.py"), *((TESTS / name).rglob("*.py") for name in ("integration", "ui", "bench"))]
    naming = [
        f"{path.relative_to(TESTS)}:{number}: {line.strip()}"
        for paths in folders
        for path in sorted(set(paths) - MADE_UP)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OF_A_SYSTEM.search(line)
    ]
    assert not naming, "take it from tests/installed.py, or from tests/plans.py where no server is started"
