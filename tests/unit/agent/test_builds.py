"""Builds: found, asked, named; here the servers are scripts that say what real ones said."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.program import CannotStartError, ask, elf_machine, server_start_command
from app.agent.survey import builds
from app.agent.survey.builds import find_builds, parse_version, servers_in
from app.engines import KNOWN
from app.protocol.answers import to_json
from tests.plans import VERSION
from tests.unit.targets.test_tested_versions import recordings

# what `--version` said: MariaDB of Debian 12, MySQL 5.6.24 of npm, MySQL 9.7.4 of Debian unstable
MARIADB = f"/usr/sbin/mariadbd  Ver {VERSION}-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
MYSQL_56 = "/b/mysqld  Ver 5.6.24 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))"
MYSQL_97 = "/b/bin/../libexec/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))"
PERCONA = "mysqld  Ver 8.0.15-6 for Linux on x86_64 (Percona Server (GPL), Release 6, Revision 63abd08)"
# of any build that was made from its source: whether it is Facebook's, its options tell
FROM_SOURCE = "mysqld  Ver 8.0.32 for Linux on x86_64 (Source distribution)"

HELP = """\
{version}
  --innodb-buffer-pool-size=#

Variables (--variable-name=value)
and boolean options {{FALSE|TRUE}}  Value (after reading options)
---------------------------------- -------------
innodb-buffer-pool-size            134217728
myisam-sort-buffer-size            8388608
{more}
plugin-dir                         {plugins}

To see what variables a running MySQL server is using, type
"""


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (MARIADB, {}, ("MariaDB", VERSION)),
        (MARIADB, {"rocksdb-block-cache-size": "1"}, ("MariaDB", VERSION)),
        (MYSQL_56, {}, ("MySQL", "5.6.24")),
        (MYSQL_97, {}, ("MySQL", "9.7.4")),
        (FROM_SOURCE, {}, ("MySQL", "8.0.32")),
        (FROM_SOURCE, {"rocksdb-block-cache-size": "1"}, ("FB MySQL", "8.0.32")),
        ("this is no server", {}, (None, None)),
    ],
)
def test_family_and_version_are_what_the_build_says(
    text: str, options: dict[str, str], expected: tuple[str | None, str | None]
) -> None:
    assert parse_version(text, options) == expected


@pytest.mark.parametrize("each", recordings(), ids=lambda each: f"{each['family']} {each['version']}")
def test_builds_that_are_only_recorded_are_told_apart(each: dict[str, str]) -> None:
    assert parse_version(each["said"], {}) == (each["family"], each["version"])


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def server(base: Path, version: str, place: str = "bin/mysqld", more: str = "safe-mode FALSE") -> Path:
    """A script that answers the two questions as a server does."""
    answer = HELP.format(version=version, plugins=base / "plugin", more=more)
    text = '#!/bin/sh\ncase "$*" in *--help*) cat <<"END"\n{}END\n;; *) echo "{}";; esac\n'
    return script(base / place, text.format(answer, version))


@pytest.fixture
def survey(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """find_builds under a folder, without what is installed on this machine."""
    monkeypatch.setattr(builds, "USUAL", ())
    return lambda *paths, cache="": find_builds([str(tmp_path / path) for path in paths], cache=cache)


def test_each_build_is_asked_and_has_a_name_of_its_own(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "b" / "one", MYSQL_56)
    server(tmp_path / "b" / "three", MARIADB, "sbin/mariadbd")
    server(tmp_path / "b" / "two", MYSQL_56, "libexec/mysqld")
    found = survey("b/*")
    assert [each.name for each in found] == ["mysql-5.6.24", f"mariadb-{VERSION}", "mysql-5.6.24-2"]
    assert [each.base for each in found] == [str(tmp_path / "b" / name) for name in ("one", "three", "two")]
    assert found[0].engines == ["innodb", "myisam"]
    assert {each.problem for each in found} == {None}
    json.dumps(list(map(to_json, found)))


def test_one_that_dyno_has_brought_keeps_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A plan names it: what else is found there, and in which order, must not make it another one."""
    monkeypatch.setattr(builds, "USUAL", ())
    server(tmp_path / "[dyno]" / "plain", MYSQL_56)
    server(tmp_path / "[dyno]" / "mysql-5.6.24", MYSQL_56, "server/mysqld")
    server(tmp_path / "found" / "one", MYSQL_56)
    found = find_builds([str(tmp_path / "found")], str(tmp_path / "[dyno]"))
    assert {each.name: each.base for each in found} == {
        "plain": str(tmp_path / "[dyno]" / "plain"),
        "mysql-5.6.24": str(tmp_path / "[dyno]" / "mysql-5.6.24" / "server"),
        "mysql-5.6.24-2": str(tmp_path / "found" / "one"),
    }


def test_a_directory_named_later_takes_no_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "USUAL", (str(tmp_path / "usual" / "*"),))
    server(tmp_path / "usual" / "x", MYSQL_56)
    server(tmp_path / "a", MYSQL_56)
    server(tmp_path / "b", MYSQL_56)
    found = find_builds([str(tmp_path / "b"), str(tmp_path / "a")])
    assert {each.name: each.base for each in found} == {
        "mysql-5.6.24": str(tmp_path / "usual" / "x"),
        "mysql-5.6.24-2": str(tmp_path / "b"),
        "mysql-5.6.24-3": str(tmp_path / "a"),
    }


def test_a_folder_name_says_nothing(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "mysql-8.0.99", PERCONA)
    script(tmp_path / "mysql-5.7.1" / "bin" / "mysqld", "#!/bin/sh\necho hello\n")
    found = survey("*")
    assert [each.name for each in found] == ["unknown", "percona-8.0.15-6"]
    assert found[0].version is None and found[0].family is None


def test_a_search_path_may_be_a_base_or_a_folder_of_bases(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "b" / "one", MYSQL_56)
    for path in ("b", "b/*", "b/one"):
        assert [each.base for each in survey(path)] == [str(tmp_path / "b" / "one")]
    assert survey("missing/*", "b/one/bin/mysqld/x") == []


def test_a_server_beside_its_share_in_a_folder_is_its_own_base(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "package", MYSQL_56, "server/mysqld")
    found = survey("*", "package/server")
    assert [each.base for each in found] == [str(tmp_path / "package" / "server")]
    server(tmp_path / "another" / "server", MYSQL_56)
    found = survey("")
    assert [each.base for each in found] == [
        str(tmp_path / "another" / "server"),
        str(tmp_path / "package" / "server"),
    ]


def test_a_build_reached_twice_counts_once(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "mysql-1", MYSQL_56, "bin/mariadbd")
    (tmp_path / "mysql-1" / "bin" / "mysqld").symlink_to("mariadbd")
    (tmp_path / "current").symlink_to("mysql-1")
    assert len(survey("*", "mysql-1")) == 1


def test_the_home_directory_is_understood(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "USUAL", ())
    monkeypatch.setenv("HOME", str(tmp_path))
    server(tmp_path / "b" / "one", MYSQL_56)
    assert [each.name for each in find_builds(["~/b/*"])] == ["mysql-5.6.24"]


def test_a_script_is_preferred_to_the_program_it_calls(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "x", MYSQL_97, "libexec/mysqld")
    script(tmp_path / "x" / "bin" / "mysqld", '#!/bin/sh\nexec "${0%/*}/../libexec/mysqld" "$@"\n')
    (found,) = survey("x")
    assert found.server == str(tmp_path / "x" / "bin" / "mysqld")
    assert found.script is True
    assert servers_in(str(tmp_path / "x")) == [found.server, str(tmp_path / "x" / "libexec" / "mysqld")]


def test_the_program_that_starts_is_taken_where_another_does_not(survey: Any, tmp_path: Path) -> None:
    script(tmp_path / "x" / "bin" / "mysqld", "#!/bin/sh\nexit 3\n")
    server(tmp_path / "x", MYSQL_97, "libexec/mysqld")
    (found,) = survey("x")
    assert (found.name, found.problem) == ("mysql-9.7.4", None)


def test_rocksdb_is_there_as_a_plugin_or_compiled_in(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "maria", MARIADB)
    (tmp_path / "maria" / "plugin").mkdir()
    (tmp_path / "maria" / "plugin" / "ha_rocksdb.so").touch()
    server(tmp_path / "none", MARIADB)
    server(tmp_path / "fb", FROM_SOURCE, more="rocksdb-block-cache-size 536870912")
    found = {Path(each.base).name: each for each in survey("*")}
    assert "rocksdb" in found["maria"].engines
    assert "rocksdb" not in found["none"].engines
    assert found["fb"].engines == ["innodb", "rocksdb", "myisam"]
    assert found["fb"].name == "fbmysql-8.0.32"


def without_facts(engines: dict[str, str]) -> dict[str, str]:
    return {name: plugin for name, plugin in engines.items() if name not in KNOWN}


def test_engines_without_facts_are_named_with_the_plugin_to_load(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "maria", MARIADB)
    (tmp_path / "maria" / "plugin").mkdir()
    for name in ("ha_rocksdb.so", "ha_mroonga.so", "ha_S3.so", "ha_.so", "ha_x y.so", "auth_pam.so"):
        (tmp_path / "maria" / "plugin" / name).touch()
    server(tmp_path / "mysql", MYSQL_97, more="archive ON")
    found = {Path(each.base).name: each for each in survey("*")}
    always = {"memory": "", "csv": "", "mrg_myisam": ""}
    assert found["maria"].other_engines == without_facts(
        {**always, "s3": "ha_S3.so", "mroonga": "ha_mroonga.so"}
    )
    assert found["mysql"].other_engines == without_facts({**always, "archive": ""})


def elf(machine: int, interpreter: str = "") -> bytes:
    """The head of a 64-bit program, with one segment that names its loader."""
    header = struct.pack(
        "<4s5B7x2HI3QI6H", b"\x7fELF", 2, 1, 1, 0, 0, 2, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    name = interpreter.encode() + b"\0"
    segment = struct.pack("<2I6Q", 3, 4, 120, 0, 0, len(name), len(name), 1)
    return header + segment + name


def program(path: Path, content: bytes, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        (elf(183 if platform.machine() == "x86_64" else 62), 0o755, "it is built for "),
        (elf(62, "/lib/ld-none.so.2"), 0o755, "it needs /lib/ld-none.so.2, which is not here"),
        (b"#!/opt/none/sh\n", 0o755, "it needs /opt/none/sh, which is not here"),
        (b"no program", 0o755, "neither a program for this machine"),
        (b"", 0o755, "neither a program for this machine"),
        (elf(62), 0o644, "is not executable: chmod +x it"),
        (b"#!/bin/sh\necho oops >&2\nexit 3\n", 0o755, "it ended with exit code 3: oops"),
        (b"#!/bin/sh\nkill -SEGV $$\n", 0o755, "signal 11 ended it"),
    ],
)
def test_a_build_that_cannot_start_says_why(
    survey: Any, tmp_path: Path, content: bytes, mode: int, expected: str
) -> None:
    program(tmp_path / "x" / "bin" / "mysqld", content, mode)
    (found,) = survey("x")
    assert expected in found.problem
    assert found.engines == [] and found.fingerprint
    assert "\n" not in found.problem


def test_missing_and_outdated_libraries_are_named(survey: Any, tmp_path: Path) -> None:
    said = "mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file"
    script(tmp_path / "a" / "bin" / "mysqld", f'#!/bin/sh\necho "{said}" >&2\nexit 127\n')
    said = "mysqld: /lib/libc.so.6: version \\`GLIBC_2.38' not found (required by mysqld)"
    script(tmp_path / "b" / "bin" / "mysqld", f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    missing, old = survey("*")
    assert missing.problem.startswith("missing library libaio.so.1")
    assert "GLIBC_2.38" in old.problem


def living(group: int) -> list[str]:
    """The states of the processes of a group, but for dead ones that nobody has collected yet."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = path.read_text().rpartition(")")[2].split()
            if int(words[2]) == group and words[0] not in "ZX":
                found.append(words[0])
    return found


def test_a_program_that_says_nothing_is_given_up_with_its_children(tmp_path: Path) -> None:
    stuck = script(tmp_path / "mysqld", "#!/bin/sh\necho $$ > {}\nsleep 60\n".format(tmp_path / "pid"))
    with pytest.raises(CannotStartError, match="did not answer within"):
        ask(str(stuck), [], {}, limit_s=0.5)
    group, until = int((tmp_path / "pid").read_text()), time.monotonic() + 5
    while living(group) and time.monotonic() < until:
        pass
    assert living(group) == []


def test_the_fingerprint_is_kept_until_the_file_changes(survey: Any, tmp_path: Path) -> None:
    path, cache = server(tmp_path / "x", MYSQL_56), tmp_path / "fingerprints.json"
    (first,) = survey("x", cache=str(cache))
    kept = json.loads(cache.read_text())
    assert kept[str(path)][3] == first.fingerprint
    kept[str(path)][3] = "0" * 64
    cache.write_text(json.dumps(kept))
    assert survey("x", cache=str(cache))[0].fingerprint == "0" * 64
    path.write_text(path.read_text() + "#\n")
    (changed,) = survey("x", cache=str(cache))
    assert changed.fingerprint not in ("0" * 64, first.fingerprint)


@pytest.mark.parametrize("content", ["", "[]", '{"/x": 3}', "\x00"])
def test_a_spoilt_cache_is_no_cache(survey: Any, tmp_path: Path, content: str) -> None:
    server(tmp_path / "x", MYSQL_56)
    cache = tmp_path / "fingerprints.json"
    cache.write_text(content)
    (found,) = survey("x", cache=str(cache))
    assert len(found.fingerprint) == 64


def test_no_cache_is_left_where_there_is_no_folder_for_it(survey: Any, tmp_path: Path) -> None:
    server(tmp_path / "x", MYSQL_56)
    assert survey("x", cache=str(tmp_path / "none" / "fingerprints.json"))
    assert sorted(os.listdir(tmp_path)) == ["x"]


def test_a_lost_run_bit_is_made_up_for_by_what_the_kernel_would_call(survey: Any, tmp_path: Path) -> None:
    path = server(tmp_path / "x", MYSQL_56)
    assert server_start_command(str(path)) == [str(path)]
    path.chmod(0o644)
    (found,) = survey("x")
    assert (found.problem, found.version) == (None, "5.6.24")
    path.write_text("#!/usr/bin/env -S sh -e" + path.read_text().removeprefix("#!/bin/sh"))
    assert server_start_command(str(path)) == ["/usr/bin/env", "-S", "sh", "-e", str(path)]
    (found,) = survey("x")
    assert found.problem is None
    loaded = program(tmp_path / "mysqld", elf(62, "/lib64/ld-linux-x86-64.so.2"), 0o644)
    assert server_start_command(str(loaded)) == ["/lib64/ld-linux-x86-64.so.2", str(loaded)]


def test_plugins_are_where_the_build_has_them(survey: Any, tmp_path: Path) -> None:
    base = tmp_path / "x"
    server(base, MARIADB)  # says that they are in plugin/
    (base / "lib64/mysql/plugin").mkdir(parents=True)
    (base / "lib64/mysql/plugin/ha_rocksdb.so").touch()
    (found,) = survey("x")
    assert found.plugin_dir == str(base / "lib64/mysql/plugin") and "rocksdb" in found.engines
    (base / "plugin").mkdir()
    (base / "plugin/ha_none.so").touch()
    (found,) = survey("x")
    assert found.plugin_dir == str(base / "plugin") and "rocksdb" not in found.engines


def test_the_architecture_of_a_program_is_read_from_its_head() -> None:
    assert elf_machine(elf(183)) == "aarch64"
    assert elf_machine(elf(999)) == "machine 999"
    assert elf_machine(b"#!/bin/sh") == ""
