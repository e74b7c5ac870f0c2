"""What may explain a step: how costs are ordered, what stays unknown, the tables of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.comparison.cells.cell import ColumnFigure, Comparison
from app.comparison.texts.costs_text import (
    SHORT,
    UNMEASURED,
    cost_details_table,
    costs_to_csv,
    step_costs_table,
)
from app.comparison.verdicts.compare import compare
from app.comparison.why.thread_states import NO_STATES, thread_states_table
from app.comparison.why.why import COSTS, HARDLY, LITTLE, NOTHING, SORTED, cost_remarks, why, why_all
from app.core.table import to_markdown
from app.history.store.history import History
from app.protocol.events import StepEnded
from app.protocol.plan import Step
from app.protocol.thread_states import STATES, client_time_figure
from tests import journals
from tests.journals import store
from tests.unit.comparison.cells import of_each

STEPS = [
    Step("load", "load", unit="rows/s"),
    Step("update", "drive", unit="queries/s", threads=1, coordinates={"threads": 1}),
]
# of a step that waits for its disk: 950 ms of each second, a tenth of a CPU
BASE = {"cpu_us": 100.0, "machine_cpu_us": 200.0, "disk_busy_us": 950.0, "reads": 2.0, "log_kb": 1.0}
Spent = Mapping[str, float | None]


def keep(history: History, number: int, figure: float, spent: Spent, lasted: float = 0.0, **load: Any) -> str:
    """A session with these costs per query in its update, `load` in its load."""
    engine = "rocksdb" if number % 2 else "innodb"
    maker = journals.Maker(journals.plan([journals.contender(engine)], number=number, its_steps=STEPS))
    maker.begin()
    maker.start_step(0)
    maker.add(StepEnded, step=0, outcome="completed", **load)
    maker.start_step(1)
    totals = {"events": 5000, "queries": 5000, "errors": 0}
    ended = {"value": figure, "totals": totals, "per_query": dict(spent), "seconds": lasted}
    maker.add(StepEnded, step=1, outcome="completed", **ended)
    store(history, maker.end())
    return maker.session


def compared(
    history: History, value: float, spent: Spent, base: Spent = BASE, seconds: float = 0.0
) -> Comparison:
    """A base with 1,000 queries a second, and another column."""
    sides = ((0, 1000.0, base), (1, value, spent))
    return compare(history, [keep(history, *each, seconds) for each in sides])


def verdict_legend(found: Comparison, at: int = 1) -> dict[str, float | None]:
    return {cost["name"]: cost["explains"] for cost in why(found, found.rows[at], 1)["costs"]}


def test_what_a_busy_resource_spends_explains_and_an_idle_one_does_not(history: History) -> None:
    halved = {**BASE, "cpu_us": 50.0, "machine_cpu_us": 100.0, "disk_busy_us": 475.0, "reads": 1.0}
    found = verdict_legend(compared(history, 2000.0, halved))
    assert list(found)[:4] == ["disk_busy_us", "reads", "cpu_us", "machine_cpu_us"]
    assert (found["disk_busy_us"], found["reads"]) == (pytest.approx(0.95), pytest.approx(0.95))
    assert found["machine_cpu_us"] == found["cpu_us"] == pytest.approx(0.1)
    assert found["log_kb"] == 0.0


def test_a_cost_explains_the_part_that_its_change_comes_to_and_never_more_than_all(history: History) -> None:
    base, spent = {**BASE, "disk_busy_us": 300.0}, {**BASE, "disk_busy_us": 300.0 / 2**0.5, "cpu_us": 1.0}
    found = verdict_legend(compared(history, 2000.0, spent, base))
    assert found["disk_busy_us"] == pytest.approx(0.3 * 2**0.5 / 2)
    assert found["cpu_us"] == pytest.approx(0.1)


def test_where_no_cost_may_explain_half_of_it_that_is_said(history: History) -> None:
    found = compared(history, 500.0, {**BASE, "cpu_us": 200.0})
    assert cost_remarks(why(found, found.rows[1], 1))[:2] == [SORTED, LITTLE]


def test_a_cost_explains_no_more_than_the_resource_that_it_is_spent_on(history: History) -> None:
    found = verdict_legend(compared(history, 500.0, {**BASE, "reads": 4.0, "log_kb": 9.0}))
    assert (found["reads"], found["log_kb"], found["disk_busy_us"]) == (0.0, 0.0, 0.0)


def test_what_went_the_same_way_explains_nothing(history: History) -> None:
    cheaper = {name: value / 2 for name, value in BASE.items()}
    found = compared(history, 500.0, cheaper)
    assert set(verdict_legend(found).values()) == {0.0, None}
    assert NOTHING in cost_remarks(why(found, found.rows[1], 1))


def test_cpu_of_the_machine_alone_is_no_cost_of_the_server_and_the_sentence_says_so(history: History) -> None:
    found = compared(history, 500.0, {**BASE, "machine_cpu_us": 400.0})
    (said,) = [each for each in cost_remarks(why(found, found.rows[1], 1)) if "explains the change" in each]
    assert "CPU of the server and disk time per query did not change accordingly" in said


def test_a_cost_that_was_none_before_explains_as_much_as_it_may(history: History) -> None:
    found = verdict_legend(compared(history, 500.0, {**BASE, "disk_busy_us": 1900.0}, {**BASE, "reads": 0.0}))
    assert found["reads"] == found["disk_busy_us"] == pytest.approx(0.95)


def test_a_step_is_bound_by_the_cpus_that_its_threads_can_keep_busy(history: History) -> None:
    """One client thread, two CPUs of the machine: one that is busy all the time is all there can be."""
    base = {"cpu_us": 900.0, "machine_cpu_us": 990.0}
    found = compared(history, 2000.0, {"cpu_us": 450.0, "machine_cpu_us": 495.0}, base)
    for column in found.columns:
        column.cpus = 2
    assert verdict_legend(found)["cpu_us"] == pytest.approx(0.9)
    for column in found.columns:
        column.cpus = None
    assert verdict_legend(found)["cpu_us"] is None


def test_missing_costs_stay_missing_and_stand_last(history: History) -> None:
    found = compared(history, 2000.0, {"cpu_us": 50.0, "reads": 1.0})
    entry = why(found, found.rows[1], 1)
    assert entry["costs"][0]["name"] == "cpu_us"
    by_name = {cost["name"]: cost for cost in entry["costs"]}
    assert by_name["written_kb"]["values"] == [None, None]
    assert by_name["disk_busy_us"]["values"] == [950.0, None]
    assert by_name["reads"]["explains"] is None
    lines = {line[0]: line for line in cost_details_table(found, entry).lines}
    assert lines["Disk at work"][2:6] == ("950.0", "-", "-", "-")
    assert "KiB written by the device" not in lines
    assert "KiB written by the device" in cost_details_table(found, entry).remarks[-1]


def test_a_figure_that_hardly_changed_needs_no_explanation(history: History) -> None:
    found = compared(history, 1010.0, {**BASE, "cpu_us": 50.0})
    entry = why(found, found.rows[1], 1)
    assert {cost["explains"] for cost in entry["costs"]} == {None}
    assert cost_remarks(entry) == [HARDLY, "n = 1: the noise is unknown."]


def test_a_load_costs_so_much_a_row(history: History) -> None:
    load = {
        "value": 500.0, "seconds": 2.0, "totals": {"events": 10, "queries": 10, "rows": {"inserted": 1000}},
        "per_query": {"cpu_us": 2500.0},
    }  # fmt: skip
    found = compare(history, [keep(history, 0, 1000.0, BASE, **load), keep(history, 1, 900.0, BASE, **load)])
    row = found.rows[0]
    assert of_each(row.measures["cpu_us"], "value") == [25.0, 25.0]
    assert why(found, row, 1)["costs"][0]["unit"] == "us/row"
    per = {line[0].split()[0]: line[1] for line in step_costs_table(found, is_relative=False).lines}
    assert per == {"load": "row", "update": "query"}


def test_repeats_that_overlap_may_be_noise_and_explain_nothing(history: History) -> None:
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], 2, its_steps=STEPS)
    for turn, cpu, reads in zip(plan.turns, (100.0, 104.0, 106.0, 110.0), (1.0, 2.0, 1.0, 2.0), strict=True):
        maker = journals.Maker(plan, turn.session).begin()
        maker.start_step(1)
        spent = {"cpu_us": cpu, "reads": reads}
        value = 1000.0 if turn.contender == 0 else 900.0
        maker.add(StepEnded, step=1, outcome="completed", value=value, per_query=spent)
        store(history, maker.end())
    found = compare(history, [turn.session for turn in plan.turns])
    (entry,) = why_all(found, "update")
    overlaps = {cost["name"]: (cost["overlaps"], cost["n"]) for cost in entry["costs"]}
    assert overlaps["cpu_us"] == (True, [2, 2])
    assert overlaps["reads"] == (False, [2, 2])
    table = cost_details_table(found, entry)
    lines = {line[0]: line for line in table.lines}
    assert lines["CPU"][4:] == ("1.04 ~", "0%", "10%", "2.9% / 2.8%")
    assert table.title.endswith(", n = 2") and "n" not in table.heads


def test_the_table_of_all_steps_absolute_and_relative(history: History) -> None:
    found = compared(history, 2000.0, {**BASE, "cpu_us": 25.0})
    absolute, relative = (step_costs_table(found, is_relative) for is_relative in (False, True))
    assert absolute.heads[:6] == ("step", "per", "column", "figure", "CPU us", "machine us")
    assert "KiB written" not in absolute.heads
    assert [line[3:5] for line in absolute.lines] == [("1,000", "100.0"), ("2,000", "25.00")]
    assert [line[3:5] for line in relative.lines] == [("2.00", "0.25")]


def test_amplifications_stand_where_they_are_defined(history: History) -> None:
    """Of a cost that was not measured that is said; of one that the step cannot have, nothing."""
    found = compared(history, 2000.0, {}, {})
    undefined = verdict_legend(found)
    assert not {"space_amplification", "write_amplification", "size_mb"} & set(undefined)
    assert undefined["cpu_us"] is None
    found.rows[1].measures["write_amplification"][0] = ColumnFigure(1.5, 1, [1.5], [])
    assert "write_amplification" in verdict_legend(found)


def test_sessions_without_costs_say_so(history: History) -> None:
    table = step_costs_table(compared(history, 2000.0, {}, {}), is_relative=True)
    assert (table.lines, table.remarks) == ((), (UNMEASURED,))


def test_written_for_a_spreadsheet_and_a_forum(history: History) -> None:
    found = compared(history, 500.0, {**BASE, "cpu_us": 200.0})
    entries = why_all(found, "update threads=1")
    lines = list(csv.DictReader(io.StringIO(costs_to_csv(found, entries))))
    assert (lines[0]["cost"], lines[0]["ratio"], lines[0]["explains"]) == ("value", "0.5", "")
    cpu = next(line for line in lines if line["cost"] == "cpu_us")
    assert (cpu["base_value"], cpu["value"], cpu["ratio"], cpu["n"]) == ("100", "200", "2", "1")
    assert json.loads(cpu["coordinates"]) == {"threads": 1}
    text = to_markdown(cost_details_table(found, entries[0]))
    assert text.startswith("### update threads=1: ") and "| CPU | us/query | 100.0 | 200.0 |" in text
    assert SORTED in text or NOTHING in text


def test_every_cost_has_a_short_name_for_the_table_of_all_steps() -> None:
    assert set(SHORT) == set(COSTS)


def times(**states: float) -> dict[str, float]:
    """Microseconds of client threads per query; of the states that are not given 0."""
    return {client_time_figure(state): states.get(state, 0.0) for state in STATES}


def test_time_in_a_state_explains_at_most_its_share(history: History) -> None:
    """Syncs take four times as long: three quarters of the time, and all of the change."""
    base = {**BASE, **times(running=100.0, fsync=300.0)}
    found = compared(history, 1000.0 * 400 / 1300, {**BASE, **times(running=100.0, fsync=1200.0)}, base)
    entry = why(found, found.rows[1], 1)
    first = entry["costs"][0]
    assert (first["name"], first["busy"]) == ("client_fsync_us", pytest.approx(1200 / 1300))
    assert first["explains"] == pytest.approx(1200 / 1300)
    by_name = {cost["name"]: cost for cost in entry["costs"]}
    assert by_name["client_running_us"]["explains"] == 0.0
    assert "client_disk_us" not in by_name  # 0 in both
    assert entry["client_time"][0] == pytest.approx(
        {**dict.fromkeys(STATES, 0.0), "running": 25.0, "fsync": 75.0}
    )
    said = cost_remarks(entry)
    assert "Client threads in the base: 75 % fsync, 25 % running." in said
    assert "Client threads in the other: 92 % fsync, 8 % running." in said


def test_what_disturbed_a_column_takes_one_line(history: History) -> None:
    found = compared(history, 2000.0, BASE)
    texts = ["", "disturbed: gcc took 90% of 200% CPU", "disturbed: cc1 took 80% of 200% CPU"]
    found.rows[1].cells[1].disturbed = texts
    name = found.columns[1].name
    assert why(found, found.rows[1], 1)["disturbed"] == [f"{name} was {texts[1]}; likewise 1 more session."]


def test_shares_of_all_steps_are_a_table(history: History) -> None:
    spent = {**BASE, **times(running=30.0, lock=61.0, network=9.0)}
    found = compared(history, 900.0, spent, BASE)
    table = thread_states_table(found)
    (line,) = table.lines  # the base did not look
    heads = dict(zip(table.heads, line, strict=True))
    assert (heads["running"], heads["lock"], heads["network"], heads["fsync"]) == ("30%", "61%", "9%", "0%")
    entry = why(found, found.rows[1], 1)
    assert entry["client_time"][0] is None
    assert "Client threads in the base: their time is not known." in cost_remarks(entry)


@pytest.mark.parametrize(
    ("spent", "is_known"),
    [({"running": 400.0, "network": 600.0}, True), ({"running": 400.0}, False), ({"lock": 2000.0}, False)],
)
def test_times_that_are_not_those_of_all_clients_are_no_figure(
    history: History, spent: dict[str, float], is_known: bool
) -> None:
    """Of a Dyno that took threads of the cache for clients: 5,000 queries of one client in 5 s."""
    base = {**BASE, **times(running=300.0, network=700.0)}
    found = compared(history, 500.0, {**BASE, **times(**spent)}, base, seconds=5.0)
    entry = why(found, found.rows[1], 1)
    assert (entry["client_time"][1] is not None) == is_known
    named = {cost["name"] for cost in entry["costs"] if cost["values"][1] is not None}
    assert (client_time_figure("running") in named) == is_known


def test_sessions_that_did_not_look_at_threads_say_so(history: History) -> None:
    table = thread_states_table(compared(history, 900.0, BASE))
    assert (table.lines, table.remarks) == ((), (NO_STATES,))
