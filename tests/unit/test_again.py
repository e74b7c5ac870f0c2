"""Which tests are tried once more, alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running.again import CRASHED, failures, may_try


def test_names_come_without_the_group_of_a_worker(tmp_path: Path) -> None:
    assert failures(tmp_path) == []
    (tmp_path / "cache").mkdir()
    names = {"tests/ui/a.py::b@plans": True, "tests/ui/a.py::c[x@y]": True}
    (tmp_path / "cache/lastfailed").write_text(json.dumps(names))
    assert failures(tmp_path) == ["tests/ui/a.py::b", "tests/ui/a.py::c[x@y]"]


@pytest.mark.parametrize(
    ("failed", "may"),
    [
        ([], False),
        (["tests/integration/a.py::b", "tests/ui/a.py::b"], True),
        (["tests/unit/a.py::b"], False),
        ([f"tests/ui/a.py::b[{at}]" for at in range(4)], False),
    ],
)
def test_few_tests_that_wait_for_times_are_tried(failed: list[str], may: bool, tmp_path: Path) -> None:
    assert may_try(failed, tmp_path) is may


def test_nothing_is_tried_after_a_crash(tmp_path: Path) -> None:
    (tmp_path / CRASHED).parent.mkdir(parents=True)
    (tmp_path / CRASHED).write_text('"tests/ui/a.py::b"')
    assert not may_try(["tests/ui/a.py::b"], tmp_path)
