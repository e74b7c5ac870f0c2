"""Real builds: what each says it is and accepts, and why one that cannot start does not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.options import build_with_options, check_options, known_options
from app.agent.survey.builds import environment, find_builds
from app.agent.survey.machine import survey
from app.agent.system.directory import MARKER, MarkedDirectory
from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.contenders import find_build
from app.protocol.answers import Build, Survey, to_json
from app.protocol.reading import read
from app.targets.builds import problem_of
from tests.installed import SERVER, VERSION
from tests.plans import survey as made_up

MARIADBD = Path(SERVER)

Fetched = Callable[[str], Path]

# two of them wrong for every build, whatever else it takes
CNF = """\
[mysqld]
innodb_buffer_pool_size = 1G
no_such_option = 1
max_connections = abc
sort_buffer_size = 1
loose_no_such_option_either = 1
"""


def mariadb() -> Build:
    return next(each for each in find_builds([]) if each.server == str(MARIADBD))


def states(build: Build, tmp_path: Path, cnf: str) -> dict[str, str]:
    path = tmp_path / "asked.cnf"
    path.write_text(cnf)
    return {each["option"]: each["state"] for each in check_options(build_with_options("", build), str(path))}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_mariadb_of_debian() -> None:
    found = mariadb()
    assert found.family == "MariaDB" and found.version == VERSION
    assert found.name == f"mariadb-{VERSION}"
    assert found.base == "/usr"
    assert set(found.engines) == {"innodb", "rocksdb", "myisam", "aria"}
    assert Path(found.plugin_dir, "ha_rocksdb.so").is_file()
    assert (found.problem, found.script, found.environment) == (None, False, {})
    assert found.fingerprint == sha256(MARIADBD)


@pytest.mark.build("mysql-5.6")
def test_mysql_5_6_of_npm(build_path: Fetched, only: Any) -> None:
    base = build_path("mysql-5.6")
    (found,) = only(base)
    assert (found.family, found.version, found.name) == ("MySQL", "5.6.24", "mysql-5.6.24")
    assert found.engines == ["innodb", "myisam"]
    assert found.server == str(base / "mysqld")
    assert [each.base for each in only(base.parent)] == [str(base)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("fetched", "name"),
    [
        pytest.param("mysql-5.6-full", "mysql-5.6.14", marks=pytest.mark.build("mysql-5.6-full")),
        pytest.param("mysql-8.0", "mysql-8.0.33", marks=pytest.mark.build("mysql-8.0")),
    ],
)
def test_mysql_as_its_tarball_lays_it_out(build_path: Fetched, only: Any, fetched: str, name: str) -> None:
    base = build_path(fetched)
    (found,) = only(base)
    assert (found.name, found.server) == (name, str(base / "bin" / "mysqld"))
    assert (found.problem, found.engines) == (None, ["innodb", "myisam"])


@pytest.mark.build("mysql-9.7")
def test_mysql_9_started_by_a_script(build_path: Fetched, only: Any) -> None:
    base = build_path("mysql-9.7")
    (found,) = only(base)
    assert found.family == "MySQL" and found.version.startswith("9.7.")
    assert found.engines == ["innodb", "myisam"]
    assert found.script is True and found.server == str(base / "bin" / "mysqld")
    assert os.path.realpath(found.binary) == os.path.realpath(base / "libexec" / "mysqld")
    both = f"{sha256(base / 'bin' / 'mysqld')}\n{sha256(base / 'libexec' / 'mysqld')}\n"
    assert found.fingerprint == hashlib.sha256(both.encode()).hexdigest()


def test_the_program_behind_a_script_that_stays_and_talks(only: Any, tmp_path: Path) -> None:
    script = tmp_path / "x" / "bin" / "mysqld"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\necho starting\n{MARIADBD} "$@"\nexit $?\n')
    script.chmod(0o755)
    (found,) = only(tmp_path / "x")
    assert found.problem is None and found.family == "MariaDB"
    assert found.binary == str(MARIADBD)


@pytest.mark.build("mysql-5.6")
@pytest.mark.build("mysql-9.7")
def test_all_of_it_within_three_seconds_of_work_and_nothing_touched(
    build_path: Fetched, tmp_path: Path
) -> None:
    bases = [build_path("mysql-5.6"), build_path("mysql-9.7")]
    before = [listing(base) for base in bases]
    directory = marked(tmp_path / "directory")
    began, worked = time.monotonic(), work_s()
    found = survey(directory, [str(base) for base in bases])
    assert work_s() - worked < 3  # a machine at rest takes less, as it asks several at once
    assert time.monotonic() - began < 20  # beside whatever else it does
    assert len(found.builds) >= 3
    assert [listing(base) for base in bases] == before
    kept = {path.name for path in (tmp_path / "directory").rglob("*") if path.is_file()}
    assert kept == {MARKER, "fingerprints.json", "options.json", "plugin-options.json"}
    assert read(Survey, json.loads(json.dumps(to_json(found)))) == found


def marked(path: Path) -> MarkedDirectory:
    """A new directory of Dyno's."""
    path.mkdir(mode=0o700)
    (path / MARKER).touch()
    return MarkedDirectory(str(path))


def work_s() -> float:
    """Seconds of CPU that this process and what it started have taken."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


def listing(base: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_mtime_ns) for path in base.rglob("*"))


def patched(target: Path, old: bytes, new: bytes) -> Path:
    """MariaDB's server with some of its bytes exchanged."""
    target.parent.mkdir(parents=True)
    content = MARIADBD.read_bytes()
    assert old in content and len(old) == len(new)
    target.write_bytes(content.replace(old, new))
    target.chmod(0o755)
    return target


def test_a_missing_library_is_named_and_found_beside_the_server(only: Any, tmp_path: Path) -> None:
    server = patched(tmp_path / "x" / "bin" / "mariadbd", b"libz.so.1\0", b"libd.so.1\0")
    (broken,) = only(tmp_path / "x")
    assert broken.problem.startswith("missing library libd.so.1")
    assert environment(str(tmp_path / "x"), str(server)) == {}
    (tmp_path / "x" / "lib").mkdir()
    shutil.copy("/lib/x86_64-linux-gnu/libz.so.1", tmp_path / "x" / "lib" / "libd.so.1")
    (mended,) = only(tmp_path / "x")
    assert mended.problem is None and mended.family == "MariaDB"
    assert mended.environment["LD_LIBRARY_PATH"].split(":")[0] == str(tmp_path / "x" / "lib")
    assert mended.environment == environment(str(tmp_path / "x"), str(server))
    assert "innodb-buffer-pool-size" in known_options(mended)


def test_what_a_plugin_lacks_is_named(only: Any, tmp_path: Path) -> None:
    base = tmp_path / "x"
    patched(base / "bin" / "mariadbd", b"libz.so.1\0", b"libz.so.1\0")
    plugin = base / "lib" / "plugin" / "ha_rocksdb.so"
    plugin.parent.mkdir(parents=True)
    whole = Path("/usr/lib/mysql/plugin/ha_rocksdb.so").read_bytes()
    plugin.write_bytes(whole.replace(b"libsnappy.so.1\0", b"libdynoxx.so.1\0"))
    (found,) = only(base)
    assert found.problem is None and found.engines == ["innodb", "myisam", "aria"]
    lacking = "ha_rocksdb.so lacks libdynoxx.so.1: install its package"
    assert found.lacking == {"rocksdb": lacking} and problem_of(found) == lacking
    with pytest.raises(InputError, match=f"lacks the engine rocksdb: {lacking}"):
        find_build(ContenderRequest(found.name, "rocksdb", "baseline"), made_up(builds=[to_json(found)]))
    plugin.write_bytes(whole)
    (mended,) = only(base)
    assert "rocksdb" in mended.engines and mended.lacking == {} and problem_of(mended) == ""


def test_a_build_for_another_machine(only: Any, tmp_path: Path) -> None:
    server = patched(tmp_path / "x" / "bin" / "mysqld", b"libz.so.1\0", b"libz.so.1\0")
    content = bytearray(server.read_bytes())
    content[18] = 183  # e_machine: aarch64
    server.write_bytes(bytes(content))
    (found,) = only(tmp_path / "x")
    assert "built for aarch64" in found.problem and "Exec format error" in found.problem


def test_what_mariadb_accepts(tmp_path: Path) -> None:
    found = states(mariadb(), tmp_path, CNF + "innodb_buffer_pool_instances = 4\n")
    assert found == {
        "no_such_option": "rejected",
        "max_connections": "rejected",
        "sort_buffer_size": "adjusted",
        "loose_no_such_option_either": "ignored",
        "innodb_buffer_pool_instances": "ignored",
    }


def test_options_of_a_plugin_are_known_once_it_is_loaded(tmp_path: Path) -> None:
    cnf = "[mysqld]\nrocksdb_block_cache_size=1G\nrocksdb_nonsense=1\n"
    assert set(states(mariadb(), tmp_path, cnf)) == {"rocksdb_block_cache_size", "rocksdb_nonsense"}
    loaded = cnf + "plugin-load-add=ha_rocksdb\n"
    assert states(mariadb(), tmp_path, loaded) == {"rocksdb_nonsense": "rejected"}
    wrong = loaded + "plugin-load-add=ha_nonesuch\n"
    assert states(mariadb(), tmp_path, wrong) == {
        "plugin-load-add": "rejected",
        "rocksdb_nonsense": "rejected",
    }


@pytest.mark.build("mysql-5.6")
def test_what_mysql_5_6_accepts(build_path: Fetched, only: Any, tmp_path: Path) -> None:
    (found,) = only(build_path("mysql-5.6"))
    # a wrong value disables InnoDB, and its right options must not be blamed for that
    cnf = CNF + "innodb_log_file_size = 10Q\ninnodb_io_capacity = 300\n[mysqld-9.7]\nonly_there = 1\n"
    assert states(found, tmp_path, cnf) == {
        "no_such_option": "rejected",
        "max_connections": "rejected",
        "innodb-log-file-size": "rejected",
        "sort_buffer_size": "adjusted",
        "loose_no_such_option_either": "ignored",
    }
    assert states(found, tmp_path, "[mysqld]\nquery_cache_size=0\nloose_rocksdb_x=1\n") == {
        "loose_rocksdb_x": "ignored"
    }
    known = known_options(found)
    assert "initialize-insecure" not in known and "validate-config" not in known


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("mysql-8.0", marks=[pytest.mark.build("mysql-8.0"), pytest.mark.full]),
        pytest.param("mysql-9.7", marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_what_mysql_from_8_0_on_accepts(build_path: Fetched, only: Any, tmp_path: Path, name: str) -> None:
    (found,) = only(build_path(name))
    assert states(found, tmp_path, CNF + "query_cache_size = 0\n[mysqld-5.6]\nonly_there = 1\n") == {
        "no_such_option": "rejected",
        "max_connections": "rejected",
        "query_cache_size": "rejected",
        "sort_buffer_size": "adjusted",
        "loose_no_such_option_either": "ignored",
    }
    assert states(found, tmp_path, "[mysqld]\ninnodb_buffer_pool_size=1G\n") == {}
    known = known_options(found)
    assert "initialize-insecure" in known and "secure-file-priv" in known


@pytest.mark.parametrize(
    "python", sorted(Path.home().glob(".pyenv/versions/3.*/bin/python")) or [sys.executable]
)
def test_the_survey_on_every_python_at_hand(python: Path | str, tmp_path: Path) -> None:
    version = subprocess.run([str(python), "-c", "import sys; print(sys.version_info >= (3, 8))"],
                             capture_output=True, text=True, check=True).stdout  # fmt: skip
    if version.strip() != "True":
        return  # older than the agent runs on
    root = Path(__file__).parents[2]
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from app.agent.survey.machine import survey\n"
        "from app.agent.system.directory import MarkedDirectory\n"
        "from app.protocol.answers import to_json\n"
        "print(json.dumps(to_json(survey(MarkedDirectory(sys.argv[2]), []))))"
    )
    directory = marked(tmp_path / "directory").path
    done = subprocess.run([str(python), "-I", "-S", "-c", code, str(root), directory],
                          capture_output=True, text=True, check=True)  # fmt: skip
    found = json.loads(done.stdout)
    assert found["builds"] and found["sysbench"] and done.stderr == ""
