"""The workload accounts on real servers: whatever happens, its four sums stay equal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.history.steps.conditions import conditions_text
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import (
    ENGINES,
    Outcome,
    Server,
    completed,
    loaded_anew,
    shipped,
    start,
    violated,
)
from tests.integration.test_rows_read import BUILDS_IN_FULL, Build, on_each_engine
from tests.plans import write
from tests.sequences import own_sequence

LOAD = "accounts-load"
ROWS, BRANCHES = 500, 2
COUNTED = ("com_update", "com_insert", "com_select", "com_commit", "com_rollback")
LOCKING = ["innodb", pytest.param("rocksdb", marks=pytest.mark.full)]
CHANGES = "SELECT teller_id, branch_id, account_id, delta FROM dyno.history ORDER BY id"


def loaded_accounts(server: Server, engine: str, **more: Any) -> Outcome:
    return loaded_anew(server, LOAD, engine, **{"rows": ROWS, "tables": BRANCHES, **more})


def paid(server: Server, engine: str = "innodb", **more: Any) -> Outcome:
    work = {"rows": ROWS, "tables": BRANCHES, "threads": 1, "events": 300, **more}
    return completed(server, shipped("accounts", engine, **work))


def sums(server: Server) -> set[int]:
    """One number, where they are equal."""
    columns = {"account": "balance", "teller": "balance", "branch": "balance", "history": "delta"}
    found = [server.query(f"SELECT SUM({name}) FROM dyno.{table}")[0][0] for table, name in columns.items()]
    return {int(each) for each in found}


def count(server: Server, table: str) -> int:
    return int(server.query(f"SELECT COUNT(*) FROM dyno.{table}")[0][0])


def check_sums(server: Server, payments: int) -> None:
    assert count(server, "history") == payments
    assert len(sums(server)) == 1 and violated(server, LOAD) == []


@pytest.mark.parametrize("keys", [False, True])
def test_accounts_are_loaded_to_the_row(server: Server, keys: bool) -> None:
    outcome = loaded_accounts(server, "innodb", rows=1234, options={"secondary_keys": keys})
    assert [count(server, each) for each in ("account", "teller", "branch", "history")] == [2468, 20, 2, 0]
    assert outcome.total["rows"]["inserted"] == 2468 + 20 + 2
    assert server.query("SELECT MIN(id), MAX(id) FROM dyno.account WHERE branch_id = 2") == [(1235, 2468)]
    assert server.query("SELECT MIN(id), MAX(id) FROM dyno.teller WHERE branch_id = 2") == [(11, 20)]
    text = {each: server.query(f"SHOW CREATE TABLE dyno.{each}")[0][1] for each in ("account", "history")}
    assert [each.count("KEY") for each in text.values()] == ([2, 3] if keys else [1, 1])
    assert "ENGINE=InnoDB" in text["account"] and "`balance` bigint(20)" in text["account"]
    assert violated(server, LOAD) == []


def test_accounts_depend_on_the_seed_and_not_on_the_threads(server: Server) -> None:
    def rows(seed: int, threads: int) -> list[Any]:
        loaded_accounts(server, "myisam", seed=seed, threads=threads)
        return server.query("SELECT filler FROM dyno.account ORDER BY id")

    first = rows(5, 1)
    assert rows(5, 2) == first != rows(6, 1)


@pytest.mark.parametrize("engine", [*ENGINES, "aria"])
def test_a_payment_is_five_statements_in_a_transaction(server: Server, engine: str) -> None:
    loaded_accounts(server, engine)
    before = server.counters(*COUNTED)
    total = paid(server, engine).total
    after = server.counters(*COUNTED)
    assert [after[name] - before[name] for name in COUNTED[:2]] == [900, 300]
    assert after["com_commit"] - before["com_commit"] == 300 and total["control"] == 600
    assert (total["events"], total["reads"], total["writes"], total["errors"]) == (300, 300, 1200, 0)
    assert total["rows"] == {"read": 300, "inserted": 300, "updated": 900, "deleted": 0}
    check_sums(server, 300)
    remote = "SELECT COUNT(*) FROM dyno.history AS h JOIN dyno.account AS a ON a.id = account_id"
    away = int(server.query(f"{remote} WHERE a.branch_id <> h.branch_id")[0][0])
    assert 15 < away < 80  # of 300 15 %: 45, and at most five deviations
    assert server.query("SELECT COUNT(*) FROM dyno.history WHERE branch_id <> CEIL(teller_id / 10)") == [(0,)]


def test_the_same_seed_pays_the_same_on_every_engine(server: Server) -> None:
    found = []
    for engine, seed in (("innodb", 3), ("myisam", 3), ("rocksdb", 3), ("innodb", 4)):
        loaded_accounts(server, engine)
        paid(server, engine, events=50, seed=seed)
        found.append(server.query(CHANGES))
    assert found[0] == found[1] == found[2] != found[3]


@pytest.mark.parametrize("engine", LOCKING)
def test_many_clients_of_one_branch_leave_the_sums_equal(server: Server, engine: str) -> None:
    loaded_accounts(server, engine, tables=1)
    paid(server, engine, tables=1, threads=16, events=2000)
    check_sums(server, 2000)


@contextmanager
def disturbing(server: Server, disturb: Callable[[Any], None]) -> Iterator[None]:
    """Do something to the clients again and again, on a connection of its own."""
    is_over = threading.Event()

    def work() -> None:
        with pymysql.connect(
            unix_socket=server.socket, user="root", db="dyno", autocommit=True
        ) as connection:
            while not is_over.is_set():
                with suppress(pymysql.err.MySQLError):
                    disturb(connection.cursor())

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def lock_the_other_way(cursor: Any) -> None:
    """The branch first, then accounts: a client that has one of these waits for the branch."""
    cursor.execute("BEGIN")
    cursor.execute("UPDATE branch SET filler = 'x' WHERE id = 1")
    for account in range(1, 21):
        cursor.execute(f"UPDATE account SET filler = 'x' WHERE id = {account}")
    cursor.execute("COMMIT")


@pytest.mark.parametrize("engine", LOCKING)
def test_deadlocks_in_mid_transaction_leave_the_sums_equal(server: Server, engine: str) -> None:
    loaded_accounts(server, engine, tables=1, rows=20)
    server.query("SET GLOBAL innodb_lock_wait_timeout = 1", "SET GLOBAL rocksdb_lock_wait_timeout = 1")
    server.query("SET GLOBAL rocksdb_deadlock_detect = 1")
    with disturbing(server, lock_the_other_way):
        total = paid(server, engine, tables=1, rows=20, threads=8, events=4000).total
    assert total["errors"] > 0 and total["events"] == 4000
    check_sums(server, 4000)


def test_lost_connections_in_mid_transaction_leave_the_sums_equal(server: Server) -> None:
    loaded_accounts(server, "innodb", tables=1)
    process, reader = start(server, shipped("accounts", "innodb", tables=1, rows=ROWS, threads=8, seconds=20))
    with process, open(reader) as lines:
        lines.readline()  # they are at work
        for (connection,) in server.query(
            "SELECT id FROM information_schema.PROCESSLIST WHERE db = 'dyno' AND id <> CONNECTION_ID()"
        ):
            with suppress(pymysql.err.MySQLError):
                server.query(f"KILL {connection}")
            time.sleep(0.01)
        lines.read()
        said, _ = process.communicate(timeout=60)
    assert process.returncode != 0 and ("onnection" in said or "gone away" in said)
    assert count(server, "history") > 0 and len(sums(server)) == 1 and violated(server, LOAD) == []


@pytest.mark.parametrize("build", BUILDS_IN_FULL)
def test_accounts_are_right_on_this_build(build: Build, tmp_path: Path) -> None:
    for server, engine, threads in on_each_engine(build, tmp_path):
        for keys in (False, True):
            loaded_accounts(server, engine, options={"secondary_keys": keys})
            assert violated(server, LOAD) == []
            before = server.counters(*COUNTED)
            paid(server, engine, threads=threads)
            after = server.counters(*COUNTED)
            assert after["com_update"] - before["com_update"] >= 900
            check_sums(server, 300)
        server.query("UPDATE dyno.account SET balance = balance + 1 WHERE id = 1")
        assert violated(server, LOAD) == ["accounts"]
        server.query("UPDATE dyno.branch SET balance = balance + 1 WHERE id = 1")
        assert violated(server, LOAD) == ["tellers"]
        server.query("UPDATE dyno.teller SET balance = balance + 1 WHERE id = 1")
        assert violated(server, LOAD) == ["history"]


# plans


@pytest.mark.full
def test_engines_without_transactions_have_one_client(desktop: Desktop) -> None:
    words = desktop.plan(f"{MARIADB}:myisam", rows=500, tables=1, seconds=1, warmup=0)
    words[words.index("tiny")] = "accounts"
    refusal = desktop.refused("run", *words, "--allow-busy")
    assert "accounts" in refusal and "transactions" in refusal and "8" in refusal
    desktop.dyno("run", *words, "--threads", "1", "--allow-busy")
    assert conditions_text(desktop.json("session", "show", "last")["conditions"]).startswith(
        "3 conditions held"
    )


KILLED = """\
name = "killed"
kind = "kill"
after = 2
seconds = 4

[[step.role]]
name = "payer"
workload = "accounts"
threads = 8
"""


def killed_session(desktop: Desktop, engine: str, threads: int) -> str:
    step = KILLED.replace("threads = 8", f"threads = {threads}")
    write(
        desktop.home / "sequences/mine.toml",
        own_sequence("mine", 'workload = "accounts-load"', step, tables=1),
    )
    words = desktop.plan(f"{MARIADB}:{engine}", rows=500)
    words[words.index("tiny")] = "mine"
    desktop.dyno("run", *words, "--allow-busy")
    return conditions_text(desktop.json("session", "show", "last")["conditions"])


@pytest.mark.full
def test_a_killed_server_keeps_whole_transactions(desktop: Desktop) -> None:
    assert killed_session(desktop, "innodb", 8) == "3 conditions held after the load and after the last step"


@pytest.mark.full
def test_what_a_kill_leaves_without_transactions_is_not_asked(desktop: Desktop) -> None:
    expected = (
        "3 conditions held after the load; after the last step 3 of 3 conditions had no answer: the clients"
        " of killed threads=1 were ended in the middle of transactions, which MyISAM does not have"
    )
    assert killed_session(desktop, "myisam", 1) == expected
