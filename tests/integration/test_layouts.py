"""Builds that lie otherwise than expected: run bits lost, a wrapper, plugins and SQL elsewhere, no script."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.mysql import Client
from app.agent.server.options import build_with_options, check_options, known_options
from app.agent.server.server import Server
from app.agent.survey.builds import find_builds
from app.protocol.plan import Contender
from tests.installed import PLUGINS, SERVER, SHARE
from tests.integration.desktop import Desktop

MARIADBD = Path(SERVER)
CNF = "[mysqld]\nloose_innodb_buffer_pool_size=32M\n"
WITH_ROCKSDB = CNF + "plugin_load_add=ha_rocksdb\nrocksdb_block_cache_size=32M\n"
WRAPPER = """\
#!/bin/sh
# the server does not take the place of this shell
"${0%/*}/../libexec/mysqld" "$@"
exit $?
"""


def as_it_lies(folder: Path) -> list[tuple[str, int, int, int, int]]:
    """What would tell that somebody wrote into it, or gave it another mode or owner."""
    found = [(str(path), path.lstat()) for path in sorted(folder.rglob("*"))]
    return [(name, each.st_mode, each.st_uid, each.st_mtime_ns, each.st_ctime_ns) for name, each in found]


def packed(path: Path, source: Path, mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, path)
    path.chmod(mode)
    return path


def renamed_share(base: Path) -> None:
    """The files of MariaDB's SQL as they are called from 11 on, and its messages."""
    for source in SHARE.glob("*.sql"):
        packed(base / "share" / source.name.replace("mysql_", "mariadb_"), source)
    packed(base / "share/english/errmsg.sys", SHARE / "english/errmsg.sys")


@contextmanager
def served(build: dict[str, Any], engine: str, cnf: str, folder: Path) -> Iterator[Client]:
    """A server of this build with fresh system tables; shut down cleanly."""
    contender = Contender(
        name="x", build=build.name, base=build.base, server=build.server, family=build.family,
        version=build.version, fingerprint="", engine=engine, preset="x", cnf=cnf,
    )  # fmt: skip
    folder.mkdir()
    server = Server(vars(contender), str(folder), known_options(build), build.environment)
    try:
        server.prepare()
        server.start()
        yield server.client
        assert server.stop()
    finally:
        server.kill()
        server.clean()


def check_table(client: Client, engine: str) -> None:
    client.run(f"CREATE TABLE dyno.t (id INT PRIMARY KEY) ENGINE={engine}", "INSERT INTO dyno.t VALUES (1)")
    (row,) = client.query("SELECT engine FROM information_schema.tables WHERE table_schema='dyno'")
    assert str(row["engine"]).lower() == engine
    assert client.query("SELECT COUNT(*) AS n FROM dyno.t") == [{"n": 1}]
    assert {"db", "tables_priv", "help_topic"} <= {
        str(row["tables_in_mysql"]) for row in client.query("SHOW TABLES FROM mysql")
    }


def test_mariadb_without_run_bits_scripts_and_its_plugin_folder(only: Any, tmp_path: Path) -> None:
    base = tmp_path / "x"
    packed(base / "sbin/mariadbd", MARIADBD)
    packed(base / "lib64/mariadb/plugin/ha_rocksdb.so", PLUGINS / "ha_rocksdb.so")
    renamed_share(base)
    before = as_it_lies(base)
    (build,) = only(base)
    assert (build.problem, build.server) == (None, str(base / "sbin/mariadbd"))
    assert build.plugin_dir == str(base / "lib64/mariadb/plugin") and "rocksdb" in build.engines
    cnf = tmp_path / "asked.cnf"
    cnf.write_text(WITH_ROCKSDB)
    assert check_options(build_with_options("", build), str(cnf)) == []
    with served(build, "rocksdb", WITH_ROCKSDB, tmp_path / "session") as client:
        check_table(client, "rocksdb")
        in_force = client.pairs("SHOW GLOBAL VARIABLES")
        assert Path(in_force["plugin_dir"]) == base / "lib64/mariadb/plugin"
        assert Path(in_force["lc_messages_dir"]) == base / "share"
    assert as_it_lies(base) == before


def test_mariadb_as_it_is_installed_is_left_as_it_lies(tmp_path: Path) -> None:
    """Its install script, called as root, gives files of the build other owners and modes."""
    build = next(each for each in find_builds([]) if each.server == str(MARIADBD))
    before = as_it_lies(PLUGINS)
    with served(build, "aria", CNF, tmp_path / "session") as client:
        check_table(client, "aria")
        (root,) = client.query("SELECT CURRENT_USER() AS u, DATABASE() AS d")
        assert root["u"] == "root@localhost"
        tables = {str(row["tables_in_sys"]) for row in client.query("SHOW TABLES FROM sys")}
        assert "processlist" in tables
    assert as_it_lies(PLUGINS) == before


@pytest.mark.build("mysql-5.6")
def test_mysql_behind_a_wrapper_without_run_bits(
    only: Any, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    source, base = build_path("mysql-5.6"), tmp_path / "x"
    packed(base / "libexec/mysqld", source / "mysqld", 0o755)
    packed(base / "libexec/libaio.so.1", next(source.glob("libaio.so.1")))
    wrapper = base / "bin/mysqld"
    wrapper.parent.mkdir()
    wrapper.write_text(WRAPPER.replace("#!/bin/sh", f"#!/bin/sh\nexport LD_LIBRARY_PATH={base}/libexec"))
    wrapper.chmod(0o644)
    shutil.copytree(source / "share", base / "share/mysql-5.6")
    before = as_it_lies(base)
    (build,) = only(base)
    assert (build.problem, build.script, build.server) == (None, True, str(wrapper))
    assert build.binary == str(base / "libexec/mysqld")
    with served(build, "innodb", CNF, tmp_path / "session") as client:
        check_table(client, "innodb")
        assert client.pairs("SHOW GLOBAL VARIABLES")["lc_messages_dir"].startswith(str(base / "share"))
    assert as_it_lies(base) == before
    assert not os.path.exists(source / "my.cnf")


OTHERS = [
    pytest.param(*each, marks=pytest.mark.build(each[0]), id=each[0])
    for each in (
        ("mysql-5.5", "MySQL", "5.5.9"),
        ("mysql-5.7", "MySQL", "5.7.29"),
        ("mysql-8.0", "MySQL", "8.0.33"),
        ("mariadb-10.2", "MariaDB", "10.2.11"),
        ("mariadb-11.4", "MariaDB", "11.4.5"),
        ("mariadb-11.8", "MariaDB", "11.8"),
    )
]


@pytest.mark.full
@pytest.mark.parametrize(("name", "family", "version"), OTHERS)
def test_other_versions_need_no_code_of_their_own(
    only: Any, build_path: Callable[[str], Path], tmp_path: Path, name: str, family: str, version: str
) -> None:
    base = build_path(name)
    before = as_it_lies(base)
    (build,) = only(base)
    assert (build.problem, build.family) == (None, family) and build.version.startswith(version)
    wanted = {"innodb", "myisam"} | ({"aria"} if family == "MariaDB" else set())
    assert set(build.engines) == wanted | ({"rocksdb"} if name == "mariadb-11.8" else set())
    for engine in build.engines:
        cnf = WITH_ROCKSDB if engine == "rocksdb" else CNF
        with served(build, engine, cnf, tmp_path / engine) as client:
            check_table(client, engine)
    assert as_it_lies(base) == before


@pytest.mark.full
@pytest.mark.build("mariadb-11.4")
def test_collations_of_a_my_cnf_do_not_stop_the_system_tables(
    only: Any, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    collations = "utf8mb3=utf8mb3_uca1400_ai_ci"  # ERROR: 1267 Illegal mix of collations, in SQL of the build
    cnf = f"{CNF}character_set_collations={collations}\n"
    (build,) = only(build_path("mariadb-11.4"))
    with served(build, "innodb", cnf, tmp_path / "session") as client:
        assert client.pairs("SHOW GLOBAL VARIABLES")["character_set_collations"] == collations


@pytest.mark.full
@pytest.mark.parametrize(("name", "family", "version"), OTHERS)
def test_a_session_of_another_version(
    desktop: Desktop, build_path: Callable[[str], Path], name: str, family: str, version: str
) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(name)))
    found = desktop.json("build", "list")
    (build,) = (each for each in found if each["name"].startswith(f"{family.lower()}-{version}"))
    assert build["tried"] == "tried"
    engines = set(build["engines"]) - {"aria"}
    for engine in engines:
        desktop.dyno("run", *desktop.plan(f"{build['name']}:{engine}", seconds=1), limit_s=240)
    sessions = desktop.sessions()
    assert {(each["state"], each["failed_steps"]) for each in sessions} == {("completed", 0)}
    assert {each["contender"]["engine"] for each in sessions} == engines
