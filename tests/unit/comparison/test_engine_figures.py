"""Figures of the engines: from the journal into steps, measures, Why and reports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.comparison.cells.cell import ColumnFigure, Comparison
from app.comparison.cells.measures import MEASURES, OF_ENGINE
from app.comparison.texts.costs_text import cost_details_table, costs_to_csv
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.why.engine_figures import differing_measures
from app.comparison.why.why import why
from app.core.errors import InputError
from app.history.steps.figures import steps
from app.history.store.history import History
from app.protocol.checked.facts import ShapeError, check_fact
from app.protocol.events import Fact, StepEnded
from app.protocol.plan import Step
from app.protocol.reading import LONGEST_NAME
from app.report.tables import Columns, costs
from tests import journals
from tests.journals import store
from tests.unit.comparison.cells import cells

STEP = Step("update", "drive", unit="queries/s", threads=1, coordinates={"threads": 1})
SMALL = {"cache_hits": 0.98, "history_list": 100.0, "log_rate": 500.0, "log_waits": 0.0, "dirty_share": 0.5}
LARGE = {"cache_hits": 0.999, "history_list": 104.0, "log_rate": 5000.0, "dirty_share": 0.501}


def keep(history: History, number: int, figures: dict[str, float] | None, earlier: Any = None) -> str:
    """A session with these figures of its only step; earlier: those of an attempt that does not count."""
    maker = journals.Maker(journals.plan(number=number, its_steps=[STEP])).begin()
    maker.start_step(0)
    for found in (earlier, figures):
        if found is not None:
            maker.add(Fact, name="engine_figures", value=found, when=STEP.label)
    maker.add(StepEnded, step=0, outcome="completed", value=1000.0, per_query={"cpu_us": 10.0})
    store(history, maker.end())
    return maker.session


def compared(history: History, *columns: dict[str, float] | None) -> Comparison:
    return compare(history, [keep(history, at, each) for at, each in enumerate(columns)])


def test_a_step_has_the_figures_of_its_last_attempt_and_an_older_journal_none(history: History) -> None:
    assert steps(history, keep(history, 0, LARGE, earlier=SMALL))[0]["engine_figures"] == LARGE
    assert steps(history, keep(history, 1, None))[0]["engine_figures"] == {}


def test_they_are_measures_where_a_server_told_them(history: History) -> None:
    found = compared(history, SMALL, LARGE)
    (row,) = comparison_by_measure(found, "cache_hits").rows
    assert (cells(row, "value"), row.unit, row.direction) == ([0.98, 0.999], "share", "higher")
    (row,) = comparison_by_measure(found, "log_waits").rows
    assert (cells(row, "value"), row.cells[1].reason) == ([0.0, None], "not measured")
    assert comparison_by_measure(found, "bloom_use").rows == []
    assert OF_ENGINE & found.rows[0].measures.keys() == SMALL.keys()
    names = [each.name for each in MEASURES]
    titles = [each.title for each in MEASURES]
    assert len({*names}) == len(names) and len({*titles}) == len(titles)
    with pytest.raises(InputError, match="cache_hits, "):
        comparison_by_measure(found, "hits")


def test_why_has_those_that_differ_the_largest_first(history: History) -> None:
    found = compared(history, SMALL, LARGE)
    entry = why(found, found.rows[0], 1)
    # a tenth of the redo differs less than a twentieth of the misses; two thousandths of dirty pages are none
    assert [each["name"] for each in entry["engine"]] == ["cache_hits", "log_rate"]
    assert entry["engine"][1]["values"] == [500.0, 5000.0]
    assert entry["engine"][1]["ratio"] == pytest.approx(10)
    lines = cost_details_table(found, entry).lines
    assert lines[-2][:4] == ("Cache hit rate", "share", "0.9800", "0.9990")
    assert "log_rate" in costs_to_csv(found, [entry])


def test_figures_differ_only_beyond_the_range_of_the_repeats() -> None:
    figures = [
        ColumnFigure(200.0, 2, [100.0, 300.0], []),
        ColumnFigure(300.0, 2, [200.0, 400.0], []),
        ColumnFigure(550.0, 2, [500.0, None, 600.0], []),
        ColumnFigure(None, 0, [None], []),
    ]
    row: Any = SimpleNamespace(measures={"log_rate": figures})
    assert [bool(differing_measures(row, 0, at)) for at in range(4)] == [False, False, True, False]


def test_a_report_has_a_table_of_what_differs(history: History) -> None:
    found = compared(history, SMALL, LARGE)
    titles = {table.title: table for table in costs(found, Columns(("a", "b"), 0))}
    assert "Cache hit rate, share" in titles and "Redo written, KiB/s" in titles
    assert not any(title.startswith("History list") for title in titles)
    assert titles["Cache hit rate, share"].lines[0][1:] == ("0.9800", "0.9990")


@pytest.mark.parametrize("figures", [None, SMALL])
def test_without_figures_or_differences_nothing_is_added(history: History, figures: Any) -> None:
    found = compared(history, figures, figures)
    assert why(found, found.rows[0], 1)["engine"] == []
    assert not any("share" in table.title for table in costs(found, Columns(("a", "b"), 0)))
    assert len(comparison_by_measure(found, "cache_hits").rows) == bool(figures)


@pytest.mark.parametrize(
    "value", [{"cache_hits": "high"}, {"cache_hits": -1.0}, [1.0], {"x" * (LONGEST_NAME + 1): 1.0}]
)
def test_what_a_stranger_says_is_bounded(value: Any) -> None:
    with pytest.raises(ShapeError):
        check_fact(Fact(1, 0.0, 0.0, "engine_figures", value))
