"""Presets against real servers: they are accepted, and groups mean what the server takes them for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.options import build_with_options, check_options
from app.agent.survey.builds import environment
from app.catalog import Catalog
from app.protocol.answers import Build
from app.variables import MachineSize, Preset, parse_preset, render
from tests.installed import MARIADB, SERIES, SERVER, VERSION
from tests.integration.desktop import Desktop
from tests.integration.sshd import Sshd

REDO = "loose_innodb_redo_log_capacity"
MACHINE = MachineSize(4 << 30, 2)
GROUPS = f"""\
[mariadb-{SERIES}]
max_connections=1
back_log=1
[mysqld]
max_connections=2
[mariadbd]
net_buffer_length=3
[client-server]
back_log=4
[mysqld-5.6]
back_log=5
[mysqld_safe]
back_log=6
"""


def complaints(base: str, server: str, cnf: str, folder: Path) -> list[dict[str, Any]]:
    """What a build does not take of a my.cnf, beside what loose_ lets it ignore."""
    path = folder / "my.cnf"
    path.write_text(cnf, encoding="utf-8")
    build = build_with_options("", Build("x", base, server, environment=environment(base, server)))
    return [each for each in check_options(build, str(path)) if not each["option"].startswith("loose")]


def rendered(preset: Preset, family: str, version: str) -> str:
    return render(preset, family, version, MACHINE).text


ENGINES = ("innodb", "rocksdb", "myisam", "aria")


def shipped(*engines: str) -> list[Any]:
    """Every preset of these engines, named as people name it."""
    return [
        pytest.param(preset, id=f"{preset.engine}/{preset.name}")
        for preset in Catalog().presets()[0]
        if preset.engine in engines and preset.shipped
    ]


@pytest.mark.parametrize("preset", shipped(*ENGINES))
def test_mariadb_accepts_every_preset(preset: Preset, tmp_path: Path) -> None:
    cnf = rendered(preset, "MariaDB", VERSION)
    assert complaints("/usr", SERVER, cnf, tmp_path) == []


@pytest.mark.build("mysql-5.6")
@pytest.mark.parametrize("preset", shipped("innodb", "myisam"))
def test_mysql_5_6_accepts_every_preset(
    preset: Preset, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    base = build_path("mysql-5.6")
    assert complaints(str(base), str(base / "mysqld"), rendered(preset, "MySQL", "5.6.24"), tmp_path) == []


@pytest.mark.build("mysql-9.7")
@pytest.mark.parametrize("preset", shipped("innodb", "myisam"))
def test_mysql_9_7_accepts_every_preset(
    preset: Preset, build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    base = build_path("mysql-9.7")
    cnf = rendered(preset, "MySQL", "9.7.4")
    assert complaints(str(base), str(base / "bin/mysqld"), cnf, tmp_path) == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "server", "family", "version"),
    [
        pytest.param(*each, marks=pytest.mark.build(each[0]), id=each[0])
        for each in (
            ("mysql-5.5", "bin/mysqld", "MySQL", "5.5.9"),
            ("mysql-5.7", "mysqld", "MySQL", "5.7.29"),
            ("mysql-8.0", "bin/mysqld", "MySQL", "8.0.33"),
            ("mariadb-10.2", "bin/mysqld", "MariaDB", "10.2.11"),
            ("mariadb-11.4", "bin/mariadbd", "MariaDB", "11.4.5"),
            ("mariadb-11.8", "bin/mariadbd", "MariaDB", "11.8.9"),
        )
    ],
)
def test_other_versions_accept_every_preset(
    build_path: Callable[[str], Path], tmp_path: Path, name: str, server: str, family: str, version: str
) -> None:
    base = build_path(name)
    engines = ["innodb", "myisam", *["aria"] * (family == "MariaDB"), *["rocksdb"] * (name == "mariadb-11.8")]
    found = {
        preset.id: complaints(
            str(base), str(base / server), rendered(preset.values[0], family, version), tmp_path
        )
        for preset in shipped(*engines)
        if (preset.id, version) != ("innodb/c8r32", "5.5.9")  # from 5.6 on, as it says
    }
    assert found == {name: [] for name in found}


def test_the_test_would_see_a_complaint(tmp_path: Path) -> None:
    found = complaints("/usr", SERVER, "[mysqld]\nno_such_option=3\n", tmp_path)
    assert [each["option"] for each in found] == ["no_such_option"]


@pytest.mark.full
@pytest.mark.build("mysql-5.7")
def test_what_5_7_ignores_and_adjusts_is_told(build_path: Callable[[str], Path], tmp_path: Path) -> None:
    """It keeps its warnings back unless they are asked for before anything else."""
    base, path = str(build_path("mysql-5.7")), tmp_path / "my.cnf"
    path.write_text("[mysqld]\nloose_no_such=3\nback_log=70000\n", encoding="utf-8")
    found = check_options(build_with_options("", Build("x", base, f"{base}/mysqld")), str(path))
    assert [(each["option"], each["state"], each["text"]) for each in found] == [
        ("back_log", "adjusted", "option 'back_log': unsigned value 70000 adjusted to 65535"),
        ("loose_no_such", "ignored", "unknown variable 'loose_no_such=3'"),
    ]


def test_groups_mean_what_the_server_takes_them_for(tmp_path: Path) -> None:
    """What a server says it would be started with, last word of each option, is what is rendered."""
    preset = parse_preset(GROUPS, "groups", "innodb")
    ours = render(preset, "MariaDB", VERSION, MACHINE)
    assert said(GROUPS, tmp_path) == said(ours.text, tmp_path)
    assert said(ours.text, tmp_path) == {"max_connections": "2", "back_log": "4", "net_buffer_length": "3"}


def said(cnf: str, folder: Path) -> dict[str, str]:
    path = folder / "groups.cnf"
    path.write_text(cnf, encoding="utf-8")
    answer = subprocess.run(
        [SERVER, f"--defaults-file={path}", "--print-defaults"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    words = answer.stdout.splitlines()[-1].split()
    return dict(word.removeprefix("--").split("=", 1) for word in words)


# dyno preset check


def test_builds_say_what_they_think_of_a_preset(desktop: Desktop) -> None:
    (found,) = desktop.json("preset", "check", "innodb/baseline", "--build", MARIADB)
    assert (found["build"], found["state"], found["option"]) == (MARIADB, "ignored", REDO)
    said = desktop.dyno("preset", "check", "rocksdb/optimized-zlib", "--start").stdout
    assert "the server starts and the settings are in force" in said
    assert "level 0 none, 1 none, 2 none, 3 LZ4, 4 LZ4, 5 LZ4; the last level Zlib" in said


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("no_such_option=3", "unknown variable 'no_such_option=3'"),
        ("innodb_flush_method=SOMEHOW", "Error while setting value 'SOMEHOW' to 'innodb"),
        ("port=3306", "line 2: Dyno sets port itself"),
        ("!include /etc/my.cnf", "line 2: !include is not allowed"),
        ("x=\x00\x01", "line 2: outside of comments only ASCII"),
    ],
)
def test_a_preset_that_cannot_be_is_refused_in_the_words_of_the_build(
    desktop: Desktop, line: str, told: str
) -> None:
    folder = desktop.home / "presets/innodb"
    folder.mkdir(parents=True)
    (folder / "mine.cnf").write_text(f"[mysqld]\n{line}\n")
    assert told in desktop.refused("preset", "check", "innodb/mine", "--build", MARIADB)


@pytest.mark.full
@pytest.mark.build("mysql-5.6")
def test_what_a_server_says_of_a_wrong_value_once_it_is_started_is_told(
    desktop: Desktop, build_path: Callable[[str], Path]
) -> None:
    """Options that help and validation let pass, and that the engine itself refuses."""
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path("mysql-5.6")))
    for engine, build, option, told in (
        (
            "innodb",
            "mysql-5.6.24",
            "innodb_flush_method=SOMEHOW",
            "Unrecognized value SOMEHOW for innodb_flush",
        ),
        (
            "rocksdb",
            MARIADB,
            "rocksdb_default_cf_options=compression=kNope",
            "Invalid default column family config",
        ),
    ):
        path = desktop.home / f"presets/{engine}/mine.cnf"
        path.parent.mkdir(parents=True)
        load = "plugin_load_add=ha_rocksdb\n" * (engine == "rocksdb")
        path.write_text(f"[mysqld]\n{load}{option}\n")
        assert told in desktop.refused("preset", "check", f"{engine}/mine", "--build", build, "--start")


def test_a_value_that_the_server_changes_is_seen_once_it_is_started_behind_a_real_sshd(
    desktop: Desktop, sshd: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "far").mkdir()
    sshd.add_target("far", str(tmp_path / "far" / "dyno"))
    folder = desktop.home / "presets/myisam"
    folder.mkdir(parents=True)
    (folder / "mine.cnf").write_text("[mysqld]\nkey_buffer_size=64M\nback_log=70000\n")
    found = desktop.json("preset", "check", "myisam/mine", "--start", "--target", "far")
    assert {(each["state"], each["option"]) for each in found} >= {("adjusted", "back_log")}


@pytest.mark.full
@pytest.mark.build("mysql-5.6", "mysql-8.0", "mysql-9.7")
@pytest.mark.parametrize("preset", [each for each in shipped(*ENGINES) if each.id != "innodb/c8r32"])
def test_every_build_starts_with_every_preset(
    desktop: Desktop, build_path: Callable[[str], Path], preset: Preset
) -> None:
    bases = [str(build_path(name)) for name in ("mysql-5.6", "mysql-8.0", "mysql-9.7")]
    desktop.dyno("target", "edit", "local", *(word for base in bases for word in ("--search-path", base)))
    found = {}  # c8r32 would write nearly as many bytes of redo as the machine has memory
    for build in (MARIADB, "mysql-5.6.24", "mysql-8.0.33", "mysql-9.7.4"):
        if preset.engine in ("innodb", "myisam") or build == MARIADB:
            words = ("preset", "check", f"{preset.engine}/{preset.name}", "--build", build, "--start")
            found[build] = {each["state"] for each in desktop.json(*words)}
    assert all(states & {"started", "changed"} for states in found.values()), found


def test_presets_are_shown_and_compared_as_a_build_would_get_them(desktop: Desktop) -> None:
    shown = desktop.dyno("preset", "show", "innodb/optimized", "--build", MARIADB).stdout
    assert shown.startswith("[mysqld]\n") and "{" not in shown and "innodb_log_file_size=96M" in shown
    lines = desktop.dyno(
        "preset", "diff", "innodb/optimized", "read-only", "--build", MARIADB
    ).stdout.splitlines()
    assert "-innodb_flush_log_at_trx_commit=2" in lines and "+innodb_flush_log_at_trx_commit=1" in lines
    assert "no build dream" in desktop.refused("preset", "show", "innodb/baseline", "--build", "dream")
