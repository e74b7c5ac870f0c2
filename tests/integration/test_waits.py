"""Planted causes on real servers: each is the wait that took longest, by its name."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymysql
import pytest

from app.agent.sampling.counters import ServerCounterSampler
from app.agent.sampling.locks import STATUS, RowLockPairs
from app.agent.sampling.statements import Statements
from app.agent.sampling.waits import WaitSampler
from app.agent.server.options import known_options
from app.agent.server.server import Server
from app.agent.steps.counted import StepWaitsCounter
from app.agent.survey.builds import find_builds
from app.protocol.step_parts import to_json
from app.protocol.waits import BY_NAME
from tests.integration.desktop import Desktop

CLIENTS = 4
HOLD_S = 0.6
LIMIT_S = 30
TABLE_LOCK, METADATA = "wait/lock/table/sql/handler", "wait/lock/metadata/sql/mdl"
ROW, OLD_METADATA = "InnoDB row lock", "wait/synch/cond/sql/MDL_context::COND_wait_status"
CNF = "[mysqld]\ninnodb_buffer_pool_size=32M\nloose_query_cache_type=1\nloose_query_cache_size=64M\n"

TOGETHER = "prepared statements, counted together"

Fetched = Callable[[str], Path]


class Planted:
    """A server with tables, and what its threads waited for while a cause was planted."""

    def __init__(self, server: Server) -> None:
        self.server, self.client = server, server.client
        tables = (("i", "InnoDB"), ("m", "MyISAM"))
        made = [f"CREATE TABLE dyno.{t} (id INT PRIMARY KEY, v INT) ENGINE={e}" for t, e in tables]
        self.client.run(*made, *(f"INSERT INTO dyno.{t} VALUES (1, 1), (2, 1), (3, 1)" for t, _ in tables))

    def waited_for(self, engine: str, plant: Callable[[Planted], None]) -> dict[str, Any]:
        """The fields of step_ended after this cause."""
        waits = WaitSampler(self.client, engine)
        self.counters = counters = ServerCounterSampler(self.client, engine, [*waits.status_names, *STATUS])
        sampler = SimpleNamespace(
            waits=waits, locks=RowLockPairs(self.client), statements=Statements(self.client, waits.is_on)
        )
        session: Any = SimpleNamespace(
            sampler=sampler, server=self.server, contender=SimpleNamespace(engine=engine)
        )
        named, self.locks = StepWaitsCounter(session), sampler.locks
        waits.begin()
        named.begin(counters.read())
        plant(self)
        named.end(counters.read())
        named.stop()
        return json.loads(json.dumps(named.fields(CLIENTS), default=to_json))

    @contextmanager
    def clients(self, *statements: str) -> Iterator[Sequence[threading.Thread]]:
        """Clients that send these statements, until they have their answers."""
        threads = [threading.Thread(target=self.send, args=statements) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield threads
        finally:
            for thread in threads:
                thread.join(LIMIT_S)

    def send(self, *statements: str) -> None:
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def connect(self) -> Any:
        return pymysql.connect(unix_socket=self.server.socket, user="root", db="dyno", autocommit=True)

    def await_waiting(self, word: str, count: int = CLIENTS) -> None:
        """Until so many clients execute a statement with this word."""
        end = time.monotonic() + LIMIT_S
        while sum(word in str(row["info"]) for row in self.client.query("SHOW PROCESSLIST")) < count:
            assert time.monotonic() < end
            time.sleep(0.01)


def row_lock(planted: Planted) -> None:
    with planted.connect() as holder, holder.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE i SET v = 7 WHERE id = 1")
        with planted.clients("UPDATE i SET v = v + 1 WHERE id = 1"):
            planted.await_waiting("UPDATE i")
            time.sleep(HOLD_S)
            status = planted.counters.read()
            planted.locks.look(status, status)
            holder.commit()


def table_lock(planted: Planted) -> None:
    holder = threading.Thread(
        target=planted.send, args=(f"SELECT SLEEP({HOLD_S}) FROM m WHERE v > 0 LIMIT 1",)
    )
    holder.start()
    planted.await_waiting("SLEEP", 1)
    with planted.clients("UPDATE m SET v = v + 1 WHERE id = 2"):
        holder.join(LIMIT_S)


def metadata_lock(planted: Planted) -> None:
    with planted.connect() as holder, holder.cursor() as cursor:
        cursor.execute("LOCK TABLES i WRITE")
        with planted.clients("SELECT v FROM i WHERE id = 2"):
            planted.await_waiting("SELECT v")
            time.sleep(HOLD_S)
            cursor.execute("UNLOCK TABLES")


def deadlock(planted: Planted) -> None:
    with planted.connect() as one, planted.connect() as other:
        first, second = one.cursor(), other.cursor()
        for cursor, id_ in ((first, 1), (second, 2)):
            cursor.execute("BEGIN")
            cursor.execute(f"UPDATE i SET v = 9 WHERE id = {id_}")
        waiting = threading.Thread(target=_send, args=(first, "UPDATE i SET v = 9 WHERE id = 2"))
        waiting.start()
        planted.await_waiting("id = 2", 1)
        _send(second, "UPDATE i SET v = 9 WHERE id = 1")
        waiting.join(LIMIT_S)
    planted.locks.look({"innodb_row_lock_waits": "0"}, {"innodb_row_lock_waits": "1"})


def _send(cursor: Any, statement: str) -> None:
    try:
        cursor.execute(statement)
    except pymysql.err.OperationalError as error:
        assert error.args[0] == 1213


@contextmanager
def served(server: str, folder: Path, lines: str = "") -> Iterator[Planted]:
    build = next(
        each for each in find_builds([server] if server else []) if each.base.startswith(server or "/usr")
    )
    contender = {"cnf": CNF + lines, "base": build.base, "server": build.server}
    folder.mkdir()
    made = Server(contender, str(folder), known_options(build), build.environment, instruments=BY_NAME)
    try:
        made.prepare()
        made.start()
        yield Planted(made)
    finally:
        made.kill()
        made.clean()


def check_locks(planted: Planted, metadata: str) -> None:
    """Row, table and metadata locks, and a deadlock."""
    found = planted.waited_for("innodb", row_lock)
    (longest, *_), (pair, *_) = found["waits"]["events"], found["waits"]["locks"]
    assert (longest["name"], longest["kind"]) == (ROW, "row_lock")
    assert longest["ms"] > CLIENTS * HOLD_S * 900 and longest["per_query_us"] > HOLD_S * 900_000
    assert pair["waiting"] == "UPDATE i SET v = v + ? WHERE id = ?" and pair["kind"] == "row lock"
    assert (pair["table"], pair["index"]) == ("i", "PRIMARY") and "holding" not in pair
    for engine, plant, name in (("myisam", table_lock, TABLE_LOCK), ("innodb", metadata_lock, metadata)):
        (longest, *_) = planted.waited_for(engine, plant)["waits"]["events"]
        assert longest["name"] == name and longest["ms"] > CLIENTS * HOLD_S * 500
    locks = planted.waited_for("innodb", deadlock)["waits"]["locks"]
    statements = "UPDATE i SET v = ? WHERE id = ?"
    assert {"kind": "deadlock", "waiting": statements, "holding": statements, "seen": 1} in locks


def test_locks_of_mariadb(tmp_path: Path) -> None:
    with served("", tmp_path / "s") as planted:
        check_locks(planted, METADATA)


@pytest.mark.parametrize(
    ("name", "metadata"),
    [
        pytest.param("mysql-5.6", OLD_METADATA, marks=[pytest.mark.build("mysql-5.6"), pytest.mark.full]),
        pytest.param("mysql-8.0", METADATA, marks=[pytest.mark.build("mysql-8.0"), pytest.mark.full]),
        pytest.param("mysql-9.7", METADATA, marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_locks_of_mysql(build_path: Fetched, tmp_path: Path, name: str, metadata: str) -> None:
    with served(str(build_path(name)), tmp_path / "s") as planted:
        check_locks(planted, metadata)


def writes(planted: Planted) -> None:
    with planted.connect() as connection, connection.cursor() as cursor:
        for id_ in range(10, 3010):  # a name of less than a millisecond has no row
            cursor.execute(f"INSERT INTO m VALUES ({id_}, 1)")


@pytest.mark.parametrize(
    "name",
    [
        "",
        *(
            pytest.param(each, marks=[pytest.mark.full, pytest.mark.build(each)])
            for each in ("mysql-5.6", "mysql-8.0", "mysql-9.7", "mariadb-11.8")
        ),
    ],
)
def test_bytes_of_the_binary_log_are_those_of_its_files(
    name: str, build_path: Fetched, tmp_path: Path
) -> None:
    """Also of files that Dyno opened: it empties the binary log before each step, and analyses tables."""
    lines = "log_bin=bl\nserver_id=7\nsync_binlog=0\n"
    with served(str(build_path(name)) if name else "", tmp_path / "s", lines) as planted:
        planted.waited_for("myisam", lambda _: None)  # the step before
        planted.client.try_run("RESET BINARY LOGS AND GTIDS", "RESET MASTER")
        planted.client.run("FLUSH TABLES", "ANALYZE TABLE dyno.m")
        before = _size_of_logs(planted)
        found = planted.waited_for("myisam", writes)["waits"]
        grown = _size_of_logs(planted) - before
    files, counts = (
        found["files"],
        {each["name"].rpartition("/")[2]: each["count"] for each in found["events"]},
    )
    assert grown > 3000 * 100 and files["sql/binlog:written"] == pytest.approx(grown, rel=0.01), files
    assert "sql/binlog:read" not in files or files["sql/binlog:read"] < grown
    assert counts.get("binlog", 0) >= 3000 and counts.get("kfile", 0) >= 3000, counts


def _size_of_logs(planted: Planted) -> int:
    folder = Path(planted.client.query("SELECT @@datadir AS path")[0]["path"])
    return sum(file.stat().st_size for file in folder.glob("bl.[0-9]*"))


PREPARED_LUA = """
function thread_init()
   connection = sysbench.sql.driver():connect()
   read = connection:prepare("SELECT v FROM i WHERE id=?")
   write = connection:prepare("UPDATE i SET v=v+1 WHERE id=?")
   for _, each in ipairs({read, write}) do
      id = each:bind_create(sysbench.sql.type.INT)
      each:bind_param(id)
      id:set(2)
   end
end
function event()
   read:execute():free()
   write:execute()
end
function thread_done() -- connected still, as what they prepared goes with them
   io.open("FOLDER/done" .. sysbench.tid, "w"):close()
   while not io.open("FOLDER/seen") do os.execute("sleep 0.05") end
end
"""
PREPARING = 2  # clients
READ, WRITE = "SELECT v FROM i WHERE id = ?", "UPDATE i SET v = v + ? WHERE id = ?"


def statements_of(planted: Planted, folder: Path, calls: Callable[[], int]) -> dict[str, Any]:
    """The statements of a load of prepared ones, while Dyno asks for other things; by their texts.

    The clients stay until a look has seen all their calls.
    """
    lua = folder / "prepared.lua"
    lua.write_text(PREPARED_LUA.replace("FOLDER", str(folder)))
    client = planted.client
    client.run("USE dyno")  # as before an EXPLAIN
    statements = Statements(client, True)
    statements.begin()
    line = ["sysbench", "--db-driver=mysql", f"--mysql-socket={planted.server.socket}", "--mysql-user=root"]
    with subprocess.Popen(
        [*line, "--mysql-db=dyno", f"--threads={PREPARING}", "--time=3", "--verbosity=0", str(lua), "run"]
    ) as load:
        while load.poll() is None and len([*folder.glob("done*")]) < PREPARING:
            client.query("SELECT 42 AS v FROM i WHERE id = 1")
            statements.look()
            time.sleep(0.05)
        end = time.monotonic() + LIMIT_S
        while calls() != sum(each.calls for each in by_text(statements).values()) and time.monotonic() < end:
            statements.look()
            time.sleep(0.05)
        (folder / "seen").touch()
    assert load.returncode == 0
    return by_text(statements)


def by_text(statements: Statements) -> dict[str, Any]:
    found = statements.since_begin(statements.end())
    return {each.text: each for each in found if not each.text.startswith("PREPARE ")}  # as clients connect


EACH = [
    pytest.param("", [READ, WRITE], id="installed"),
    pytest.param("mysql-9.7", [READ, WRITE], marks=[pytest.mark.full, pytest.mark.build("mysql-9.7")]),
    pytest.param("mysql-5.7", [READ, WRITE], marks=[pytest.mark.full, pytest.mark.build("mysql-5.7")]),
    pytest.param("mysql-8.0", [READ, WRITE], marks=[pytest.mark.full, pytest.mark.build("mysql-8.0")]),
    pytest.param("mariadb-11.8", [READ, WRITE], marks=[pytest.mark.full, pytest.mark.build("mariadb-11.8")]),
    *(
        pytest.param(name, [TOGETHER], marks=[pytest.mark.full, pytest.mark.build(name)])
        for name in ("mysql-5.6", "mariadb-10.2")
    ),
]


@pytest.mark.parametrize(("name", "texts"), EACH)
def test_statements_are_those_of_the_clients(
    name: str, texts: list[str], build_path: Fetched, tmp_path: Path
) -> None:
    """Prepared ones too, by the same text on every server; where it counts them together, that is said."""
    with served(str(build_path(name)) if name else "", tmp_path / "s") as planted:
        planted.client.run("UPDATE dyno.i SET v = 0")

        def updates() -> int:
            return int(planted.client.query("SELECT v FROM dyno.i WHERE id = 2")[0]["v"])

        found = statements_of(planted, tmp_path, lambda: 2 * updates())
        assert sorted(found) == texts
        done = updates()
    for text, each in found.items():
        calls = 2 * done if text == TOGETHER else done
        assert 0 < calls - 1 <= each.calls <= calls  # the last one may be counted by rows only, so far
        assert (each.rows_examined is None) == (text == TOGETHER)
        assert each.rows_affected in ({READ: [0], WRITE: [each.calls], TOGETHER: [None]}[text])


@pytest.mark.full
def test_a_session_shows_its_waits_everywhere(recorded: Desktop) -> None:
    """Two clients update rows of a small table, with all wait instruments; the session before had none."""
    desktop = recorded
    (before,) = desktop.sessions()
    desktop.dyno("run", *desktop.plan(rows=50, tables=1, seconds=5, instruments=BY_NAME))
    (latest,) = [each for each in desktop.sessions() if each["id"] != before["id"]]
    plain, named = (desktop.json("session", "show", each["id"]) for each in (before, latest))
    assert named["work_key"] != plain["work_key"] and named["contender_key"] == plain["contender_key"]
    step = next(each for each in named["waits"] if each["step"] == "update-index threads=2")
    assert step["by_name"] and {"mutex", "file_io", "row_lock"} <= step["kinds"].keys()
    assert all(each["per_query_us"] > 0 for each in step["events"] if "ms" in each)
    texts = [each["text"] for other in named["waits"] for each in other["statements"]]
    assert any(text.startswith("INSERT INTO sbtest1") for text in texts)
    assert not any("_schema" in text or text.startswith(("SHOW", "EXPLAIN")) for text in texts), texts
    prepared = [
        each
        for other in named["waits"]
        if other["step"] == step["step"]
        for each in other["statements"]
        if each["text"].startswith("UPDATE sbtest1 SET k")
    ]
    assert len(prepared) == 1 and prepared[0]["calls"] > 10, texts  # MariaDB has no digest of it
    assert prepared[0]["rows_affected"] <= prepared[0]["calls"] and prepared[0]["ms"] > 0
    assert not any(each["by_name"] for each in plain["waits"])
    series = desktop.json("session", "series", named["id"], "update-index", "--series", "waits.mutex_ms")
    assert len([each for each in series["values"] if each is not None]) >= 1
    text = desktop.dyno("session", "show", named["id"]).stdout
    longest = step["events"][0]["name"]  # of 2 seconds: a file, a mutex or the row itself
    assert "waits, the longest first" in text
    assert f"\nupdate-index threads=2: {longest} " in text
    why = desktop.json("compare", named["id"], plain["id"], "--why", "update-index")["steps"][0]
    assert why["by_name"] == [True, False] and why["waits"][0]["per_query_us"][0] > 0
    log = [each["text"] for each in plain["events"] if each["kind"] == "log"]
    assert sum("the Performance Schema is off" in each for each in log) == 1
