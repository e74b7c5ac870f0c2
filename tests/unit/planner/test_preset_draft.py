"""A preset while it is written: what stands beside it, and the first thing that is wrong."""

from __future__ import annotations

import pytest

from app.catalog import Catalog
from app.planner.starting.preset_check import preset_preview
from app.variables import Preset
from tests.plans import survey


@pytest.fixture
def preset() -> Preset:
    return Catalog().preset("innodb", "baseline")


def test_a_draft_is_shown_as_a_build_would_get_it(preset: Preset) -> None:
    text = "[mysqld]\nback_log={cores}\n[mysqld-9.7]\nx=2\n[mysqld-5.6]\nx=3\n"
    found = preset_preview(preset, text, "mysql-9.7.4", survey(), None)
    assert (found.text, found.problem) == ("[mysqld]\nback_log=4\nx=2\n", "")


def test_a_draft_is_set_against_another(preset: Preset) -> None:
    assert preset_preview(preset, preset.text, "", None, preset).text == "the files do not differ"
    assert "+back_log=3" in preset_preview(preset, preset.text + "back_log=3\n", "", None, preset).text


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[mysqld]\n\nport=1\n", 3, "line 3: Dyno sets port itself: remove the line"),
        ("back_log=1\n", 1, "line 1: an option before the first group; write [mysqld] above it"),
        pytest.param("# x\n" * 20_000, 0, "innodb/baseline.cnf: larger than 64 KiB", id="too large"),
    ],
)
def test_the_first_thing_that_is_wrong_is_told_with_its_line(
    preset: Preset, text: str, line: int, problem: str
) -> None:
    found = preset_preview(preset, text, "mysql-9.7.4", survey(), None)
    assert (found.line, found.problem, found.text) == (line, problem, "")


def test_a_build_that_is_gone_is_told(preset: Preset) -> None:
    assert (
        "there is no build mysql-4.0"
        in preset_preview(preset, preset.text, "mysql-4.0", survey(), None).problem
    )
