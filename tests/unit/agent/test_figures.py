"""The figures of a step, against hand-made totals; what was asked of a server, against what is in force."""

from __future__ import annotations

import pytest

from app.agent.sampling.figures import (
    figure_of,
    latency_of,
    marks_of,
    missing_clients_reason,
    per_unit,
    percentile,
    totals_of,
    value_of,
)
from app.agent.sampling.sampler import _load_values
from app.agent.server.options_in_force import differences
from app.engines import engine_of
from app.protocol.plan import Step
from app.protocol.series import LOAD
from app.protocol.step_parts import Totals

COUNTED = {
    "events": 10,
    "reads": 140,
    "writes": 40,
    "other": 20,
    "errors": 0,
    "reconnects": 0,
    "rows": {"read": 1000},
}


def test_statements_are_kept_with_and_without_begin_and_commit() -> None:
    totals = totals_of({**COUNTED, "control": 20})
    assert (totals.queries, totals.statements) == (200, 180)
    assert totals_of(COUNTED).statements == 200


def test_the_value_is_in_the_unit_of_the_step() -> None:
    totals = totals_of(COUNTED)
    assert value_of(Step("x", "drive"), totals, 4.0, 0) == 50.0
    assert value_of(Step("x", "drive", unit="rows/s"), totals, 4.0, 0) == 250.0
    assert value_of(Step("x", "index", unit="rows/s"), Totals(), 2.0, 500) == 250.0
    assert value_of(Step("x", "settle", unit="s"), Totals(), 4.0, 0) == 4.0
    assert value_of(Step("x", "drive"), totals, 0.0, 0) is None


def test_the_figure_is_of_the_kind_the_step_says() -> None:
    innodb, myisam, large = engine_of("innodb"), engine_of("myisam"), 3 << 20
    sizes = {"tables": large, "shared": 9, "total": 9000}
    ended = {"value": 50.0, "latency_ms": {"avg": 0.12345}, "sizes": sizes}
    assert figure_of(Step("x", "drive"), ended, innodb) == 50.0
    assert figure_of(Step("x", "drive", figure="latency", unit="ms"), ended, innodb) == 0.1235
    assert figure_of(Step("x", "settle", figure="size", unit="bytes"), ended, innodb) == large
    shared = {"sizes": {"tables": 8, "shared": 9}}  # definitions alone: the rows lie in the shared file
    assert figure_of(Step("x", "settle", figure="size", unit="bytes"), shared, innodb) == 9
    assert figure_of(Step("x", "settle", figure="size", unit="bytes"), shared, myisam) == 8
    broken = {"sizes": {"tables": 1}}
    assert figure_of(Step("x", "drive"), broken, innodb) is None
    assert figure_of(Step("x", "drive", figure="latency"), broken, innodb) is None


def test_fewer_clients_are_a_mark_or_a_failure() -> None:
    driven, load = Step("x", "drive", threads=5), Step("x", "load", threads=5)
    assert marks_of(Totals(clients=4), after_crash=False, threads=5) == ["fewer-clients"]
    assert marks_of(Totals(clients=5), False, 5) == []
    assert marks_of(Totals(), False, 5) == []  # the Lua of others may not tell
    assert missing_clients_reason(driven, {"clients": 4}) == missing_clients_reason(driven, {}) == ""
    assert missing_clients_reason(load, {"clients": 5}) == ""
    for step, clients in ((driven, 0), (load, 4)):
        assert (
            missing_clients_reason(step, {"clients": clients})
            == f"the server accepted {clients} of 5 clients"
        )


def test_percentiles_only_where_the_sample_carries_them() -> None:
    few = latency_of({"buckets": [[1.0, 5], [2.0, 5]], "latency_ms": {"min": 0.5, "avg": 1.0, "max": 2.0}})
    assert (few["p50"], few["p95"], few["p99"], few["max"]) == (1.0, None, None, 2.0)
    many = latency_of({"buckets": [[1.0, 94], [2.0, 5], [9.0, 1]]})
    assert (many["p50"], many["p95"], many["p99"]) == (1.0, 2.0, 2.0)
    assert percentile([], 50) is None


def test_what_is_missing_stays_missing_per_query() -> None:
    spent = {"cpu_us": 500.0, "machine_cpu_us": None, "reads": 0.0}
    found = per_unit(spent, 10)
    assert (found["cpu_us"], found["machine_cpu_us"], found["reads"]) == (50.0, None, 0.0)
    assert per_unit(spent, 0) == {}


def test_a_step_with_over_one_percent_errors_is_marked() -> None:
    assert marks_of(Totals(errors=1, events=100), after_crash=False) == []
    assert marks_of(Totals(errors=2, events=100), after_crash=True) == ["after-a-crash", "error-ridden"]


def test_values_asked_for_and_in_force_are_compared_by_what_they_mean() -> None:
    lines = ["[mysqld]", "innodb-buffer-pool-size = 1G", "loose_ssl=0", "sql_mode=B,A"]
    lines += ["query_cache_type=OFF", "unknown=1", "sync_binlog=0"]
    force = {
        "innodb_buffer_pool_size": "1073741824",
        "ssl": "OFF",
        "sql_mode": "a,b",
        "query_cache_type": "0",
        "sync_binlog": "1",
    }
    assert differences("key_buffer_size=1000M", {"key_buffer_size": "1048570000"}) == []
    assert len(differences("key_buffer_size=1000M", {"key_buffer_size": "8388608"})) == 1
    assert differences("\n".join(lines), force) == ["sync_binlog should be 0, in force is 1"]


@pytest.mark.parametrize(("events", "p95"), [(20, 3.5), (19, None)])
def test_a_second_of_few_events_has_no_percentile(events: int, p95: float | None) -> None:
    counts = dict.fromkeys(("reads", "writes", "other", "errors", "reconnects"), 1)
    line = {**counts, "events": events, "interval_s": 1.0, "p95_ms": 3.5}
    told = dict(zip((each.name for each in LOAD), _load_values(line), strict=True))
    assert (told["load.transactions"], told["load.latency_p95_ms"]) == (events, p95)
