"""Scripts of sessions: what they do in which order; nothing of a session is another thing to a shell."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.core.errors import InputError
from app.history.exchange.publishing import import_shipped
from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import Contender, Plan, Step
from app.protocol.sysbench import seed_of
from app.report.content import read_report
from app.report.rendering import to_html
from app.script.recipe import SessionRecipe, read_recipe
from app.script.writing import render_session_script, write_script, write_scripts
from tests import journals
from tests.plans import VERSION

PLACE = "/srv/dyno/sessions/S"
OWN = f"""\
# what follows is Dyno's
[mysqld]
basedir=/usr
datadir={PLACE}/data
tmpdir={PLACE}/tmp
socket=/tmp/dyno-abc/s
pid-file=/tmp/dyno-abc/s.pid
skip-networking
user=root
"""
VARIABLES = {
    "innodb_io_capacity": "200", "innodb_io_capacity_max": "2000", "innodb_max_dirty_pages_pct": "90.000000",
    "innodb_max_dirty_pages_pct_lwm": "0.000000", "innodb_fast_shutdown": "1", "log_bin": "ON",
    "key_buffer_size": "134217728", "sort_buffer_size": "2097152",
}  # fmt: skip
DRIVE = Step(name="read", kind="drive", lua="read.lua", threads=2, seconds=3, warmup=1)


def keep(history: History, contender: Contender, *steps: Step, own: str = OWN, **changes: Any) -> Plan:
    """A session of these steps, none of them carried out."""
    its_plan = replace(journals.plan([contender], its_steps=list(steps) or [DRIVE]), **changes)
    maker = journals.Maker(its_plan).begin()
    maker.add(Fact, name="my_cnf", value=f"{contender.cnf}\n{own}")
    maker.add(Fact, name="variables", value=VARIABLES, when="started")
    JournalStorer(history).append(its_plan.id, its_plan.turns[0].session, 0, maker.end().raw)
    return its_plan


def recipe(history: History, *steps: Step, engine: str = "innodb", **changes: Any) -> SessionRecipe:
    keep(history, journals.contender(engine), *steps, **changes)
    return read_recipe(history, "last")


def sequence(script: str) -> list[str]:
    """The lines of its last part, but for titles and what is printed."""
    _, _, last = script.partition("# The sequence ")
    lines = last.replace(" \\\n   ", "").splitlines()[1:-2]
    return [line for line in lines if line and not line.startswith(("#", "say "))]


def check(script: str) -> str:
    """What shells say to it without carrying it out."""
    for shell in ("dash", "bash"):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)
    subprocess.run(["shellcheck", "-"], input=script, text=True, check=True)
    return script


def test_a_step_is_what_sysbench_was_told(history: History) -> None:
    found = recipe(history)
    script = check(render_session_script("run.sh", found))
    assert "ANALYZE" not in script
    (line,) = sequence(script)
    words = shlex.split(line)
    assert words[:4] == ["drive", "01-read", "all", "read.lua"]
    assert f"--rand-seed={seed_of(found.plan, 1, DRIVE)}" in words
    assert {"--threads=2", "--time=4", "--report-checkpoints=1", "--engine=innodb"} <= set(words)


def test_a_session_that_took_turns_says_so_and_does_its_steps_whole(history: History, tmp_path: Path) -> None:
    files = {"workloads/read.lua": "-- read\n", "workloads/dyno-slices.lua": "-- the gate\n"}
    step = replace(DRIVE, sliced=True, rate=7)
    two = [journals.contender("innodb"), journals.contender("rocksdb")]
    keep(history, two[0], step, order="slices", contenders=two, files=files)
    folder = write_script(history, "last", tmp_path / "script")
    script, about = (" ".join((folder / name).read_text().split()) for name in ("run.sh", "README.txt"))
    assert "alternated with others within its steps; here each step runs without a break" in script
    assert "The session alternated with 1 other about four times a second within its steps:" in about
    assert [each.name for each in (folder / "lua").iterdir()] == ["read.lua"]
    (line,) = sequence(check((folder / "run.sh").read_text()))
    assert {"read.lua", "--time=4", "--report-checkpoints=1", "--rate=7"} <= set(shlex.split(line))
    (usual,) = sequence(render_session_script("run.sh", recipe(history, replace(DRIVE, rate=7))))
    assert len(shlex.split(line)) == len(shlex.split(usual))


def test_a_step_at_a_rate_has_the_schedule_of_dyno(history: History) -> None:
    files = {"workloads/dyno-rate.lua": "-- the schedule"}
    found = recipe(history, replace(DRIVE, rate=7, arrivals="even"), files=files)
    exported, line = sequence(check(render_session_script("run.sh", found)))
    assert exported == "export DYNO_WORKLOAD=read"
    assert {"dyno-rate.lua", "--event-rate=7", "--arrivals=even"} <= set(shlex.split(line))


READER = replace(DRIVE, name="qr", seconds=0, warmup=0, role="reader", cap_s=90)
INSERTER = replace(
    READER, name="qr.inserter", role="inserter", beside=True, ends=True, events=60, rate=7, cap_s=0,
    arrivals="each-second",
)  # fmt: skip
DELETER = replace(
    READER, name="qr.deleter", role="deleter", beside=True, follows="inserter", apart=8, cap_s=0
)


def test_roles_run_at_the_same_time(history: History) -> None:
    files = {"workloads/dyno-start.lua": "-- starts"}
    found = recipe(history, READER, INSERTER, DELETER, DRIVE, files=files)
    text = check(render_session_script("run.sh", found))
    assert "# 1. qr: reader, inserter (60 events), deleter at the same time, 90 s at most\n" in text
    lines = sequence(text)
    assert lines[:2] == ["begin 01-qr", "share 01-qr"]
    roles = [shlex.split(line) for line in lines if line.startswith("role ")]
    assert [words[1:4] for words in roles] == [
        [f"01-qr.{name}", "all", "dyno-start.lua"] for name in ("reader", "inserter", "deleter")
    ]
    assert {"--role=1", "--leads=2", "--apart=8", "--each-second=7", "--roles-fd=8"} <= set(roles[1])
    assert {"--role=2", "--follows=1", "--all-clients=2"} <= set(roles[2])
    seeds = [f"--rand-seed={seed_of(found.plan, 1, step)}" for step in (READER, INSERTER, DELETER)]
    assert [seed in words for seed, words in zip(seeds, roles, strict=True)] == [True] * 3
    assert lines[2:6] == [
        "export DYNO_WORKLOAD=read", "export DYNO_LOADED=dyno-role", "export DYNO_ROLE=read",
        "export DYNO_STARTED=dyno-load.lua",
    ]  # fmt: skip
    at = lines.index("together 01-qr 90 01-qr.inserter")
    assert [line.split()[:2] for line in lines[at + 1 :]] == [
        ["export", "DYNO_STARTED=read.lua"],
        ["drive", "04-read"],
    ]
    assert "one role after another" in render_session_script("README.txt", found)


def test_roles_without_a_limit_end_when_they_are_done(history: History) -> None:
    found = recipe(history, replace(READER, cap_s=0, ends=True, seconds=3), replace(INSERTER, ends=False))
    assert sequence(check(render_session_script("run.sh", found)))[-1] == "together 01-qr -1 01-qr.reader"


def test_a_rate_that_comes_each_second_needs_no_schedule(history: History) -> None:
    found = recipe(history, replace(DRIVE, rate=7, arrivals="each-second"))
    *exported, line = sequence(check(render_session_script("run.sh", found)))
    assert exported == ["export DYNO_WORKLOAD=read", "export DYNO_ROLE=read"]
    assert {"dyno-role.lua", "--each-second=7"} <= set(shlex.split(line))


def test_a_session_without_turns_does_not_speak_of_them(history: History) -> None:
    found = recipe(history)
    assert "alternated" not in render_session_script("run.sh", found) + render_session_script(
        "README.txt", found
    )


def test_places_are_variables(history: History) -> None:
    script = render_session_script("run.sh", recipe(history))
    for line in ("basedir=$BASE", "datadir=$WORK/data", "socket=$PRIVATE/s", "skip-networking"):
        assert f"\n{line}\n" in script
    assert PLACE not in script and "user=root\nEND" not in script
    assert "SERVER=${SERVER:-$BASE/sbin/mariadbd}" in script and "try 'RESET MASTER'" in script


def test_settling_is_the_statements_of_the_agent(history: History) -> None:
    settle = Step(name="settle", kind="settle", cap_s=60)
    lines = sequence(check(render_session_script("run.sh", recipe(history, DRIVE, settle))))
    assert lines[1:] == [
        "begin 02-settle",
        "try 'SET GLOBAL innodb_max_dirty_pages_pct_lwm=0'",
        "try 'SET GLOBAL innodb_max_dirty_pages_pct=0'",
        "try 'SET GLOBAL innodb_io_capacity=2000'",
        "settle 60",
        "try 'SET GLOBAL innodb_io_capacity=200'",
        "try 'SET GLOBAL innodb_max_dirty_pages_pct=90.000000'",
        "try 'SET GLOBAL innodb_max_dirty_pages_pct_lwm=0.000000'",
        "finish 02-settle",
    ]


def test_tables_are_analysed_as_by_the_agent(history: History) -> None:
    load = Step(name="load", kind="load", lua="load.lua", analyse=True)
    script = check(render_session_script("run.sh", recipe(history, load, DRIVE)))
    assert '        sql "ANALYZE NO_WRITE_TO_BINLOG TABLE dyno.$table" >>' in script
    assert sequence(script)[1:3] == ["need_tables", "analyse 01-load"]


def test_memtables_are_written_before_tables_are_analysed(history: History) -> None:
    load = Step(name="load", kind="load", lua="load.lua", analyse=True)
    lines = sequence(check(render_session_script("run.sh", recipe(history, load, engine="rocksdb"))))
    assert lines[2:] == ["try 'SET GLOBAL rocksdb_force_flush_memtable_now=1'", "analyse 01-load"]


@pytest.mark.parametrize("engine", ["rocksdb", "myisam", "aria", "mroonga"])
def test_every_engine_settles(history: History, engine: str) -> None:
    script = check(
        render_session_script(
            "run.sh", recipe(history, Step(name="s", kind="settle", cap_s=9), DRIVE, engine=engine)
        )
    )
    assert "is_written() {" in script and "innodb_max_dirty" not in script


@pytest.mark.parametrize(("engine", "needed"), [("innodb", 2), ("archive", 1)])
def test_an_engine_without_facts_may_lack_an_index(history: History, engine: str, needed: int) -> None:
    steps = [Step(name=kind, kind=kind, lua=f"{kind}.lua") for kind in ("load", "index")]
    assert (
        sequence(render_session_script("run.sh", recipe(history, *steps, engine=engine))).count("need_tables")
        == needed
    )


def test_what_a_sweep_asks_for_is_brought_about_and_put_back(history: History) -> None:
    steps = [
        replace(DRIVE, name="a", variables={"sort_buffer_size": "4M"}, cores="0-1", load_cores="2"),
        replace(DRIVE, name="b", restart_with={"table_open_cache": 10}),
        replace(DRIVE, name="c"),
    ]
    lines = sequence(check(render_session_script("run.sh", recipe(history, *steps))))
    others = [line for line in lines if not line.startswith("drive ")]
    assert others == [
        "sql 'SET GLOBAL sort_buffer_size=4194304'",
        "move_server 0-1",
        "sql 'SET GLOBAL sort_buffer_size=2097152'",
        "try 'SET GLOBAL innodb_fast_shutdown=0'",
        "restart --table-open-cache=10",
        "try 'SET GLOBAL innodb_fast_shutdown=0'",
        "restart",
    ]
    assert lines[2].startswith("drive 01-a 2 read.lua")


def test_key_caches_of_myisam(history: History) -> None:
    steps = [replace(DRIVE, key_caches=True), replace(DRIVE, name="after")]
    lines = sequence(render_session_script("run.sh", recipe(history, *steps, engine="myisam", tables=1)))
    assert lines[:2] == [
        "sql 'SET GLOBAL sbtest1.key_buffer_size=134217728'",
        "sql 'CACHE INDEX dyno.sbtest1 IN sbtest1'",
    ]
    assert "sql 'SET GLOBAL sbtest1.key_buffer_size=0'" in lines


def test_the_memory_of_the_server_is_as_it_was(history: History) -> None:
    asked = replace(
        journals.contender(), allocator="/lib/my jemalloc.so", numa="interleave=all", memory_limit=4096
    )
    keep(history, replace(asked, cores="0-1"))
    script = check(render_session_script("run.sh", read_recipe(history, "last")))
    line = next(line for line in script.splitlines() if line.startswith("    exec "))
    assert line == (
        '    exec taskset -c 0-1 systemd-run "$MANAGER" --scope --quiet --collect -p MemoryMax=4096'
        ' -p MemorySwapMax=0 -- numactl --interleave=all env LD_PRELOAD="$ALLOCATOR"'
        ' "$SERVER" --defaults-file="$WORK/my.cnf" "$@"'
    )
    assert "ALLOCATOR=${ALLOCATOR:-'/lib/my jemalloc.so'}" in script
    assert [line for line in script.splitlines() if line.startswith("need ")] == [
        "need sysbench", "need taskset", "need systemd-run", "need numactl",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("family", "version", "told"),
    [
        ("MariaDB", VERSION, "--bootstrap"),
        ("MySQL", "5.6.24", "--bootstrap"),
        ("MySQL", "8.4.2", "--initialize-insecure"),
    ],
)
def test_system_tables_are_made_as_the_build_knows(
    history: History, family: str, version: str, told: str
) -> None:
    contender = replace(journals.contender(), family=family, version=version)
    keep(history, contender)
    script = check(render_session_script("run.sh", read_recipe(history, "last")))
    assert told in script
    assert ("RESET BINARY LOGS AND GTIDS" in script) == (version == "8.4.2")


def test_over_loopback_a_password_is_made_up_there(history: History) -> None:
    own = OWN.replace("skip-networking", "port=4711\nbind-address=127.0.0.1")
    script = check(render_session_script("run.sh", recipe(history, own=own, transport="loopback")))
    assert "port=$PORT" in script and "4711" not in script and "/dev/urandom" in script


STUBS = {  # what a script calls: nothing is started, what sysbench was told is kept
    "bin/mariadb": "exit 0",
    "server": """case $* in *--bootstrap*) cat >/dev/null ;; *) exec sleep 60 ;; esac""",
    "tools/taskset": "exit 0",
    "tools/sysbench": """printf '%s\\0' "$@" >>"$TOLD\"""",
}


def play(folder: Path, shell: str, base: Path) -> list[str]:
    """Carry a script out with stubs; the words that its sysbench got."""
    for name, text in STUBS.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(f"#!/bin/sh\n{text}\n")
        (base / name).chmod(0o755)
    told, work = base / f"told-{shell}", base / f"work-{shell}"
    places = {"BASE": base, "SERVER": base / "server", "WORK": work, "TOLD": told}
    environment = {
        "PATH": f"{base}/tools:/usr/bin:/bin",
        **{name: str(path) for name, path in places.items()},
    }
    done = subprocess.run(
        [shell, folder / "run.sh"], env=environment, capture_output=True, text=True, cwd="/", timeout=30
    )
    assert done.returncode == 0, done.stderr
    return told.read_text().split("\0")


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_nothing_of_a_session_is_another_thing_to_the_shell(
    history: History, tmp_path: Path, shell: str
) -> None:
    """Names that would make a file, wherever names can be; and they arrive as they are."""
    marker = tmp_path / "evil"
    touch = f"touch {marker}"
    evil = f"a'b $({touch}) `{touch}` \"\nEND\n{touch}\n"
    step = replace(DRIVE, name=evil, options={"text": evil}, variables={evil: evil})
    contender = replace(
        journals.contender(), name=evil, preset=evil, base=f"/no/{evil}", server=f"/no/{evil}/s"
    )
    own = f"{OWN}loose=$({touch})\nEND\n{touch}\n"
    keep(history, contender, step, own=own, sequence=evil, target=evil)
    words = play(write_script(history, "last", tmp_path / "out"), shell, tmp_path / "base")
    assert not marker.exists() and f"--text={evil}" in words
    assert f"loose=$({touch})\n" in (tmp_path / "base" / f"work-{shell}" / "my.cnf").read_text()


def test_the_folder_has_all_that_is_needed(history: History, tmp_path: Path) -> None:
    its_plan = keep(history, journals.contender(), files={"workloads/read.lua": "-- this", "sequences/a": ""})
    folder = write_script(history, "last", tmp_path / "out")
    assert sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()) == [
        "README.txt", "lua/read.lua", "my.cnf", "run.sh",
    ]  # fmt: skip
    assert (folder / "my.cnf").read_text() == its_plan.contenders[0].cnf
    told = (folder / "README.txt").read_text()
    assert "f" * 64 in told and "a CPU" in told and its_plan.turns[0].session in told
    with pytest.raises(InputError, match="exists already"):
        write_script(history, "last", folder)


def test_what_dyno_did_not_carry_out_is_refused(history: History, tmp_path: Path) -> None:
    import_shipped(history)
    published = sessions(history)[0]["id"]
    with pytest.raises(InputError, match="is imported: Dyno has no plan"):
        write_script(history, published, tmp_path / "out")
    its_plan = journals.plan()
    maker = journals.Maker(its_plan).begin().end("failed", "no server")
    JournalStorer(history).append(its_plan.id, its_plan.turns[0].session, 0, maker.raw)
    with pytest.raises(InputError, match="ended before its server started"):
        write_script(history, its_plan.turns[0].session, tmp_path / "out")
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".out*"))


def test_of_several_sessions_those_that_can_be(history: History, tmp_path: Path) -> None:
    import_shipped(history)
    published = sessions(history)[0]["id"]
    own = keep(history, journals.contender()).turns[0].session
    problems = write_scripts(history, {"mine/1": own, "theirs": published}, tmp_path / "all")
    assert len(problems) == 1 and (tmp_path / "all" / "mine-1" / "run.sh").exists()
    with pytest.raises(InputError, match="is imported"):
        write_scripts(history, {"theirs": published}, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_report_has_the_script_of_its_base_in_it(history: History) -> None:
    keep(history, replace(journals.contender(), name="<b>mine</b>"))
    html = to_html(read_report(history, ["last"]))
    assert "<summary>The script of &lt;b&gt;mine&lt;/b&gt;-1</summary>" in html
    assert "drive 01-read all read.lua" in html and "$WORK/results" in html


def test_the_command_says_where_it_is(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with History(dyno_home) as history:
        keep(history, journals.contender())
    assert main(["session", "script", "last", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'run.sh'}\n"
    assert main(["session", "script", "last", "--out", str(tmp_path / "out")]) == 2
    assert "exists already" in capsys.readouterr().err
