"""Custom SQL under a real sysbench and servers: what is drawn, counted, committed; latency, space, rates."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog.custom_sql import parse_custom_sql
from app.catalog.sql_lua import made_lua
from app.protocol.events import Fact, StepEnded
from app.protocol.step_parts import to_json
from tests.installed import MARIADB
from tests.integration.desktop import Desktop, own_marks
from tests.integration.generated import ROWS, Outcome, Server, Work, drive
from tests.unit.catalog.test_mydbtest import PRINTED

ENGINES = ("innodb", "rocksdb", "myisam")
TYPES = """\
declare
  id    int 1 rows
  next  seq rows+1 2000000000
  state intlist 1, 5, 9
  price float 0 2
  born  date -10 10
  seen  timestamp -1 1
  body  char 512 1024 zlib 0.4
  dense char 600 600
  name  char 0 10
tables
  create table t (id int not null primary key, n int, state int, price double, born date, later date,
    seen datetime, body varchar(1024), dense varchar(600), name varchar(10));
fill
  insert into t values (:next - 3000, :id - 1, :state, :price, :born, :born + 7, :seen, :body, :dense, :name);
begin
  select name from t where id = :id;
end
"""
POINTS = """\
name = "points"
title = "Writes and reads by concurrency, small"
rows = 1000
threads = [2, 5]
seconds = 1
warmup = 0

[[step]]
name = "load"
workload = "tencent-load"

[[step]]
name = "write"
workload = "tencent-write"
events = 200
reload = "each"

[[step]]
name = "read"
workload = "tencent-read"
reload = "once"
"""
SPACE = """\
name = "small-space"
title = "Size over rows, small"
rows = 20000

[[step]]
name = "load"
workload = "tencent-load"
increments = 2
cap_s = 1
"""


@pytest.fixture
def carry_out(server: Server, tmp_path: Path) -> Callable[..., Outcome]:
    """Carry out a text of custom SQL as Dyno makes Lua of it."""

    def work(text: str, kind: str, engine: str = "innodb", **more: Any) -> Outcome:
        found = parse_custom_sql(text, kind)
        assert found.problems == ()
        (tmp_path / f"{kind}.lua").write_text(made_lua(found, kind, "test.sql"))
        if kind == "load":
            server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
            more["threads"] = 1
        outcome = drive(server, Work(f"{kind}.lua", engine, tables=1, folder=tmp_path, **more))
        assert outcome.code == 0, outcome.said
        return outcome

    return work


@pytest.mark.parametrize("engine", ENGINES)
def test_all_types_are_drawn_as_declared(
    server: Server, carry_out: Callable[..., Outcome], engine: str
) -> None:
    total = carry_out(TYPES, "load", engine).total
    assert (total["rows"]["inserted"], total["clients"], total["events"]) == (ROWS, 1, 3)
    ((count, first, last, low, high),) = server.query(
        "SELECT COUNT(*), MIN(id), MAX(id), MIN(n), MAX(n) FROM dyno.t"
    )
    assert (count, first, last) == (ROWS, 1, ROWS)
    assert 0 <= low < 20 and ROWS - 20 < high < ROWS
    assert server.query("SELECT DISTINCT state FROM dyno.t ORDER BY 1") == [(1,), (5,), (9,)]
    checks = (
        "MIN(price) >= 0 AND MAX(price) < 2 AND STD(price) > 0.5",
        "MAX(DATEDIFF(born, UTC_DATE())) BETWEEN 9 AND 11",
        "MIN(DATEDIFF(born, UTC_DATE())) BETWEEN -11 AND -9",
        "MIN(DATEDIFF(later, born)) = 7 AND MAX(DATEDIFF(later, born)) = 7",
        "MAX(ABS(TIMESTAMPDIFF(SECOND, seen, UTC_TIMESTAMP()))) BETWEEN 80000 AND 87000",
        "MIN(LENGTH(body)) BETWEEN 512 AND 515 AND MAX(LENGTH(body)) BETWEEN 1021 AND 1024",
        "MIN(LENGTH(name)) = 0 AND MAX(LENGTH(name)) = 10 AND COUNT(DISTINCT name) > 2000",
    )
    for check in checks:
        assert server.query(f"SELECT {check} FROM dyno.t") == [(1,)], check


def test_texts_are_as_compressible_as_declared(server: Server, carry_out: Callable[..., Outcome]) -> None:
    for share in (0.05, 0.25, 0.4, 0.6, 0.75):
        carry_out(TYPES.replace("zlib 0.4", f"zlib {share}"), "load", rows=1000)
        rows = server.query("SELECT body, dense FROM dyno.t ORDER BY id")
        bodies = [row[0] for row in rows]
        assert len(set(bodies)) == len(bodies)
        assert left(bodies) == pytest.approx(share, abs=0.03)
        assert left([row[1] for row in rows]) == pytest.approx(0.757, abs=0.01)
        assert left(bodies[:16]) == pytest.approx(share, abs=0.06)  # of a page alone


def left(texts: list[str]) -> float:
    """What zlib leaves of them."""
    plain = "".join(texts).encode()
    return len(zlib.compress(plain, 6)) / len(plain)


def test_threads_draw_other_keys_and_the_same_numbers_never(
    server: Server, carry_out: Callable[..., Outcome]
) -> None:
    text = TYPES.replace("select name from t where id = :id;", "insert into t (id, n) values (:next, :id);")
    carry_out(text, "load")
    total = carry_out(text, "drive", threads=4, events=400).total
    assert (total["rows"]["inserted"], total["clients"]) == (400, 4)
    added = server.query("SELECT COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT n) FROM dyno.t WHERE id > 3000")[
        0
    ]
    assert added[:2] == (400, 3001)
    assert added[2] <= 3000 + 4 * 400  # threads go on by their number: one may be far ahead
    assert added[3] > 350


@pytest.mark.parametrize(("engine", "threads"), [("innodb", 1), ("innodb", 3), ("rocksdb", 1), ("myisam", 1)])
def test_loops_are_committed_by_their_number(
    server: Server, carry_out: Callable[..., Outcome], engine: str, threads: int
) -> None:
    text = "option tran on commit 10\n" + TYPES.replace(
        "select name from t where id = :id;",
        "update t set n = n + 1 where id = 1 and :state > 0; insert into t (id) values (:next);",
    )
    carry_out(text, "load", engine)
    before = server.counters("com_commit", "com_begin")
    total = carry_out(text, "drive", engine, threads=threads, events=25, rows=ROWS).total
    after = server.counters("com_commit", "com_begin")
    assert total["events"] == 25
    assert (
        total["rows"]["inserted"] == 25 == server.query("SELECT COUNT(*) FROM dyno.t WHERE id > 3000")[0][0]
    )
    begun = after["com_begin"] - before["com_begin"]
    assert begun == after["com_commit"] - before["com_commit"] == total["control"] / 2
    assert begun == 3 if threads == 1 else 3 <= begun <= 5  # the last of each thread is not full


def test_nothing_of_a_file_becomes_lua(
    server: Server, carry_out: Callable[..., Outcome], tmp_path: Path
) -> None:
    witness = tmp_path / "witness"
    hostile = f"""x"); os.execute("touch {witness}") --]] \\" [[ $(touch {witness}) %s %d \\\\"""
    literal = hostile.replace("\\", "\\\\")
    text = TYPES.replace(
        "select name from t where id = :id;", f"update t set body = '{literal}' where id = 7;"
    )
    carry_out(text, "load")
    carry_out(text, "drive", events=1, threads=1)
    assert server.query("SELECT body FROM dyno.t WHERE id = 7") == [(hostile,)]
    assert not witness.exists()


def steps_of(desktop: Desktop, contender: str, sequence: str, **options: object) -> list[dict[str, Any]]:
    words = ["run", "--sequence", sequence, "--contender", contender, "--allow-busy"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    desktop.dyno(*words)
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    found: list[dict[str, Any]] = desktop.json("session", "show", entry["id"])["steps"]
    return found


def ended_of(desktop: Desktop) -> list[StepEnded]:
    (entry,) = desktop.sessions()
    return [event for event in desktop.events(entry["id"]) if isinstance(event, StepEnded)]


def check_points(desktop: Desktop, steps: list[dict[str, Any]]) -> None:
    """Each point of the writes begins with 1,000 rows and leaves 1,200; latency is what is measured."""
    assert [(step["name"], step["coordinates"], step["rows"]) for step in steps] == [
        ("load", {}, 1000),
        ("write", {"threads": 2}, 1200),
        ("load.write", {"threads": 5}, 1000),
        ("write", {"threads": 5}, 1200),
        ("load.read", {"threads": 2}, 1000),
        ("read", {"threads": 2}, 1000),
        ("read", {"threads": 5}, 1000),
    ]
    ended = ended_of(desktop)
    for step, event in zip(steps, ended, strict=True):
        if step["name"] in ("write", "read"):
            assert (step["unit"], step["latency_per"]) == ("ms", "query")
            assert step["value"] == pytest.approx(event.latency_ms["avg"], abs=0.0001)
            assert 0 < event.latency_ms["min"] <= step["value"] <= event.latency_ms["max"]
            assert step["latency_ms"]["p50"] <= step["latency_ms"]["p95"]
            assert event.totals.clients == step["coordinates"]["threads"]
            assert not {"fewer-clients", "error-ridden"} & set(step["marks"])
        if step["name"] == "read":
            assert event.totals.rows["read"] == event.totals.reads == event.totals.events > 100


@pytest.mark.parametrize("engine", ["innodb", pytest.param("rocksdb", marks=pytest.mark.full)])
def test_latency_by_concurrency(desktop: Desktop, engine: str) -> None:
    (desktop.home / "sequences/points.toml").write_text(POINTS)
    check_points(desktop, steps_of(desktop, f"{MARIADB}:{engine}", "points", rate=400))
    (entry,) = desktop.sessions()
    counted = [e for e in desktop.events(entry["id"]) if isinstance(e, Fact) and e.name == "rows_counted"]
    assert counted[0].value == {"tmp_sample": 1000}


@pytest.mark.parametrize(
    "build",
    [
        pytest.param("mysql-5.6", marks=[pytest.mark.build("mysql-5.6"), pytest.mark.full]),
        pytest.param("mysql-8.0", marks=[pytest.mark.build("mysql-8.0"), pytest.mark.full]),
        pytest.param("mysql-9.7", marks=[pytest.mark.build("mysql-9.7"), pytest.mark.full]),
    ],
)
def test_latency_by_concurrency_on_mysql(
    desktop: Desktop, build: str, build_path: Callable[[str], Path]
) -> None:
    base = build_path(build)
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    name = next(each["name"] for each in builds if each["base"].startswith(str(base)))
    (desktop.home / "sequences/points.toml").write_text(POINTS)
    check_points(desktop, steps_of(desktop, f"{name}:innodb", "points", rate=400))


@pytest.mark.full
@pytest.mark.parametrize(
    ("contender", "low", "high"),
    [
        ("innodb:baseline", 850, 1500),
        ("rocksdb:tencent-zlib-16k", 300, 500),
    ],
)
def test_size_over_rows(desktop: Desktop, contender: str, low: int, high: int) -> None:
    """A row has 820 bytes or so, most of them of a text that zlib makes 40 % of."""
    (desktop.home / "sequences/small-space.toml").write_text(SPACE)
    steps = steps_of(desktop, f"{MARIADB}:{contender}", "small-space")
    assert [(step["name"], step["coordinates"]["volume_rows"], step["rows"]) for step in steps] == [
        (name, rows, rows) for rows in (10_000, 20_000) for name in ("load", "size")
    ]
    sizes = [step for step in steps if step["name"] == "size"]
    assert all(step["unit"] == "bytes" and 0 < step["value"] < step["size_bytes"] for step in sizes)
    assert [step["value"] for step in sizes] == sorted(step["value"] for step in sizes)
    assert low < sizes[-1]["value"] / 20_000 < high


@pytest.mark.full
def test_a_step_with_fewer_clients_is_marked(desktop: Desktop) -> None:
    preset = (
        Path("cnf_presets/innodb/baseline.cnf")
        .read_text()
        .replace("max_connections=512", "max_connections=512\nmax_user_connections=3")
    )
    (desktop.home / "presets/innodb").mkdir(parents=True)
    (desktop.home / "presets/innodb/few.cnf").write_text(preset)
    (desktop.home / "sequences/points.toml").write_text(POINTS)
    steps = steps_of(desktop, f"{MARIADB}:innodb:few", "points", transport="loopback", steps="read")
    assert [(step["name"], own_marks(step["marks"])) for step in steps if step["name"] == "read"] == [
        ("read", []),
        ("read", ["fewer-clients"]),
    ]
    assert [e.totals.clients for e in ended_of(desktop)][-2:] == [2, 3]
    said = desktop.dyno("session", "show", "last").stdout
    assert re.search(r"^read +5 .*fewer-clients", said, re.MULTILINE)


@pytest.mark.full
def test_rates_are_kept_and_one_beyond_reach_is_marked(desktop: Desktop) -> None:
    beyond = POINTS + '\n[[step]]\nname = "beyond"\nworkload = "tencent-read"\nrate = 1000000\nseconds = 2\n'
    (desktop.home / "sequences/points.toml").write_text(beyond)
    words = ("--contender", f"{MARIADB}:innodb", "--rate", "100,200", "--seconds", "3", "--threads", "2")
    desktop.dyno("run", "--sequence", "points", "--steps", "read,beyond", *words, "--allow-busy")
    *_, slow, fast, beyond_reach = desktop.json("session", "show", "last")["steps"]
    for step, rate in ((slow, 100), (fast, 200)):
        assert step["coordinates"] == {"threads": 2, "rate": rate}
        assert abs(step["queries"] - 3 * rate) < 4.5 * (3 * rate) ** 0.5
        assert "rate-missed" not in step["marks"] and step["schedule"] is None
    assert beyond_reach["state"] == "completed" and "rate-missed" in beyond_reach["marks"]
    found = ended_of(desktop)[-1].schedule
    assert to_json(found) == beyond_reach["schedule"] and found.rate == 1_000_000
    assert found.queued == pytest.approx(found.behind_s * 1_000_000, abs=100)
    assert found.achieved == pytest.approx(ended_of(desktop)[-1].totals.events / 2, rel=0.2)
    assert "of 1,000,000 events/s" in desktop.dyno("session", "show", "last").stdout
    heads, *lines = desktop.dyno("chart", "rates", "last", "--step", "read").stdout.splitlines()
    assert heads.startswith("step,rate (events/s),contender,achieved")
    assert [line.split(",")[2] for line in lines] == ["100", "200"]  # behind a step with a comma in it


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("sequence", ["concurrency", "space"])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_studies_of_custom_sql_go_to_their_end(desktop: Desktop, engine: str, sequence: str) -> None:
    preset = {"innodb": "tencent", "rocksdb": "tencent-zlib-4k", "myisam": "baseline"}[engine]
    words = ["run", "--sequence", sequence, "--contender", f"{MARIADB}:{engine}:{preset}", "--rows", "5000"]
    desktop.dyno(*words, "--threads", "4,200", "--seconds", "1", "--warmup", "0", limit_s=850)
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
    steps = desktop.json("session", "show", entry["id"])["steps"]
    measured = [step for step in steps if step["name"] in ("write", "read", "size")]
    assert len(measured) == (10 if sequence == "space" else 4)
    assert all(step["value"] > 0 for step in measured)
    assert {step["unit"] for step in measured} == {"bytes" if sequence == "space" else "ms"}


@pytest.mark.full
def test_a_file_of_mydbtest_is_imported_and_carried_out(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "conf"
    file.write_text(PRINTED.replace("loop 25000", "loop 300"))
    desktop.dyno("import", str(file))
    steps = steps_of(desktop, f"{MARIADB}:innodb", "conf", rows=500, threads=3, steps="conf")
    assert (steps[-1]["unit"], steps[-1]["latency_per"], steps[-1]["rows"]) == (
        "ms",
        "loop",
        2 * 500 + 2 * 300,
    )
    (entry,) = desktop.sessions()
    counted = [e for e in desktop.events(entry["id"]) if isinstance(e, Fact) and e.name == "rows_counted"]
    assert counted[0].value == {"tmp_nocompress": 800, "tmp_lz4compress": 800}
