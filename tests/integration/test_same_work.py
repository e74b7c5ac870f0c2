"""A contender that does other work is named: a real server whose preset forbids it the plans of ranges."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from app.agent.sampling.write_accounting import WriteAccounting
from app.agent.server.mysql import Client
from app.agent.steps.same_work import SameWork, has_one_index
from app.catalog import Catalog
from app.protocol.plan import Plan, Step
from app.protocol.step_parts import Totals
from app.protocol.work import explain_access_text
from tests.integration.desktop import Desktop
from tests.integration.generated import ENGINES, ROWS, TABLES, Server, drive, fill, shipped
from tests.plans import write
from tests.running import builds
from tests.sequences import INDEX, LOAD, own_sequence
from tests.unit.protocol.test_work import planned

CNF = "# title: x\n[mysqld]\ninnodb_flush_log_at_trx_commit=2\nskip_log_bin\n"
FORBIDDEN = CNF + "range_optimizer_max_mem_size=1\n"
STEPS = ('workload = "point-query"', 'workload = "read-only"\nseconds = 5', 'workload = "delete-each"')


@pytest.mark.full
@pytest.mark.build("mysql-9.7")
def test_whole_tables_that_are_read_for_a_range_are_named_everywhere(desktop: Desktop) -> None:
    for name, text in (("free", CNF), ("forbidden", FORBIDDEN)):
        write(desktop.home / f"presets/innodb/{name}.cnf", text)
    write(desktop.home / "sequences/ranges.toml", own_sequence("ranges", LOAD, INDEX, *STEPS, rows=5000))
    desktop.dyno("target", "edit", "local", "--search-path", str(builds.find("mysql-9.7")))
    both = [f"--contender=mysql-9.7.4:innodb:{name}" for name in ("free", "forbidden")]
    said = desktop.dyno("run", "--sequence", "ranges", *both, "--details").stdout
    assert "settings: the servers agree in" in said
    first, second = sorted(each["id"] for each in desktop.sessions())
    check_steps(desktop, first, second)
    check_comparison(desktop, first, second)


def check_steps(desktop: Desktop, first: str, second: str) -> None:
    marks = [
        {step["name"]: step["marks"] for step in desktop.json("session", "show", session)["steps"]}
        for session in (first, second)
    ]
    assert not any("other" in mark for each in marks[0].values() for mark in each)
    assert "other-reads" in marks[1]["read-only"] and "other-reads" not in marks[1]["point-query"]
    assert not any("other-work" in each for each in marks[1].values())
    facts = desktop.json("session", "settings", first)["facts"]
    assert facts["estimate read-only threads=2"] == {
        "rows": 10_000,
        "estimate": pytest.approx(10_000, rel=0.1),
    }
    assert facts["work read-only threads=2"]["found"] == {
        "read": pytest.approx(406, rel=0.1), "returned": pytest.approx(308, rel=0.1),
        "sorted": pytest.approx(198, rel=0.1), "changed": 0,
    }  # fmt: skip
    deleted = facts["work delete-each threads=2"]["found"]
    assert (deleted["changed"], deleted["read"]) == (1, pytest.approx(1, rel=0.1))
    plans = facts["plans read-only threads=2"]
    assert len(plans) == 5 and all(each["begin"][0]["key"] == "PRIMARY" for each in plans)


def check_comparison(desktop: Desktop, first: str, second: str) -> None:
    said = desktop.dyno("compare", first, second).stdout
    assert said.startswith("more work for the same answers: read-only threads=2: rows read per event: ")
    differing = desktop.dyno("compare", first, second, "--setup").stdout
    assert "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? " in differing and "all rows" in differing
    why = desktop.dyno("compare", first, second, "--why", "read-only").stdout
    assert "range by PRIMARY in the base, all rows in the other." in why
    assert "1. The events read more rows for the same answers" in why


@dataclass
class Session:
    """As much of a session as one step needs, on a real server."""

    running: Server
    step: Step
    plan: Plan
    facts: dict[str, Any] = field(default_factory=dict)
    logged: list[str] = field(default_factory=list)
    has_statistics: bool = True

    def __post_init__(self) -> None:
        self.write_accounting = WriteAccounting(self.plan)
        self.write_accounting.rows["inserted"] = TABLES * ROWS
        self.server = self.journal = self.sampler = self
        self.contender = self.plan.contenders[0]
        self.counts_calls = False
        self.client = Client(self.running.socket)

    def begin(self) -> SameWork:
        work = SameWork(self, self, self.step)  # type: ignore[arg-type]
        work.begin()
        return work

    def log(self, text: str) -> None:
        self.logged.append(text)

    def write_estimate(self, _step: Step, found: Any) -> None:
        self.facts["estimate"] = found

    def write_plans(self, _step: Step, found: Any) -> None:
        self.facts["plans"] = found

    def write_work(self, _step: Step, found: Any) -> None:
        self.facts["work"] = found


def session_of(server: Server, workload: str) -> Session:
    step, plan = planned(Catalog().workload(workload), ROWS)
    return Session(server, step, replace(plan, tables=TABLES))


def test_a_plan_that_changes_within_a_step_is_kept_twice(server: Server) -> None:
    """Whole tables are read until the index is there."""
    fill(server, "innodb", with_index=False)
    session = session_of(server, "range-notcovered-si")
    work = session.begin()
    server.query("CREATE INDEX k_1 ON dyno.sbtest1(k)")
    totals = Totals(events=100, errors=0, rows={"read": 9_900})
    marks = work.end(totals, {"rows_read": 100.0 * ROWS, "rows_sorted": 0.0}, 1.0)
    session.client.close()
    assert marks == ["other-reads", "changed-plan"]  # its results are those of the workload
    assert f"{ROWS:,}.0 rows read per event" in session.logged[0] and "BETWEEN" in session.logged[0]
    (ranges,) = session.facts["plans"]
    assert (explain_access_text(ranges["begin"]), explain_access_text(ranges["end"])) == (
        "all rows",
        "range by k_1",
    )


def test_rows_that_other_roles_have_read_are_not_its_own(server: Server) -> None:
    fill(server, "innodb")
    alone = session_of(server, "point-query")
    session = replace(alone, step=replace(alone.step, role="reader"))
    work = session.begin()
    spent = {"rows_read": 100.0 * ROWS, "rows_sorted": 5000.0}
    assert work.end(Totals(events=100, errors=0, rows={"read": 100}), spent, 1.0) == []
    assert session.facts["work"]["found"] == {"read": None, "returned": 1, "changed": 0, "sorted": None}
    assert "other-work" in work.end(Totals(events=100, errors=0, rows={"read": 900}), spent, 1.0)
    session.client.close()


def marks_of_doubtful(server: Server, workload: str) -> tuple[list[str], Session]:
    """The marks of the statistics of a step in which more rows should be than the server has ever seen."""
    session = session_of(server, workload)
    session.write_accounting.rows["inserted"] = 20 * TABLES * ROWS
    marks = session.begin().end(Totals(events=0, errors=0, rows={}), {}, 1.0)
    session.client.close()
    return marks, session


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("workload", "mark"),
    [
        ("point-query", "one-index"),
        ("range-notcovered-pk", "one-index"),
        ("range-notcovered-si", "bad-statistics"),  # with fewer rows the server might read all of them
        ("points-notcovered-si", "bad-statistics"),
        ("read-write", "one-index"),
    ],
)
def test_an_estimate_that_is_far_off_is_marked(server: Server, engine: str, workload: str, mark: str) -> None:
    fill(server, engine)
    marks, session = marks_of_doubtful(server, workload)
    assert marks == ["no-statistics", mark]
    if engine != "rocksdb":  # which guesses at the rows in memory
        assert session.facts["estimate"]["estimate"] == pytest.approx(TABLES * ROWS, rel=0.1)


@pytest.mark.parametrize("engine", ENGINES)
def test_queries_of_the_insert_benchmark_need_no_estimate(server: Server, engine: str) -> None:
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    for name in ("load", "index"):
        assert drive(server, shipped(f"insert-benchmark-{name}", engine)).code == 0
    for name in ("range", "point"):
        assert marks_of_doubtful(server, f"insert-benchmark-{name}")[0] == ["no-statistics", "one-index"]


def test_without_statistics_only_a_step_with_one_index_is_judged(server: Server) -> None:
    """ANALYZE TABLE has failed, and the estimate is right by luck."""
    fill(server, "innodb")
    for workload, mark in (("point-query", "one-index"), ("range-notcovered-si", "bad-statistics")):
        session = session_of(server, workload)
        session.has_statistics = False
        assert session.begin().end(Totals(events=0, errors=0, rows={}), {}, 1.0) == [mark]
        session.client.close()


@pytest.mark.parametrize(
    ("plan", "has_one"),
    [
        ({"type": "range", "key": "PRIMARY", "possible_keys": "PRIMARY"}, True),
        ({"type": "range", "key": "PRIMARY", "possible_keys": "PRIMARY,k_1"}, False),
        ({"type": "range", "key": "k_1", "possible_keys": "k_1"}, False),
        ({"type": "index", "key": "PRIMARY", "possible_keys": "PRIMARY"}, False),
        ({"type": "ALL", "key": None, "possible_keys": "PRIMARY"}, False),
        ({"not explained": "a server that cannot"}, False),
    ],
)
def test_only_the_primary_key_or_a_forced_index_is_the_one(plan: dict[str, Any], has_one: bool) -> None:
    assert has_one_index("SELECT c FROM t WHERE id = 5", [plan]) is has_one
    assert not has_one_index("SELECT c FROM t WHERE id = 5", [])
    by_force = {"type": "range", "key": "k_1", "possible_keys": "k_1"}
    assert has_one_index("SELECT c FROM t FORCE INDEX (k_1) WHERE k > 5", [by_force])
    assert not has_one_index("SELECT c FROM t FORCE INDEX (k_2) WHERE k > 5", [by_force])


def test_a_server_that_is_gone_ends_no_step(server: Server) -> None:
    session = session_of(server, "read-only")
    session.client = Client("/nowhere")
    work = session.begin()
    assert "cannot read the execution plans" in session.logged[0]
    assert work.end(Totals(events=1, errors=0, rows={}), {}, 1.0) == ["no-statistics", "bad-statistics"]
