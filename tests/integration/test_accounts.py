"""Who can log in to a server that listens on TCP: only the session, whatever accounts its data had."""

from __future__ import annotations

import pwd
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pymysql
import pytest

from app.agent.server.accounts import refuse_open_accounts
from app.agent.server.mysql import QueryError, accepts_without_password
from app.agent.server.options import known_options
from app.agent.server.server import Server, free_port
from app.agent.survey.builds import find_builds
from app.agent.system.errors import AgentError
from app.protocol.answers import Build
from tests.installed import BUILD
from tests.integration.desktop import READ, Desktop
from tests.integration.on_target import begun
from tests.waiting import wait_until

Fetched = Callable[[str], Path]

LOOPBACK = "127.0.0.1"
STRANGERS = ("root", "", "backdoor")
OPEN = ("root@'%'", "backdoor@'%'", "backdoor@localhost", f"backdoor@'{LOOPBACK}'", "''@'%'", "''@localhost")
FETCHED = ("mysql-9.7",)
FETCHED_IN_FULL = (
    "mysql-5.5", "mysql-5.6", "mysql-5.6-full", "mysql-5.7", "mysql-8.0",
    "mariadb-10.2", "mariadb-11.4", "mariadb-11.8",
)  # fmt: skip
ALL = [
    pytest.param("", id="installed"),
    *(pytest.param(name, marks=pytest.mark.build(name)) for name in FETCHED),
    *(pytest.param(name, marks=[pytest.mark.full, pytest.mark.build(name)]) for name in FETCHED_IN_FULL),
]


@pytest.fixture(params=ALL)
def build(request: pytest.FixtureRequest, build_path: Fetched) -> Build:
    if not request.param:
        return BUILD
    base = build_path(request.param)
    return next(each for each in find_builds([str(base)]) if each.base == str(base))


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Makes a server of a build, with its own directory."""
    made: list[Server] = []

    def server_of(build: Build, transport: str) -> Server:
        contender = {"cnf": "[mysqld]\n", "server": build.server, "base": build.base}
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(
            Server(contender, str(folder), known_options(build), build.environment, transport=transport)
        )
        return made[-1]

    yield server_of
    for each in made:
        each.kill()
        each.clean()


def open_to_all(server: Server) -> None:
    """What data from elsewhere may have: accounts of every kind without a password."""
    for account in OPEN:
        server.client.try_run(f"CREATE USER {account}")
        server.client.try_run(f"GRANT ALL ON *.* TO {account} WITH GRANT OPTION")
    server.client.run("FLUSH PRIVILEGES")


class Stranger(threading.Thread):
    """Tries to log in, again and again, from before the port is open."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port, self.tries = port, 0
        self.got_in: list[str] = []
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            for user in STRANGERS:
                try:
                    self.got_in += [user] * accepts_without_password(LOOPBACK, self.port, user)
                    self.tries += 1
                except QueryError:
                    self._over.wait(0.002)

    def end(self) -> None:
        wait_until(lambda: self.tries > 5, "the stranger was heard", 20)
        self._over.set()
        self.join()


def attacked_start(server: Server) -> Stranger:
    stranger = Stranger(server.port)
    stranger.start()
    try:
        server.start()
    finally:
        stranger.end()
    return stranger


def test_nobody_logs_in_over_tcp_but_the_session(make: Callable[..., Server], build: Build) -> None:
    before = make(build, "socket")
    before.prepare()
    before.start()
    open_to_all(before)
    assert before.stop()

    def lay(data: str) -> None:
        shutil.copytree(before.data, data)

    server = make(build, "loopback")
    server.prepare(lay=lay)
    assert attacked_start(server).got_in == []
    check_rights(server)
    assert server.stop()
    assert attacked_start(server).got_in == []
    check_rights(server)


def check_rights(server: Server) -> None:
    """The session's account works, in its schema alone."""
    login = {"host": LOOPBACK, "port": server.port, "user": "dyno", "password": server.password}
    with pymysql.connect(**login, ssl_disabled=True) as own:  # type: ignore[arg-type]
        cursor = own.cursor()
        for statement in (
            "CREATE TABLE dyno.t (a INT)",
            "INSERT INTO dyno.t VALUES (1)",
            "DROP TABLE dyno.t",
        ):
            cursor.execute(statement)
        for statement in (
            "SELECT 1 INTO OUTFILE '/tmp/dyno-none'",
            "SELECT * FROM mysql.user",
            "SET GLOBAL general_log=1",
            "CREATE USER other",
        ):
            with pytest.raises(pymysql.err.MySQLError, match="denied"):
                cursor.execute(statement)


@pytest.mark.full
def test_a_fresh_server_has_no_account_for_tcp(make: Callable[..., Server], build: Build) -> None:
    server = make(build, "loopback")
    server.prepare()
    assert attacked_start(server).got_in == []
    hosts = {
        str(row["host"]) for row in server.client.query("SELECT Host FROM mysql.user WHERE User<>'dyno'")
    }
    assert hosts == {"localhost"}


@pytest.mark.parametrize(
    ("account", "said"), [("''@'%'", "the anonymous account"), ("ops@'%'", "the account ops")]
)
def test_a_server_that_lets_others_in_is_not_used(
    make: Callable[..., Server], account: str, said: str
) -> None:
    server = make(BUILD, "loopback")
    server.prepare()
    server.start()
    server.client.run(f"CREATE USER {account}")
    with pytest.raises(AgentError, match=f"{said} can log in at {LOOPBACK} port {server.port} without"):
        refuse_open_accounts(server.client, LOOPBACK, server.port)


def test_a_server_that_resolves_names_is_not_used(make: Callable[..., Server]) -> None:
    """Then the client of 127.0.0.1 is localhost, whose root has no password."""
    server = make(BUILD, "loopback")
    server.prepare()
    server.options = {"skip-name-resolve": "0"}
    with pytest.raises(AgentError, match="the account root can log in at"):
        server.start()
    assert not server.is_alive()


def test_what_cannot_be_checked_is_no_yes(make: Callable[..., Server]) -> None:
    server = make(BUILD, "socket")
    server.prepare()
    server.start()
    with pytest.raises(AgentError, match=r"cannot check who may log in at 127\.0\.0\.1 port"):
        refuse_open_accounts(server.client, LOOPBACK, free_port())


@pytest.mark.root
def test_another_user_of_the_machine_gets_nothing(desktop: Desktop, tmp_path: Path) -> None:
    """What a stranger did: log in as root over 127.0.0.1, and let the server write into a file."""
    running = desktop.begin("run", *desktop.plan(transport="loopback", seconds=6))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    (cnf,) = desktop.target.glob("sessions/*/my.cnf")
    port = re.search(r"^port=(\d+)$", cnf.read_text(), re.MULTILINE)
    assert port
    keys = tmp_path / "authorized_keys"
    statement = f"SET GLOBAL general_log_file='{keys}'; SET GLOBAL general_log=1; SELECT 'ssh-rsa AAAA'"
    for user in STRANGERS:
        done = subprocess.run(
            ["mariadb", "--no-defaults", f"-h{LOOPBACK}", f"-P{port[1]}", f"-u{user}", "-e", statement],
            user=pwd.getpwnam("nobody").pw_uid, capture_output=True, text=True, cwd="/", timeout=30,
        )  # fmt: skip
        assert done.returncode == 1 and "Access denied" in done.stderr, done
    assert not keys.exists()
    said, _ = running.communicate(timeout=90)
    assert running.returncode == 0, said
