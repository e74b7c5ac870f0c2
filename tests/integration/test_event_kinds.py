"""Kinds of events on real servers: each is counted apart, as the server counts its statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.catalog.custom_sql import parse_custom_sql
from app.catalog.sql_lua import made_lua
from app.protocol.events import Sample, SeriesDeclared, StepEnded
from app.protocol.plan import Plan
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import Outcome, Server, Work, drive
from tests.plans import write
from tests.sequences import own_sequence

TABLE = """\
declare
  next  seq 1 2000000000
  added seq rows+1 2000000000
  id    int 1 rows
tables
  create table t (id int not null primary key, n int not null);
fill
  insert into t values (:next, 0);
"""
MIX = """\
begin weight 60 as status
  select n from t where id = :id;
end
begin weight 30 as payment
  update t set n = n + 1 where id = :id;
  update t set n = n + 1 where id = :added;
end
begin weight 10 as new-order
  insert into t values (:added, 0);
end
"""
WEIGHTS = {"status": 0.6, "payment": 0.3, "new-order": 0.1}
CHI_SQUARE = 18.4  # of two degrees of freedom: passed by one in 10,000


def chi_square(events: Mapping[str, float]) -> float:
    total = sum(events.values())
    return sum((events[name] - total * share) ** 2 / (total * share) for name, share in WEIGHTS.items())


@pytest.fixture
def mix_on(server: Server, tmp_path: Path) -> Callable[..., Outcome]:
    """Load the table, then drive the mix."""

    def work(text: str = TABLE + MIX, **more: Any) -> Outcome:
        server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
        for kind, extra in (("load", {"threads": 1}), ("drive", more)):
            found = parse_custom_sql(text, kind)
            assert found.problems == ()
            (tmp_path / f"{kind}.lua").write_text(made_lua(found, kind, "test.sql"))
            outcome = drive(server, Work(f"{kind}.lua", "innodb", tables=1, folder=tmp_path, **extra))
            assert outcome.code == 0, outcome.said
        return outcome

    return work


def with_steps(outcome: Outcome) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each line of kinds with the line of the step behind it."""
    lines = [each for each in outcome.lines if each["type"] in ("kinds", "second", "total")]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert all(first["type"] == "kinds" != second["type"] for first, second in pairs)
    return [(first["kinds"], second) for first, second in pairs]


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.full), 5])
def test_all_kinds_together_are_the_events_of_each_second_and_of_the_step(
    mix_on: Callable[..., Outcome], threads: int
) -> None:
    pairs = with_steps(mix_on(threads=threads, seconds=3, warmup=1))
    assert len(pairs) >= 3
    for kinds, line in pairs:
        assert sum(each["events"] for each in kinds.values()) == line["events"]
        for each in kinds.values():
            assert sum(count for _, count in each["buckets"]) == each["events"]
    measured = [kinds for kinds, line in pairs if line.get("measured")]
    total, whole = pairs[-1]
    for name, kind in total.items():
        seen = sum(each[name]["events"] for each in measured)
        assert 0.6 * kind["events"] < seen <= kind["events"]  # the last second has no line of its own
        assert whole["latency_ms"]["min"] * 0.5 < kind["latency_ms"]["min"] <= kind["latency_ms"]["avg"]
        assert kind["latency_ms"]["avg"] <= kind["latency_ms"]["max"] <= whole["latency_ms"]["max"]
    mean = sum(each["events"] * each["latency_ms"]["avg"] for each in total.values()) / whole["events"]
    assert mean == pytest.approx(whole["latency_ms"]["avg"], rel=0.1)  # sysbench's clock has a little more
    assert chi_square({name: kind["events"] for name, kind in total.items()}) < CHI_SQUARE


@pytest.mark.parametrize("threads", [1, 6])
def test_each_kind_is_what_the_server_counted(
    server: Server, mix_on: Callable[..., Outcome], threads: int
) -> None:
    names = ("com_update", "com_insert", "com_select")
    before = server.counters(*names)
    kinds, total = with_steps(mix_on(threads=threads, events=6000))[-1]
    after = server.counters(*names)
    update, insert, select = (after[name] - before[name] for name in names)
    assert kinds["payment"]["events"] * 2 == update  # sysbench counts one without a row as another statement
    assert kinds["payment"]["writes"] + kinds["payment"]["other"] == update
    assert kinds["new-order"]["events"] == kinds["new-order"]["rows"]["inserted"] == insert - 3000
    assert (
        kinds["status"]["events"] == kinds["status"]["reads"] == select - threads - 1
    )  # SELECT 1 of each client
    assert kinds["payment"]["rows"]["updated"] == total["rows"]["updated"]
    assert total["events"] == 6000 and all(each["errors"] == 0 for each in kinds.values())


FIGHTING = """\
option tran on rollback 20 %
begin weight 1 as quiet
  select n from t where id = :id;
end
begin weight 3 as loud
  update t set n = n + 1 where id = :few;
  update t set n = n + 1 where id = :other;
end
"""


def test_deadlocks_and_rollbacks_belong_to_their_kind(server: Server, mix_on: Callable[..., Outcome]) -> None:
    text = TABLE.replace("tables\n", "  few int 1 2\n  other int 1 2\ntables\n")
    before = server.counters("com_rollback", "com_commit")
    kinds, total = with_steps(mix_on(text + FIGHTING, threads=6, events=3000))[-1]
    after = server.counters("com_rollback", "com_commit")
    assert kinds["loud"]["errors"] == total["errors"] > 0 == kinds["quiet"]["errors"]
    rolled_back = sum(each["rolled_back"] for each in kinds.values())
    assert after["com_rollback"] - before["com_rollback"] == rolled_back + total["errors"]
    for each in kinds.values():  # within four deviations
        expected = 0.2 * each["events"]
        assert abs(each["rolled_back"] - expected) < 4 * (expected * 0.8) ** 0.5
    assert sum(each["events"] for each in kinds.values()) == total["events"] == 3000
    control = sum(each["control"] for each in kinds.values())
    assert control == total["control"]


# plans


def keep_mix(desktop: Desktop, *steps: str) -> None:
    """The workload of the mix, its load, and a sequence of these steps behind the load."""
    own = desktop.home / "workloads"
    write(own / "mix.sql", TABLE + MIX)
    write(
        own / "read-mix.sql",
        TABLE + MIX.replace("insert into t values (:added, 0)", "delete from t where id = 0"),
    )
    write(own / "read-mix.toml", 'name = "read-mix"\ntitle = "Reads"\nkind = "drive"\nsql = "read-mix.sql"\n')
    write(own / "mix.toml", 'name = "mix"\ntitle = "Mixed"\nkind = "drive"\nsql = "mix.sql"\n')
    loading = 'name = "mix-load"\ntitle = "Fills"\nkind = "load"\nsql = "mix.sql"\nunit = "rows/s"\n'
    write(own / "mix-load.toml", loading)
    sequence = own_sequence("mine", 'workload = "mix-load"', *steps, tables=1)
    write(desktop.home / "sequences/mine.toml", sequence)


def carried_out_mix(desktop: Desktop, build: str, *steps: str) -> str:
    keep_mix(desktop, *steps)
    desktop.dyno("run", "--sequence", "mine", "--contender", f"{build}:innodb", "--allow-busy")
    (entry,) = desktop.sessions()
    return str(entry["id"])


def ends_by_name(desktop: Desktop, session: str) -> dict[str, StepEnded]:
    events = desktop.events(session)
    plan = Plan.from_json(vars(events[0])["plan"])
    return {plan.steps[each.step].name: each for each in events if isinstance(each, StepEnded)}


BY_EVENTS = 'workload = "mix"\nevents = 4000\nwarmup = 0\nthreads = {}'


def check_counts(desktop: Desktop, session: str) -> None:
    found = ends_by_name(desktop, session)
    whole = found.pop("mix")
    kinds = {name.partition("/")[2]: end for name, end in found.items() if name.startswith("mix/")}
    assert {*kinds} == {*WEIGHTS} and {each.outcome for each in kinds.values()} == {"completed"}
    events = {name: each.totals.events or 0 for name, each in kinds.items()}
    assert sum(events.values()) == whole.totals.events == 4000
    assert events["payment"] * 2 == whole.status["com_update"]
    assert events["new-order"] == whole.status["com_insert"]
    assert chi_square(events) < CHI_SQUARE
    for each in kinds.values():
        assert sum(count for _, count in each.buckets) == each.totals.events
        latency = each.latency_ms
        assert 0 < latency["min"] <= latency["p95"] <= latency["p99"] and latency["max"] >= latency["min"]
        assert each.value == pytest.approx(each.totals.queries / each.seconds, rel=0.01)
        assert each.totals.rolled_back == 0 == each.totals.errors


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.full), 4])
def test_kinds_of_a_step_are_steps_of_their_own(desktop: Desktop, threads: int) -> None:
    session = carried_out_mix(desktop, MARIADB, BY_EVENTS.format(threads))
    check_counts(desktop, session)
    rows = {row["workload"]: row for row in desktop.json("compare", session)["rows"]}
    assert {"mix", "mix/status", "mix/payment", "mix/new-order"} <= rows.keys()
    text = desktop.dyno("compare", session).stdout
    assert text.index("mix/status") < text.index("mix/payment") < text.index("mix/new-order")


@pytest.mark.full
@pytest.mark.build("mysql-5.6")
@pytest.mark.parametrize("threads", [1, 4])
def test_an_old_server_counts_the_same_kinds(
    desktop: Desktop, build_path: Callable[[str], Path], threads: int
) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path("mysql-5.6")))
    check_counts(desktop, carried_out_mix(desktop, "mysql-5.6.24", BY_EVENTS.format(threads)))


def test_each_kind_has_rate_and_p95_of_each_second(desktop: Desktop) -> None:
    session = carried_out_mix(desktop, MARIADB, 'workload = "mix"\nseconds = 3')
    events = desktop.events(session)
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    at = {each.name: place for place, each in enumerate(declared.series)}
    samples = [each for each in events if isinstance(each, Sample) and each.step == 1 and not each.derived]
    assert samples
    for sample in samples:
        rates = [sample.values[at[f"load.events{{{name}}}"]] for name in WEIGHTS]
        whole = sample.values[at["load.transactions"]]
        if whole is not None:
            assert None not in rates and sum(rates) == pytest.approx(whole, abs=0.05)
    assert any(each.values[at["load.latency_p95_ms{status}"]] for each in samples)
    of_load = [each for each in events if isinstance(each, Sample) and each.step == 0]
    assert all(each.values[at["load.events{status}"]] is None for each in of_load)
    shown = desktop.json("session", "series", session, "mix", "--series", "load.events{payment}")
    assert len(shown["values"]) >= 2


ROLES = """\
name = "both"

[[step.role]]
name = "buyer"
workload = "mix"
threads = 2
rate = 300
seconds = 3

[[step.role]]
name = "reader"
workload = "read-mix"
threads = 1
"""


@pytest.mark.full
def test_kinds_within_roles_are_of_their_role(desktop: Desktop) -> None:
    session = carried_out_mix(desktop, MARIADB, ROLES)
    found = ends_by_name(desktop, session)
    for role in ("both", "both.reader"):
        kinds = [found[f"{role}/{name}"] for name in WEIGHTS]
        assert sum(each.totals.events or 0 for each in kinds) == found[role].totals.events > 0
    events = desktop.events(session)
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    names = {each.name for each in declared.series}
    assert {"load.events{buyer/payment}", "load.latency_p95_ms{reader/status}"} <= names
    late = found["both"].latency_ms  # from when each event was due
    longest = max(found[f"both/{name}"].latency_ms["max"] for name in WEIGHTS)
    assert longest == pytest.approx(late["max"], rel=0.2)
