"""What a settle step said of the writes before it: kept with the step that caused it, told, compared."""

from __future__ import annotations

from typing import Any

import pytest

from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.history.steps.figures import session_details
from app.history.steps.step_text import settled_text
from app.history.store.history import History
from app.protocol.events import Fact, StepEnded
from app.protocol.plan import Step
from tests import journals
from tests.journals import store
from tests.unit.comparison.cells import cells

STEPS = [
    Step("load", "load", unit="rows/s"),
    Step("settle.load", "settle", unit="s"),
    Step("update", "drive", unit="queries/s", coordinates={"threads": 2}),
    Step("settle.update", "settle", unit="s"),
]
SETTLED: dict[str, Any] = {
    "seconds": 12.4,
    "waited_for": {"dirty pages": 9, "purge": 3},
    "capped": False,
    "left": [],
    "written_bytes": 3 << 20,
    "device_bytes": 4 << 20,
    "steps": ["load"],
    "cause": 0,
    "run_written_bytes": 10 << 20,
    "run_written_by": "server",
    "rows": 1000,
    "row_bytes": 188,
    "write_amplification": 55.78,
}
SPACE = {"space_amplification": 2.5}


def session(history: History, **said: Any) -> str:
    """Of a load that a settle step closes, and of an update whose settle step was skipped."""
    maker = journals.Maker(journals.plan(its_steps=STEPS)).begin()
    maker.step(0)
    maker.start_step(1)
    maker.add(
        StepEnded, step=1, outcome="completed", value=12.4, settled={**SETTLED, **said},
        sizes={"tables": 470_000, "shared": 12_000, "redo": 1 << 20}, rows={"in_tables": 1000},
    )  # fmt: skip
    maker.add(Fact, name="explain", when="load", value={"statement": "SELECT 1", "rows": [{"type": "ALL"}]})
    maker.step(2)
    maker.start_step(3)
    maker.add(StepEnded, step=3, outcome="skipped", settled={"seconds": 1, "waited_for": {}, "capped": False})
    store(history, maker.end())
    return maker.session


def test_it_is_kept_with_the_step_that_caused_it(history: History) -> None:
    shown = session_details(history, session(history))
    assert [step["settled"] is not None for step in shown["steps"]] == [True, False, False, False]
    settled = shown["steps"][0]["settled"]
    assert settled == {**{name: value for name, value in SETTLED.items() if name != "cause"}, **SPACE}
    assert shown["explains"] == [{"step": "load", "statement": "SELECT 1", "rows": [{"type": "ALL"}]}]


def test_write_amplification_is_compared_where_there_is_one(history: History) -> None:
    found = comparison_by_measure(compare(history, [session(history)]), "write_amplification")
    assert [(row.workload, cells(row, "value"), row.direction) for row in found.rows] == [
        ("load", [55.78], "lower")
    ]


def test_space_amplification_is_that_of_the_tables(history: History) -> None:
    found = comparison_by_measure(compare(history, [session(history)]), "space_amplification")
    assert [(row.workload, cells(row, "value")) for row in found.rows] == [("load", [2.5])]


def test_without_the_width_of_a_row_there_is_no_space_amplification(history: History) -> None:
    shown = session_details(history, session(history, row_bytes=None))
    assert shown["steps"][0]["settled"]["space_amplification"] is None


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            {},
            "load: settled in 12 s (waited for dirty pages 9 s, purge 3 s); 3.0 MiB written during this time;"
            " write amplification 55.78: 10.0 MiB written in total for 1,000 rows of 188 bytes",
        ),
        (
            {"waited_for": {}, "capped": True, "left": ["purge"], "written_bytes": None, "row_bytes": None},
            "load: settled in 12 s; ? bytes written during this time; stopped at the time limit, purge left; "
            "write amplification n/a",
        ),
        (
            {"steps": ["a", "b"], "waited_for": {}, "run_written_by": "device"},
            "a, b: settled in 12 s; 3.0 MiB written during this time; write amplification 55.78: "
            "10.0 MiB written in total for 1,000 rows of 188 bytes (by all programs on the device)",
        ),
    ],
)
def test_it_is_told_with_what_it_is_made_of(said: dict[str, Any], text: str) -> None:
    assert settled_text({**SETTLED, **said}) == text  # type: ignore[typeddict-item]
