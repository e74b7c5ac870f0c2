"""The relay before real servers and odd ones: sysbench and a client reach them by a private socket."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.agent.existing.packets import ok_packet, packet
from app.agent.existing.relay import Relay
from app.agent.server.login_socket import LoginError
from app.agent.server.mysql import Entrance, ServerPlace, certificate_of
from app.agent.server.options import known_options
from app.agent.server.server import Server
from app.agent.survey.builds import find_builds
from app.protocol.answers import Build
from app.remote.bundle import current_bundle
from tests.installed import BUILD
from tests.integration import odd_servers
from tests.integration.odd_servers import Behaviour, odd_server
from tests.integration.test_old_python import PYTHONS
from tests.team_server import Database, certify, started
from tests.waiting import wait_until

HOST, PASSWORD, SCHEMA = "127.0.0.1", "a Secret of 43", "bench"
ALL_BUILDS = [
    pytest.param("", id="installed"),
    *(
        pytest.param(name, marks=[pytest.mark.full, pytest.mark.build(name)])
        for name in ("mysql-9.7", "mysql-8.0", "mariadb-11.4", "mariadb-11.8")
    ),
]


@dataclass
class Relayed:
    """A relay that has started."""

    relay: Relay

    def connect(self, **options: Any) -> Any:
        return pymysql.connect(
            **{"unix_socket": self.relay.socket, "user": "root", "database": "dyno", **options}
        )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return list(cursor.fetchall())

    def refusal(self, **options: Any) -> tuple[int, str]:
        with pytest.raises(pymysql.err.MySQLError) as refused:
            self.connect(**options)
        return refused.value.args[0], refused.value.args[1]

    def sysbench(self, script: str, *words: str) -> subprocess.Popen[str]:
        line = ["sysbench", f"--mysql-socket={self.relay.socket}", "--mysql-user=root", "--mysql-db=dyno"]
        line += ["--tables=2", "--table-size=500", script, *words]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def are_alive(self) -> bool:
        return all(Path(f"/proc/{pid}").exists() for pid in self.relay.pids)

    def warm(self) -> Relayed:
        """Each of its processes has served somebody, so it has opened what it always has."""
        for connection in [self.connect() for _ in self.relay.pids]:
            connection.close()
        time.sleep(0.5)
        return self

    def open_files(self) -> int:
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in self.relay.pids)


def done(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return said


def build_of(base: Path) -> Build:
    return next(each for each in find_builds([str(base)]) if each.base == str(base))


def own_place(port: int, certificate: str = "", user: str = "bench", host: str = HOST) -> ServerPlace:
    return ServerPlace(host, port, SCHEMA, user, certificate)


@pytest.fixture
def relay_to() -> Iterator[Callable[..., Relayed]]:
    """Starts a relay to a place."""
    with contextlib.ExitStack() as stack:

        def start(place: ServerPlace, password: str = PASSWORD) -> Relayed:
            private = tempfile.mkdtemp(prefix="dyno-")
            stack.callback(shutil.rmtree, private)
            relay = Relay(private, place, password)
            stack.callback(relay.stop)
            relay.start()
            return Relayed(relay)

        yield start


def with_accounts(database: Database) -> Database:
    database.query(
        f"CREATE DATABASE {SCHEMA}",
        "SET GLOBAL max_allowed_packet=268435456",
        "SET GLOBAL max_connections=3000",
        *(
            statement
            for user, needs in (("bench", "REQUIRE SSL"), ("plain", ""))
            for statement in (
                f"CREATE USER {user}@localhost IDENTIFIED BY '{PASSWORD}' {needs}",
                f"GRANT ALL ON {SCHEMA}.* TO {user}@localhost",
            )
        ),
    )
    return database


@pytest.fixture(scope="module")
def far_server() -> Iterator[Database]:
    """MariaDB with TLS."""
    with started(BUILD) as found:
        yield with_accounts(found)


def pin_of(port: int, host: str = HOST) -> str:
    return certificate_of(host, port).split()[0]


@pytest.fixture
def relayed(far_server: Database, relay_to: Callable[..., Relayed]) -> Relayed:
    return relay_to(own_place(far_server.port, pin_of(far_server.port)))


# real servers


@pytest.mark.parametrize("name", ALL_BUILDS)
def test_sysbench_drives_a_server_over_tls(
    name: str, build_path: Callable[[str], Path], relay_to: Callable[..., Relayed]
) -> None:
    build = build_of(build_path(name)) if name else BUILD
    with started(build, cache="128M") as database:
        with_accounts(database)
        shown = certificate_of(HOST, database.port)
        assert re.fullmatch(r"[0-9a-f]{64} TLSv1\.[23]", shown)
        relayed = relay_to(own_place(database.port, shown.split()[0]))
        check_it_is_the_real_server(relayed, database)
        for prepared in ("auto", "disable"):
            ps_mode = f"--db-ps-mode={prepared}"
            done(relayed.sysbench("oltp_read_write", "prepare"))
            for threads in (1, 8):
                said = done(
                    relayed.sysbench("oltp_read_write", f"--threads={threads}", "--time=1", ps_mode, "run")
                )
                assert re.search(r"transactions: +[1-9]", said), said
            done(relayed.sysbench("oltp_read_write", "cleanup"))
        assert relayed.relay.take_problems() == []


def check_it_is_the_real_server(relayed: Relayed, database: Database) -> None:
    """Version, thread id, schema, collation are those that a direct client gets."""
    with relayed.connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT VERSION(), CONNECTION_ID(), DATABASE(), USER(), @@collation_connection")
        version, thread, schema, user, _ = cursor.fetchone()
        assert version in connection.get_server_info() and thread == connection.thread_id()
        assert (schema, user) == (SCHEMA, "bench@localhost")
        cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        assert cursor.fetchone()[1]
        (listed,) = database.query(f"SELECT COUNT(*) FROM information_schema.processlist WHERE id={thread}")
        assert listed == (1,)


@pytest.mark.parametrize("charset", ["utf8mb4", "latin1"])
def test_the_client_chooses_collation_and_rows_found(
    relayed: Relayed, far_server: Database, charset: str
) -> None:
    client = ["mariadb", "--no-defaults", "-uroot", f"--default-character-set={charset}", "-N"]
    asked = "SELECT @@character_set_client, @@collation_connection, @@character_set_results, @@autocommit"
    answers = {
        subprocess.run([*client, f"-S{path}", "-e", asked], capture_output=True, text=True, check=True).stdout
        for path in (relayed.relay.socket, far_server.folder / "s")
    }
    assert len(answers) == 1
    relayed.rows("CREATE TABLE IF NOT EXISTS found (a INT)")
    for flag, changed in ((0, 0), (pymysql.constants.CLIENT.FOUND_ROWS, 1)):
        with relayed.connect(client_flag=flag) as connection:
            cursor = connection.cursor()
            cursor.execute("DELETE FROM found")
            cursor.execute("INSERT INTO found VALUES (1)")
            assert cursor.execute("UPDATE found SET a=1") == changed


def test_several_statements_at_once_give_several_results(relayed: Relayed) -> None:
    with relayed.connect(client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT 1; SELECT 2")
        assert cursor.fetchall() == ((1,),) and cursor.nextset() and cursor.fetchall() == ((2,),)
    with relayed.connect() as connection, pytest.raises(pymysql.err.ProgrammingError):
        connection.cursor().execute("SELECT 1; SELECT 2")


@pytest.mark.parametrize("tls", [True, False])
def test_large_rows_and_large_statements_arrive_whole(
    far_server: Database, relay_to: Callable[..., Relayed], tls: bool
) -> None:
    port = far_server.port
    relayed = relay_to(own_place(port, pin_of(port)) if tls else own_place(port, user="plain"))
    data = os.urandom(12 << 20).hex().encode()  # of two packets
    with relayed.connect(max_allowed_packet=1 << 28) as connection:
        cursor = connection.cursor()
        for size in (len(data), 0xFFFFFF - 30, 0xFFFFFF - 20, 0xFFFFFF, 1, 0):
            cursor.execute(b"SELECT SHA2('" + data[:size] + b"', 256)")
            assert cursor.fetchone()[0] == hashlib.sha256(data[:size]).hexdigest()
            cursor.execute(f"SELECT REPEAT('x', {size})")
            assert cursor.fetchone()[0] == "x" * size


def test_a_client_that_reads_slowly_gets_all_rows(relayed: Relayed) -> None:
    with relayed.connect(cursorclass=pymysql.cursors.SSCursor) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_50000")
        time.sleep(1)
        assert [row[0] for row in cursor] == list(range(1, 50_001))
    assert relayed.rows("SELECT 1") == [(1,)]


def test_clients_that_come_and_go_leave_nothing(relayed: Relayed, far_server: Database) -> None:
    before = relayed.warm().open_files()

    def come_and_go() -> None:
        for at in range(25):
            connection = relayed.connect()
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT {at}")
                assert cursor.fetchone() == (at,)
            connection.close()
            logged_in(relayed).close()  # without a word

    threads = [threading.Thread(target=come_and_go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: relayed.open_files() == before, "the relay has closed all files")
    ours = "SELECT COUNT(*) FROM information_schema.processlist WHERE user='bench'"
    wait_until(lambda: far_server.query(ours) == [(0,)], "the server has lost all clients")


def test_each_process_gets_as_many_clients(relayed: Relayed) -> None:
    workers = relayed.relay.pids[1:]
    relayed.warm()
    before = [len(os.listdir(f"/proc/{pid}/fd")) for pid in workers]
    connections = [relayed.connect() for _ in range(4 * len(workers))]
    after = [len(os.listdir(f"/proc/{pid}/fd")) for pid in workers]
    assert [b - a for a, b in zip(before, after, strict=True)] == [8] * len(workers)
    for connection in connections:
        connection.close()


@pytest.mark.full
def test_two_thousand_clients(relayed: Relayed) -> None:
    said = done(relayed.sysbench("oltp_point_select", "prepare"))
    said = done(relayed.sysbench("oltp_point_select", "--threads=2000", "--time=5", "run"))
    assert re.search(r"queries: +[1-9]", said), said


def test_a_wrong_password_is_refused_in_the_words_of_the_server(
    far_server: Database, relay_to: Callable[..., Relayed]
) -> None:
    relayed = relay_to(own_place(far_server.port, pin_of(far_server.port)), "wrong and 43")
    said = "Access denied for user 'bench'@'localhost' (using password: YES)"
    assert relayed.refusal() == (1045, said)
    output, _ = relayed.sysbench("oltp_point_select", "run").communicate(timeout=60)
    assert f"1045: {said}" in output
    assert relayed.relay.take_problems() == [f"1045 {said}"] and relayed.relay.take_problems() == []
    assert relayed.relay.problem == f"1045 {said}"
    assert relayed.are_alive()


def test_the_password_is_in_no_argument_environment_or_file(relayed: Relayed) -> None:
    for pid in relayed.relay.pids:
        for name in ("cmdline", "environ"):
            assert PASSWORD.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()
    folder = Path(relayed.relay.socket).parent
    assert [each.name for each in folder.iterdir()] == ["s"]
    assert folder.stat().st_mode & 0o077 == 0


def test_a_schema_that_is_not_there(far_server: Database, relay_to: Callable[..., Relayed]) -> None:
    port = far_server.port
    place = ServerPlace(HOST, port, "none", "bench", pin_of(port))
    assert relay_to(place).refusal()[0] in (1044, 1049)


def test_no_client_reaches_another_schema_or_account(relayed: Relayed) -> None:
    with relayed.connect() as connection:
        for name in ("dyno", SCHEMA):
            connection.select_db(name)
            assert relayed_schema(connection) == SCHEMA
        for name in ("mysql", "information_schema"):
            with pytest.raises(pymysql.err.MySQLError, match="Dyno works in the schema bench only"):
                connection.select_db(name)
    with logged_in(relayed) as client:
        for command in (0x11, 0x08, 0x12):  # change user, shutdown, binary log
            client.sendall(packet(0, bytes((command,)) + b"root\0\0mysql\0"))
            assert client.recv(100)[4:7] == b"\xff\x17\x04"
        client.sendall(packet(0, b"\x0e"))  # ping
        assert client.recv(100)[4:5] == b"\0"


def logged_in(relayed: Relayed) -> socket.socket:
    """A client that has logged in, without a library."""
    client = socket.socket(socket.AF_UNIX)
    client.connect(relayed.relay.socket)
    assert client.recv(1000)[4:5] == b"\x0a"
    client.sendall(packet(1, struct.pack("<IIB23s", 1 << 9, 1 << 24, 45, b"") + b"root\0\0"))
    assert client.recv(100) == ok_packet(2, 2)
    return client


def relayed_schema(connection: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT DATABASE()")
        return str(cursor.fetchone()[0])


def test_a_server_killed_under_load_comes_back(relay_to: Callable[..., Relayed]) -> None:
    with started(BUILD) as database:
        with_accounts(database)
        relayed = relay_to(own_place(database.port, pin_of(database.port)))
        done(relayed.sysbench("oltp_read_write", "prepare"))
        before = relayed.warm().open_files()
        load = relayed.sysbench("oltp_read_write", "--threads=8", "--time=60", "run")
        busy = "SELECT COUNT(*) >= 8 FROM information_schema.processlist WHERE user='bench'"
        wait_until(lambda: database.query(busy) == [(1,)], "sysbench has connected", 180)
        time.sleep(0.5)
        database.kill()
        said, _ = load.communicate(timeout=20)
        assert load.returncode != 0 and re.search(r"20(06|13)", said), said
        assert relayed.refusal()[0] == 2003
        assert "cannot connect to 127.0.0.1 port" in relayed.relay.take_problems()[-1]
        assert relayed.are_alive()
        database.start()
        assert relayed.rows("SELECT COUNT(*) > 0 FROM sbtest1") == [(1,)]
        wait_until(lambda: relayed.open_files() == before, "the relay has closed all files")


@pytest.mark.build("mysql-9.7")
def test_without_tls_an_account_of_sha2_needs_it(
    build_path: Callable[[str], Path], relay_to: Callable[..., Relayed]
) -> None:
    with started(build_of(build_path("mysql-9.7")), tls=False, cache="128M") as database:
        with_accounts(database)
        relayed = relay_to(own_place(database.port, user="plain"))
        for _ in range(2):
            assert relayed.refusal() == (2059, "this account can log in over TLS only")


OLD_BUILDS = ("mysql-5.5", "mysql-5.6-full", "mysql-5.7", "mariadb-10.2")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("mysql-5.6", marks=pytest.mark.build("mysql-5.6")),
        *(pytest.param(each, marks=[pytest.mark.full, pytest.mark.build(each)]) for each in OLD_BUILDS),
    ],
)
def test_an_old_server_without_tls(
    name: str, build_path: Callable[[str], Path], relay_to: Callable[..., Relayed], tmp_path: Path
) -> None:
    build = build_of(build_path(name))
    contender = {"cnf": "[mysqld]\n", "server": build.server, "base": build.base}
    server = Server(contender, str(tmp_path), known_options(build), build.environment, transport="loopback")
    try:
        server.prepare()
        server.start()
        place = ServerPlace(HOST, server.port, "dyno", "dyno", "")
        relayed = relay_to(place, server.password)
        done(relayed.sysbench("oltp_read_write", "prepare"))
        done(relayed.sysbench("oltp_read_write", "--threads=8", "--time=1", "run"))
        if certificate_of(HOST, server.port) == "":
            pinned = relay_to(ServerPlace(HOST, server.port, "dyno", "dyno", "0" * 64), server.password)
            assert pinned.refusal() == (2026, "the server has no TLS, and a password is not sent without")
    finally:
        server.kill()
        server.clean()


# its processes

AGENT = """
import sys, time
sys.path[:0] = [sys.argv[1]]
from app.agent.existing.packets import ok_packet, packet
from app.agent.existing.relay import Relay
from app.agent.server.mysql import ServerPlace
place = ServerPlace(sys.argv[3], int(sys.argv[4]), "bench", "bench", sys.argv[5])
relay = Relay(sys.argv[2], place, sys.stdin.readline()[:-1])
relay.start()
print(*relay.pids, flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def agent_with_relay(place: ServerPlace, folder: Path, python: str) -> Iterator[tuple[Any, list[int]]]:
    """An agent file, opened as the starter does it, and the processes of its relay."""
    file = folder / "agent.pyz"
    file.write_bytes(current_bundle().content)
    fd = os.open(file, os.O_RDONLY)
    words = [f"/proc/self/fd/{fd}", str(folder), place.host, str(place.port), place.certificate]
    agent = subprocess.Popen(
        [python, "-I", "-S", "-W", "error", "-c", AGENT, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(fd,),
    )  # fmt: skip
    os.close(fd)
    assert agent.stdin and agent.stdout
    agent.stdin.write(PASSWORD.encode() + b"\n")
    agent.stdin.flush()
    try:
        yield agent, [int(pid) for pid in agent.stdout.readline().split()]
    finally:
        agent.kill()
        agent.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_relay_ends_with_its_agent(far_server: Database, number: int) -> None:
    place = own_place(far_server.port, pin_of(far_server.port))
    with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
        with agent_with_relay(place, Path(folder), PYTHONS[0][1]) as (agent, pids):
            open_one = pymysql.connect(unix_socket=f"{folder}/s", user="root")
            assert len(pids) > 1 and relayed_schema(open_one) == SCHEMA
            agent.send_signal(number)
            agent.wait(10)
            wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "all have ended", 5)
        with pytest.raises(pymysql.err.OperationalError):
            relayed_schema(open_one)


def test_a_process_that_is_missing_ends_all(relayed: Relayed) -> None:
    pids = relayed.relay.pids
    os.kill(pids[-1], signal.SIGKILL)
    wait_until(lambda: not relayed.relay.is_alive(), "the relay has ended", 5)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "all have ended", 5)
    relayed.relay.stop()
    relayed.relay.start()
    assert relayed.rows("SELECT 1") == [(1,)]


def test_the_first_process_killed_ends_all(relayed: Relayed) -> None:
    first, *workers = relayed.relay.pids
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "all have ended", 5)


def test_stopped_it_leaves_nothing(relayed: Relayed) -> None:
    pids, files = relayed.relay.pids, len(os.listdir("/proc/self/fd"))
    relayed.relay.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not Path(relayed.relay.socket).exists() and relayed.relay.pids == []
    assert len(os.listdir("/proc/self/fd")) < files
    relayed.relay.stop()


def test_its_processes_have_no_file_of_the_agent(relayed: Relayed, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        relayed.relay.stop()
        relayed.relay.start()
        for pid in relayed.relay.pids:
            files = [os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()]
            assert str(tmp_path / "lock") not in files


# odd servers

CLOSED = "Lost connection to MySQL server during query"
ODD: list[tuple[Behaviour, int, str]] = [
    (odd_servers.closes_at_once, 2013, CLOSED),
    (odd_servers.sends_garbage, 2027, "does not answer like a server"),
    (odd_servers.says_a_strange_version, 2027, "does not answer like a server"),
    (odd_servers.never_ends_its_greeting, 2027, "the server sent more than 1 MiB before a login"),
    (odd_servers.refuses_this_host, 1130, r"^Host is \?\[31m not allowed\?x+$"),
    (odd_servers.closes_after_its_greeting, 2013, CLOSED),
    (odd_servers.closes_at_the_login, 2013, CLOSED),
    (odd_servers.stops_in_a_packet, 2013, CLOSED),
    (odd_servers.wants_the_password, 2059, "over TLS only"),
    (odd_servers.wants_it_in_a_dialog, 2059, "over TLS only"),
    (odd_servers.wants_it_encrypted, 2059, "over TLS only"),
    (odd_servers.wants_sha2, 2059, "over TLS only"),
    (odd_servers.wants_the_old_scramble, 2059, "over TLS only"),
    (odd_servers.wants_the_unknown, 2059, "Authentication plugin"),
]
ODD_WITH_TLS: list[tuple[Behaviour, int, str]] = [
    (odd_servers.has_no_tls, 2026, "the server has no TLS, and a password is not sent without"),
    (odd_servers.closes_instead_of_tls, 2026, "TLS failed"),
    (odd_servers.speaks_no_tls, 2026, "TLS failed"),
    (odd_servers.has_another_certificate, 2026, "another certificate than the confirmed one"),
]


def name_of(case: object) -> str | None:
    return getattr(case, "__name__", None)


@pytest.mark.parametrize(("behave", "number", "said"), ODD, ids=name_of)
def test_an_odd_server_is_an_error_and_no_end(
    behave: Behaviour, number: int, said: str, relay_to: Callable[..., Relayed], tmp_path: Path
) -> None:
    with odd_server(behave, tmp_path) as server:
        relayed = relay_to(own_place(server.port))
        for _ in range(3):
            found, text = relayed.refusal()
            assert found in (number, 2003, 2006) and len(text) <= 300 and text.isprintable(), text
            assert found != number or re.search(said, text), text
        assert number in {int(each.split()[0]) for each in relayed.relay.take_problems()}
        assert PASSWORD.encode() not in server.heard
        assert relayed.are_alive() and server.connections == 3


@pytest.mark.parametrize(("behave", "number", "said"), ODD_WITH_TLS, ids=name_of)
def test_nothing_is_sent_to_a_server_that_is_not_the_one(
    behave: Behaviour, number: int, said: str, relay_to: Callable[..., Relayed], tmp_path: Path
) -> None:
    certify(tmp_path)
    with odd_server(behave, tmp_path) as server:
        relayed = relay_to(own_place(server.port, "ab" * 32))
        found, text = relayed.refusal()
        assert found == number and said in text
        assert b"bench" not in server.heard and b"native" not in server.heard
        if behave in (odd_servers.has_no_tls, odd_servers.has_another_certificate):
            assert not server.heard


def test_the_first_look_sends_no_user(tmp_path: Path) -> None:
    certify(tmp_path)
    with odd_server(odd_servers.has_another_certificate, tmp_path) as server:
        assert re.fullmatch(r"[0-9a-f]{64} TLSv1\.3", certificate_of(HOST, server.port))
        assert not server.heard
    with odd_server(odd_servers.has_no_tls, tmp_path) as server:
        assert certificate_of(HOST, server.port) == "" and not server.heard


@pytest.mark.parametrize("behave", [odd_servers.wants_a_file, odd_servers.wants_a_file_before_it_is_asked])
def test_no_server_gets_a_file(behave: Behaviour, relay_to: Callable[..., Relayed], tmp_path: Path) -> None:
    (tmp_path / odd_servers.FILE).write_text("what no server may read")
    with odd_server(behave, tmp_path) as server:
        relayed = relay_to(own_place(server.port))
        connection = relayed.connect(local_infile=True, defer_connect=True)
        with pytest.raises(pymysql.err.MySQLError):
            connection.connect()
            connection.cursor().execute("SELECT 1")
        for statement in (f"LOAD DATA LOCAL INFILE '{tmp_path / odd_servers.FILE}' INTO TABLE t", "SELECT 1"):
            client = ["mariadb", "--no-defaults", "-uroot", f"-S{relayed.relay.socket}", "--local-infile=1"]
            asked = subprocess.run([*client, "-e", statement], capture_output=True, timeout=60)
            assert asked.returncode != 0
        load = relayed.sysbench("oltp_point_select", "--db-ps-mode=disable", "run")
        assert "FATAL" in load.communicate(timeout=60)[0]
        assert b"may read" not in server.heard and server.connections >= 4
        assert relayed.are_alive()


@pytest.mark.parametrize("behave", [odd_servers.dies_in_an_answer, odd_servers.forgets_its_clients])
def test_a_connection_that_is_lost_ends_its_client_alone(
    behave: Behaviour, relay_to: Callable[..., Relayed], tmp_path: Path
) -> None:
    with odd_server(behave, tmp_path) as server:
        relayed = relay_to(own_place(server.port))
        for _ in range(3):
            connection = relayed.connect(defer_connect=True)
            with pytest.raises(pymysql.err.OperationalError, match=r"20(06|13)"):
                connection.connect()
                connection.cursor().execute("SELECT 1")
        assert relayed.are_alive() and server.connections == 3


def test_a_silent_server_costs_its_time_and_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.agent.server.login_socket.LOGIN_S", 0.3)
    said = r"^2003 the server did not answer within 0\.3 s$"
    with odd_server(odd_servers.is_silent, tmp_path) as server, pytest.raises(LoginError, match=said):
        Entrance(own_place(server.port), PASSWORD)


def test_clients_that_wait_for_a_silent_server_can_go(
    relay_to: Callable[..., Relayed], tmp_path: Path
) -> None:
    with odd_server(odd_servers.is_silent, tmp_path) as server:
        relayed = relay_to(own_place(server.port))
        waiting = [relayed.connect(defer_connect=True, read_timeout=1) for _ in range(5)]
        for connection in waiting:
            with pytest.raises(pymysql.err.OperationalError):
                connection.connect()
        wait_until(lambda: server.connections == 5, "the relay has tried each")
        relayed.relay.stop()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("no-such-host.invalid", "cannot connect to no-such-host.invalid port 1: "),
        ("a" * 70, "is no address of a server"),
        ("127.0.0.1", "cannot connect to 127.0.0.1 port 1: Connection refused"),
        ("::1", "cannot connect to ::1 port 1: "),
    ],
)
def test_nobody_listens_there(host: str, said: str, relay_to: Callable[..., Relayed]) -> None:
    number, text = relay_to(own_place(1, host=host)).refusal()
    assert number == 2003 and said in text


def test_an_address_of_ipv6(relay_to: Callable[..., Relayed], tmp_path: Path) -> None:
    with odd_server(odd_servers.refuses_this_host, tmp_path, "::1") as server:
        assert relay_to(own_place(server.port, host="::1")).refusal()[0] == 1130


def test_who_is_no_client_is_let_go(relayed: Relayed) -> None:
    for said in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xff\xff\1" + bytes(1 << 17), b"\5\0\0\1hello"):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(relayed.relay.socket)
            assert stranger.recv(5)[4:] == b"\x0a"
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                stranger.sendall(said)
    assert relayed.rows("SELECT 1") == [(1,)]
    assert relayed.relay.take_problems() == [] and relayed.are_alive()


def test_a_limit_of_statements_a_second_holds_for_all_clients(
    far_server: Database, relay_to: Callable[..., Relayed]
) -> None:
    relayed = relay_to(ServerPlace(HOST, far_server.port, SCHEMA, "bench", pin_of(far_server.port), 100))
    done(relayed.sysbench("oltp_point_select", "prepare"))
    before = questions(far_server)
    done(relayed.sysbench("oltp_point_select", "--threads=8", "--time=5", "--db-ps-mode=disable", "run"))
    sent = questions(far_server) - before
    assert 250 <= sent <= 600  # five seconds, and until the last client has gone


def questions(database: Database) -> int:
    return int(database.query("SHOW GLOBAL STATUS LIKE 'Questions'")[0][1])
