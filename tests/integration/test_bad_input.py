"""What cannot be used is refused in one line with exit code 2, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop

INNODB = f"{MARIADB}:innodb"
RUN = ["run", "--sequence", "tiny", "--contender", INNODB]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--target", "moon", *RUN[1:]], "no target 'moon'"),
        (["run", "--sequence", "tiny", "--contender", "oracle-23:innodb"], "oracle-23"),
        (["run", "--sequence", "tiny", "--contender", f"{MARIADB}:falcon"], "falcon"),
        (["run", "--sequence", "tiny", "--contender", f"{INNODB}:fastest"], "no preset fastest"),
        (["run", "--sequence", "tiny", "--contender", "innodb"], "there is no build innodb"),
        (["run", "--sequence", "tiny"], "choose a contender"),
        (["run", "--sequence", "marathon", "--contender", INNODB], "marathon"),
        (["run", "--contender", INNODB], "choose a sequence"),
        ([*RUN, "--steps", "load,dance"], "dance"),
        ([*RUN, "--rows", "-1"], "--rows"),
        ([*RUN, "--rows", "1e99"], "--rows"),
        ([*RUN, "--rows", "99999999999999"], "--rows"),
        ([*RUN, "--rows", "3x disk"], "--rows"),
        ([*RUN, "--tables", "0"], "--tables"),
        ([*RUN, "--seconds", "-5"], "--seconds"),
        ([*RUN, "--seconds", "9999999"], "--seconds"),
        ([*RUN, "--threads", "1,two"], "--threads"),
        ([*RUN, "--threads", "0"], "--threads"),
        ([*RUN, "--repeats", "1000000"], "--repeats"),
        ([*RUN, "--table-options", "x; DROP TABLE t"], "table_options"),
        ([*RUN, "--taskset", "0; reboot"], "cores"),
        (["run", "no-such-file.toml"], "no-such-file.toml"),
        (["workload", "show", "dance"], "dance"),
        (["sequence", "show", "../../etc/passwd"], "passwd"),
        (["preset", "show", "falcon", "baseline"], "falcon"),
        (["session", "show", "nothing"], "nothing"),
        (["session", "show", "last"], "last"),
        (["compare", "nothing", "nobody"], "nothing"),
        (["import", "no-such-file.zip"], "no-such-file.zip"),
        (["target", "add", "Bad Name", "--host", "x", "--directory", "/d"], "Bad Name"),
        (["target", "add", "far", "--host", "-oProxyCommand=x", "--directory", "/d"], "host"),
        (["target", "add", "far", "--host", "x", "--directory", "relative"], "relative"),
        (["target", "add", "far", "--host", "x", "--directory", "/d", "--port", "70000"], "70000"),
        (["target", "remove", "local"], "this computer"),
        (["follow", "--target", "moon"], "moon"),
        (["dance"], "dance"),
        (["run", "--no-such-option"], "--no-such-option"),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
def test_bad_input_gets_one_line(desktop: Desktop, words: list[str], said: str) -> None:
    assert said in desktop.refused(*words)
    assert not list(desktop.target.glob("sessions/*"))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('target = "local"\nsequence = \n', 2, ""),
        ('sequence = "tiny"\nrowz = 3\n', 2, "rowz"),
        ('sequence = "tiny"\nrows = -3\n', 2, "rows"),
        ('sequence = "tiny"\n\n[[contender]]\nbuild = "x"\nengine = "innodb"\ncolour = 1\n', 6, "colour"),
        ('seconds = "many"\n', 1, "seconds"),
    ],
)
def test_a_plan_file_is_refused_with_line_and_key(
    desktop: Desktop, tmp_path: Path, text: str, line: int, said: str
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    refusal = desktop.refused("run", str(path))
    assert f"line {line}" in refusal
    assert said in refusal


def test_a_file_that_is_no_text(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe\x00binary")
    assert "plan.toml" in desktop.refused("run", str(path))
    assert "plan.toml" in desktop.refused("import", str(path))
    assert str(tmp_path) in desktop.refused("run", str(tmp_path))


def test_a_directory_that_is_not_empty_and_not_dynos(desktop: Desktop, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "file").write_text("mine")
    desktop.dyno("target", "edit", "local", "--directory", str(precious))
    assert "not empty" in desktop.refused(*RUN)
    assert [path.name for path in precious.iterdir()] == ["file"]


def test_workloads_of_ones_own_are_approved_by_their_hash(desktop: Desktop) -> None:
    folder = desktop.home / "workloads"
    folder.mkdir()
    text = (Path(__file__).parents[2] / "workloads" / "point-query.toml").read_text()
    (folder / "mine.toml").write_text(
        text.replace('"point-query"', '"mine"', 1).replace("point-query.lua", "mine.lua")
    )
    (folder / "mine.lua").write_text('local dyno = require("dyno")\n')
    sequence = (desktop.home / "sequences" / "tiny.toml").read_text()
    (desktop.home / "sequences" / "own.toml").write_text(
        sequence.replace('"tiny"', '"own"').replace('workload = "point-query"', 'workload = "mine"')
    )
    words = ["run", "--sequence", "own", "--contender", INNODB, "--dry-run"]
    refusal = desktop.refused(*words)
    assert "approve" in refusal
    digest = refusal.split("workload approve mine ")[1][:12]
    assert "hash" in desktop.refused("workload", "approve", "mine", "0" * 12)
    desktop.dyno("workload", "approve", "mine", digest)
    desktop.dyno(*words)
    (folder / "mine.lua").write_text('local dyno = require("dyno") -- changed\n')
    assert "approve" in desktop.refused(*words)


def test_the_dry_run_starts_nothing(desktop: Desktop) -> None:
    said = desktop.dyno(*RUN, "--contender", f"{MARIADB}:myisam", "--dry-run").stdout
    for word in ("takes about", "of disk", "data : cache : memory", "pass", "settings"):
        assert word in said
    assert not list(desktop.target.glob("sessions/*"))
    assert "the server starts" not in said
    assert "the server starts" in desktop.dyno(*RUN, "--dry-run", "--start").stdout
    assert not list(desktop.target.glob("sessions/*"))


def test_a_saved_plan_file_does_what_the_options_did(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        'sequence = "tiny"\nrows = 1000\nthreads = [1, 2]\nseconds = 1\n\n'
        f'[[contender]]\nbuild = "{MARIADB}"\nengine = "innodb"\nname = "mine"\n'
    )
    said = desktop.dyno("run", str(path), "--tables", "1", "--dry-run").stdout
    assert "1 table x 1,000 rows" in said
    assert "mine" in said


def test_the_duel_is_planned_without_being_described(desktop: Desktop) -> None:
    said = desktop.dyno("run", "--duel", "--dry-run").stdout
    assert "duel: sequence duel on local" in said
    assert [line.split()[:4] for line in said.splitlines() if line.startswith(MARIADB)] == [
        [f"{MARIADB}-innodb", MARIADB, "innodb", "baseline"],
        [f"{MARIADB}-rocksdb", MARIADB, "rocksdb", "baseline"],
    ]
    assert "order slices, 6 repeats" in said
    assert "start snapshot" in said
    assert (
        "the servers take turns, up to four a second, in point-query, read-only, update-index, insert;"
        in said
    )
