"""Loops of custom SQL on real servers: blocks by weight, transactions that do not end well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog.custom_sql import parse_custom_sql
from app.catalog.sql_lua import made_lua
from tests.integration.generated import Outcome, Server, Work, drive

TABLE = """\
declare
  next  seq 1 2000000000
  added seq rows+1 2000000000
  id    int 1 rows
  other int 1 rows
tables
  create table t (id int not null primary key, n int not null);
fill
  insert into t values (:next, 0);
"""


@pytest.fixture
def loops_of(server: Server, tmp_path: Path) -> Callable[..., Outcome]:
    """Load the table, then carry out what is written below its declarations."""

    def work(
        text: str, engine: str = "innodb", before: Callable[[], None] = lambda: None, **more: Any
    ) -> Outcome:
        server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
        for kind, extra in (("load", {"threads": 1, "rows": more.get("rows", 3000)}), ("drive", more)):
            if kind == "drive":
                before()
            found = parse_custom_sql(text, kind)
            assert found.problems == ()
            (tmp_path / f"{kind}.lua").write_text(made_lua(found, kind, "test.sql"))
            outcome = drive(server, Work(f"{kind}.lua", engine, tables=1, folder=tmp_path, **extra))
            assert outcome.code == 0, outcome.said
        return outcome

    return work


BLOCKS = """\
begin weight 70
  select n from t where id = :id;
end
begin weight 20
  update t set n = n + 1 where id = :id;
  update t set n = n + 1 where id = :other + 3000;
end
begin weight 10
  insert into t values (:added, 0);
end
"""


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
@pytest.mark.parametrize("option", ["", "option tran on commit 5\n"])
def test_each_loop_is_a_block_drawn_by_weight(
    server: Server, loops_of: Callable[..., Outcome], engine: str, option: str
) -> None:
    threads = 1 if option else 3  # no deadlocks
    total = loops_of(option + TABLE + BLOCKS, engine, threads=threads, events=2000).total
    rows, events = total["rows"], total["events"]
    assert (events, total["errors"]) == (2000, 0)
    inserted = server.query("SELECT COUNT(*) - 3000 FROM dyno.t")[0][0]
    changed = server.query("SELECT SUM(n) FROM dyno.t WHERE id <= 3000")[0][0]
    assert rows["inserted"] == inserted and rows["read"] + changed + inserted == events
    assert 1400 - 85 < rows["read"] < 1400 + 85  # four times what chance makes of 2,000
    assert 400 - 75 < changed < 400 + 75
    assert 200 - 55 < inserted < 200 + 55
    assert total["reads"] == rows["read"]
    assert total["reads"] + total["writes"] + total["other"] - total["control"] == events + changed


def test_the_same_seed_draws_the_same_blocks(loops_of: Callable[..., Outcome]) -> None:
    first, again, other = (
        loops_of(TABLE + BLOCKS, threads=1, events=300, seed=seed).total["rows"] for seed in (1, 1, 2)
    )
    assert first == again != other


COMMANDS = ("com_begin", "com_commit", "com_rollback")
INSERTS = """\
begin
  update t set n = n + 1 where id = :id;
  insert into t values (:added, 0);
end
"""


@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
@pytest.mark.parametrize("commit", [1, 5])
def test_transactions_end_with_rollback_by_chance(
    server: Server, loops_of: Callable[..., Outcome], engine: str, commit: int
) -> None:
    before = server.counters(*COMMANDS)
    option = f"option tran on commit {commit} rollback 20 %\n"
    work = {"threads": 2 if commit == 1 else 1, "events": 1000 * commit, "rows": 500}  # no deadlocks
    total = loops_of(option + TABLE + INSERTS, engine, **work).total
    after = server.counters(*COMMANDS)
    begun, committed, rolled_back = (after[name] - before[name] for name in COMMANDS)
    assert begun == committed + rolled_back
    assert total["control"] == begun + committed + rolled_back - 2  # one of the load
    assert 200 - 50 < rolled_back < 200 + 50  # four times what chance makes of 1,000
    assert (total["events"], total["errors"]) == (1000 * commit, 0)
    there = server.query("SELECT COUNT(*) - 500, SUM(n) FROM dyno.t")[0]
    assert total["rows"]["inserted"] == total["rows"]["updated"] == there[0] == there[1]
    assert 700 * commit < there[0] < 900 * commit


def test_an_engine_without_transactions_keeps_what_is_rolled_back(
    server: Server, loops_of: Callable[..., Outcome]
) -> None:
    total = loops_of("option tran on rollback 50 %\n" + TABLE + INSERTS, "myisam", events=200).total
    assert total["rows"]["inserted"] == server.query("SELECT COUNT(*) - 3000 FROM dyno.t")[0][0] == 200


DEADLOCKS = """\
begin weight 50
  update t set n = n + 1 where id = :id;
  update t set n = n + 1 where id = :other;
  insert into t values (:added, 0);
end
begin weight 50
  select n from t where id = :id;
end
"""


# InnoDB sees deadlocks (1213, rolled back by it), RocksDB waits for them to pass (1205, left open by it)
@pytest.mark.parametrize(("engine", "threads", "events"), [("innodb", 8, 2000), ("rocksdb", 3, 100)])
def test_deadlocks_repeat_the_whole_transaction_and_are_counted(
    server: Server, loops_of: Callable[..., Outcome], engine: str, threads: int, events: int
) -> None:
    before = server.counters(*COMMANDS)
    text = "option tran on\n" + TABLE + DEADLOCKS
    total = loops_of(text, engine, threads=threads, events=events, rows=4).total
    after = server.counters(*COMMANDS)
    begun, committed, rolled_back = (after[name] - before[name] for name in COMMANDS)
    assert total["errors"] == rolled_back > 0
    assert (total["events"], committed - 1) == (events, events)  # one of the load
    assert begun == committed + rolled_back
    inserted, changed = server.query("SELECT COUNT(*) - 4, SUM(n) FROM dyno.t")[0]
    assert total["rows"]["inserted"] == inserted and total["rows"]["updated"] == changed == 2 * inserted
    spread = 2 * events**0.5  # four times what chance makes: blocks with deadlocks do not become rarer
    assert events / 2 - spread < inserted < events / 2 + spread


KEEPING = """\
declare
  next  seq 1 2000000000
  id    int 1 rows+100
  n     int
  half  float
  word  char
tables
  create table t (id int not null primary key, n bigint, half double, word varchar(99), seen bigint,
    heard varchar(99), felt double);
fill
  insert into t (id, n, half, word) values (:next, null, null, null);
begin
  select n, half, word into :n, :half, :word from t where id = :id;
  update t set seen = :n + 1, heard = :word, felt = :half where id = :id;
end
"""
WORDS = 'it\'s \\ "so" ? :n ; --'


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
def test_values_are_kept_from_one_statement_for_the_next(
    server: Server, loops_of: Callable[..., Outcome], engine: str
) -> None:
    def prepare() -> None:
        server.query("UPDATE dyno.t SET n = 9007199254740000 + id, half = id / 8 WHERE id % 2 = 0")
        with_words = WORDS.replace("\\", "\\\\").replace("'", "''")
        server.query(f"UPDATE dyno.t SET word = CONCAT('{with_words}', id) WHERE id % 2 = 0")

    total = loops_of(KEEPING, engine, before=prepare, threads=2, events=2000, rows=500).total
    rows = server.query("SELECT id, n, half, word, seen, heard, felt FROM dyno.t")
    met = [row for row in rows if row[4] is not None]
    assert len(met) > 200 and all(row[0] % 2 == 0 for row in met)
    assert all(row[4:] == (row[1] + 1, row[3], row[2]) for row in met)
    assert all(row[3] == f"{WORDS}{row[0]}" for row in met)
    # no row, or one of NULL: nothing of the loop before is left
    assert all(row[4:] == (None, None, None) for row in rows if row[0] % 2)
    assert total["reads"] == total["events"] == 2000
    assert 1500 < total["rows"]["read"] < 1800  # 500 of 600 keys have a row


CHAIN = """\
option tran on
declare
  next  seq 1 2000000000
  id    int 1 rows
  other int 1 rows
  n     int
  m     int
tables
  create table t (id int not null primary key, n int not null);
fill
  insert into t values (:next, 100);
begin weight 3
  select n into :n from t where id = :id for update;
  select n into :m from t where id = :id and n = :n;
  update t set n = :m + 1 where id = :id;
end
begin weight 1
  select n from t where id = :other;
end
"""


def test_select_into_with_deadlocks_blocks_and_transactions(
    server: Server, loops_of: Callable[..., Outcome]
) -> None:
    """Each transaction adds one to a row that it has locked: none is lost."""
    total = loops_of(CHAIN, threads=8, events=2000, rows=4).total
    assert total["errors"] == 0
    assert server.query("SELECT SUM(n) - 400 FROM dyno.t")[0][0] == total["rows"]["updated"] > 1300


@pytest.mark.parametrize(
    ("column", "why"), [("1.5", ":n is int, but a row has 1.5"), ("'a'", ":n is a number, but a row has")]
)
def test_a_value_of_another_type_ends_the_step(
    server: Server, loops_of: Callable[..., Outcome], column: str, why: str
) -> None:
    with pytest.raises(AssertionError, match=why):
        loops_of(CHAIN.replace("select n into :n", f"select {column} into :n"), events=10)


LAWS = """\
declare
  next   seq 1 2000000000
  often  int 1 rows zipf
  recent int 1 rows latest 1.5
tables
  create table t (id int not null primary key, n int not null, m int not null, k int not null);
fill
  insert into t values (:next, 0, 0, 0);
begin
  update t set n = n + 1 where id = :often;
  update t set m = m + 1 where id = :recent;
  update t set k = k + 1 where id = :often - 1 + 1;
end
"""


def expected_share(rank: int, many: int, exponent: float) -> float:
    return float(rank**-exponent / sum(each**-exponent for each in range(1, many + 1)))


def test_keys_are_drawn_by_their_laws(server: Server, loops_of: Callable[..., Outcome]) -> None:
    events, rows = 6000, 1000
    loops_of(LAWS, "myisam", threads=2, events=events, rows=rows)
    assert server.query("SELECT SUM(n), SUM(m), MIN(id), MAX(id) FROM dyno.t") == [(events, events, 1, rows)]
    drawn = server.query("SELECT n, m FROM dyno.t ORDER BY id")
    for rank in (1, 2, 3, 10):
        for exponent, count in ((0.99, drawn[rank - 1][0]), (1.5, drawn[-rank][1])):
            expected = events * expected_share(rank, rows, exponent)
            assert abs(count - expected) < 4 * expected**0.5, (rank, exponent, count, expected)
    assert sum(n > 0 for n, _ in drawn) > 500
    assert server.query("SELECT COUNT(*) FROM dyno.t WHERE k <> n") == [(0,)]  # one value in all places


def test_a_load_draws_by_laws_too(server: Server, loops_of: Callable[..., Outcome]) -> None:
    text = LAWS.replace("(:next, 0, 0, 0)", "(:next, :often, :recent, 0)").replace(
        "update t set n = n + 1", "update t set n = n"
    )
    loops_of(text, threads=1, events=1, rows=1000)
    low, high = server.query("SELECT SUM(n = 1), SUM(m >= 999) FROM dyno.t")[0]
    assert 90 < low < 180 and 400 < high < 650  # 134 and 520 of 1,000


LATEST = """\
option tran on
declare
  next  seq 1 2000000000
  added seq rows+1 2000000000
  fresh int 1 added latest
  n     int
tables
  create table t (id int not null primary key, n int not null);
fill
  insert into t values (:next, 0);
begin weight 7
  select n into :n from t where id = :fresh for update;
  update t set n = :n + 1 where id = :fresh;
end
begin weight 3
  select id into :n from t where id = :fresh;
  insert into t values (:added, :n);
end
"""


@pytest.mark.parametrize("threads", [1, 4])
def test_the_latest_are_what_has_been_inserted(
    server: Server, loops_of: Callable[..., Outcome], threads: int
) -> None:
    """Each key that is asked for is there, and each number is inserted once, without gaps."""
    total = loops_of(LATEST, threads=threads, events=4000, rows=1000).total
    rows = total["rows"]
    assert rows["read"] == total["reads"] == 4000 and total["errors"] == 0
    assert rows["updated"] + rows["inserted"] == 4000 and 1100 < rows["inserted"] < 1300
    added = server.query("SELECT id, n FROM dyno.t WHERE id > 1000 ORDER BY id")
    of_clients = [[id for id, _ in added if (id - 1001) % threads == each] for each in range(threads)]
    for numbers in of_clients:
        assert numbers == list(range(numbers[0], numbers[0] + threads * len(numbers), threads))
    assert sorted(numbers[0] for numbers in of_clients) == list(range(1001, 1001 + threads))
    changed = server.query("SELECT SUM(n) FROM dyno.t WHERE id <= 1000")[0][0]
    assert 0 < changed < rows["updated"] / 2  # most are among the new ones
