"""Conditions of consistency in real sessions: asked when they should be, and violated ones found."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.mysql import Client, QueryError
from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.history.steps.conditions import conditions_text
from app.protocol.events import Fact, MomentEvent, SessionEnded, StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.planted import socket_of
from tests.plans import write
from tests.sequences import own_sequence
from tests.waiting import wait_until

LOAD = 'workload = "accounts-load"'
DRIVE = 'workload = "accounts"\nevents = 200\nwarmup = 0\nthreads = [4]'
PLANTED = 'workload = "planted"\nevents = 1\nthreads = [1]'
HELD = "3 conditions held after the load"


def keep_steps(desktop: Desktop, *steps: str) -> None:
    write(desktop.home / "sequences/mine.toml", own_sequence("mine", *steps, tables=2))


def plant(desktop: Desktop, statement: str) -> None:
    """A workload whose one event sends a statement."""
    own = desktop.home / "workloads"
    lua = 'local dyno = require("dyno")\ndyno.declare({})\nfunction dyno.prepare() end\n'
    write(own / "planted-sql.lua", lua + f'function event()\n   dyno.set_up("{statement}")\nend\n')
    write(
        own / "planted-sql.toml",
        'name = "planted-sql"\ntitle = "t"\nkind = "drive"\nlua = "planted-sql.lua"\nwrites = true\n'
        'needs = ["accounts"]\n',
    )
    catalog = Catalog(desktop.home)
    sha256 = hash_of(catalog.workload_files(catalog.workload("planted-sql")))
    desktop.dyno("workload", "approve", "planted-sql", sha256)


def carried_out(desktop: Desktop, engine: str = "innodb", code: int = 0, **more: object) -> list[Any]:
    """The events of the session of the sequence."""
    words = desktop.plan(f"{MARIADB}:{engine}", rows=500, **more)
    words[words.index("tiny")] = "mine"
    desktop.dyno("run", *words, "--allow-busy", code=code)
    return list(desktop.events(max(each["id"] for each in desktop.sessions())))


def asked(events: list[Any]) -> list[tuple[str, Any]]:
    return [
        (each.when, each.value) for each in events if isinstance(each, Fact) and each.name == "conditions"
    ]


def names_of(events: list[Any]) -> list[str]:
    """Restarts, checks and ends of steps, in their order."""
    moments = ("restarted", "conditions")
    found = [each for each in events if isinstance(each, StepEnded) or getattr(each, "name", "") in moments]
    return [
        each.name if isinstance(each, MomentEvent) else "step" for each in found if not isinstance(each, Fact)
    ]


@pytest.mark.parametrize("engine", ["innodb", pytest.param("rocksdb", marks=pytest.mark.full)])
def test_conditions_hold_after_the_load_and_after_the_last_step(desktop: Desktop, engine: str) -> None:
    keep_steps(desktop, f"{LOAD}\nsettle_after = true", DRIVE)
    events = carried_out(desktop, engine)
    assert [when for when, _ in asked(events)] == ["loaded", "ended"]
    for _, found in asked(events):
        assert (found["conditions"], found["problem"], found["unknown"]) == (3, "", "")
        assert list(found["held"]) == ["accounts", "tellers", "history"]
        assert 0 <= sum(found["held"].values()) <= found["seconds"]
    assert names_of(events) == ["step", "step", "conditions", "restarted", "step", "conditions"]
    text = "3 conditions held after the load and after the last step"
    shown = desktop.json("session", "show", "last")["conditions"]
    assert conditions_text(shown) == text
    assert f"conditions: {text}" in desktop.dyno("session", "show", "last").stdout
    assert "start: freshly loaded, server restarted" in desktop.dyno("session", "show", "last").stdout
    report = (desktop.home / "out.html").resolve()
    desktop.dyno("report", "last", "--out", str(report))
    assert text in report.read_text()


@pytest.mark.parametrize(
    ("statement", "name", "row"),
    [
        ("update account set balance = balance + 5 where id = 7", "accounts", "accounts=5, branches=0"),
        ("delete from history where id = 1", "history", "teller_id="),
        pytest.param(
            "update teller set balance = balance - 3 where id = 2",
            "tellers",
            "branch_id=1, branch=0, tellers=-3",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "update branch set balance = 1 where id = 2",
            "accounts",
            "accounts=0, branches=1",
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_planted_violation_of_each_condition_is_found(
    desktop: Desktop, statement: str, name: str, row: str
) -> None:
    plant(desktop, statement)
    before = (DRIVE,) if name == "history" else ()
    keep_steps(desktop, LOAD, *before, PLANTED.replace('"planted"', '"planted-sql"'))
    events = carried_out(desktop, code=1)
    ended = events[-1]
    assert isinstance(ended, SessionEnded) and ended.outcome == "failed"
    assert f"after the last step: condition {name} (" in ended.reason
    assert f") is violated: {row}" in ended.reason and len(ended.reason) < 250
    said = ended.reason.replace("last step:", "last step")
    text = desktop.dyno("session", "show", "last").stdout
    assert ended.reason in text and f"{HELD}; {said}" in text
    assert desktop.sessions()[0]["reason"] == ended.reason
    assert all(each.outcome == "completed" for each in events if isinstance(each, StepEnded))


def test_a_checked_step_is_marked_and_ends_a_session_that_it_spoiled(desktop: Desktop) -> None:
    plant(desktop, "update teller set balance = balance + 1 where id = 1")
    own = PLANTED.replace('"planted"', '"planted-sql"')
    last = f'{DRIVE}\nname = "last"'
    keep_steps(desktop, LOAD, f"{DRIVE}\ncheck = true", f"{own}\ncheck = true", last)
    events = carried_out(desktop, code=1)
    assert [when for when, _ in asked(events)] == ["loaded", "accounts threads=4", "planted-sql threads=1"]
    assert events[-1].reason.startswith("after planted-sql threads=1: condition tellers (")
    ends = [each for each in events if isinstance(each, StepEnded)]
    assert ["checked" in each.marks for each in ends] == [False, True, True]
    assert names_of(events).count("restarted") == 1
    text = desktop.dyno("session", "show", "last").stdout
    assert f"{HELD} and after accounts threads=4; after planted-sql threads=1 condition tellers" in text
    assert "checked: conditions of consistency were asked after it" in text


def test_tables_that_are_made_anew_are_checked_before(desktop: Desktop) -> None:
    again = f'{LOAD}\nname = "again"\noptions = {{secondary_keys = true}}'
    keep_steps(desktop, LOAD, DRIVE, again, f'{DRIVE}\nname = "keys"')
    found = [when for when, _ in asked(carried_out(desktop))]
    assert found == ["loaded", "accounts threads=4", "loaded", "ended"]


@pytest.mark.full
def test_a_session_from_a_snapshot_checks_its_end_alone(desktop: Desktop) -> None:
    keep_steps(desktop, LOAD, DRIVE)
    first = carried_out(desktop, start_state="snapshot")
    assert [when for when, _ in asked(first)] == ["loaded", "ended"]
    assert names_of(first) == ["step", "conditions", "step", "step", "conditions"]  # the snapshot restarts it
    again = carried_out(desktop, start_state="snapshot")
    assert [when for when, _ in asked(again)] == ["ended"]
    assert conditions_text(desktop.json("session", "show", "last")["conditions"]).startswith(
        "3 conditions held"
    )


@pytest.mark.full
def test_a_script_asks_the_same_conditions(desktop: Desktop, tmp_path: Path) -> None:
    keep_steps(desktop, LOAD, DRIVE)
    carried_out(desktop)
    desktop.dyno("session", "script", "last", "--out", str(tmp_path / "again"))
    script = tmp_path / "again" / "run.sh"
    text = script.read_text()
    assert [text.count(f"\nholds {name} ") for name in ("accounts", "tellers", "history")] == [2, 2, 2]
    assert text.count("\nrestart\n") == 1
    done = subprocess.run(["sh", str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "done: results are in" in done.stdout, done.stderr
    spoiled = text.replace("\nrestart\n", "\nsql 'UPDATE dyno.teller SET balance = 1'\n")
    script.write_text(spoiled.replace('"$HERE/work"', '"$HERE/other"'))
    done = subprocess.run(["sh", str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "run.sh: condition accounts" not in done.stderr
    assert "run.sh: condition tellers (the balances of its tellers add up" in done.stderr


def ask(desktop: Desktop, condition: str) -> None:
    """A load of rows 1 to 100 with a condition, and a step that adds row 1000."""
    before, after = "declare\n  next seq 1 2000000000\n", "begin\n  insert into t values (1000);\nend\n"
    made = "tables\n  create table t (id int not null primary key);\nfill\n  insert into t values (:next);\n"
    keys = 'title = "t"\nsql = "fill.sql"\n'
    asked_for = f'[[condition]]\nname = "1"\ntitle = "there is no gap"\nsql = "{condition}"\n'
    own = desktop.home / "workloads"
    write(own / "fill.sql", before + made + after)
    write(own / "fill.toml", f'name = "fill"\nkind = "load"\nunit = "rows/s"\n{keys}\n{asked_for}')
    write(own / "add.toml", f'name = "add"\nkind = "drive"\n{keys}')
    keep_steps(desktop, 'workload = "fill"', 'workload = "add"\nevents = 1\nwarmup = 0\nthreads = [1]')


def test_a_condition_that_the_server_refuses_fails_the_session(desktop: Desktop) -> None:
    ask(desktop, "SELECT id FROM nowhere")
    reason = carried_out(desktop, code=1)[-1].reason
    expected = "after the load: condition 1 (there is no gap) cannot be asked: 1146 Table 'dyno.nowhere'"
    assert reason.startswith(expected)


def is_asked(desktop: Desktop) -> bool:
    """Whether the server carries out a condition, by the state that SLEEP has."""
    try:
        with closing(Client(str(socket_of(desktop.server_pid())))) as client:
            return "User sleep" in [row["state"] for row in client.query("SHOW PROCESSLIST")]
    except (OSError, StopIteration, QueryError):  # it does not run yet, or is restarted
        return False


@pytest.mark.full
@pytest.mark.parametrize(
    ("when", "words", "end"),
    [
        ("loaded", ("stop",), ("stopped", "asked for by a person")),
        ("ended", ("stop", "--session"), ("stopped", "asked for by a person")),
        ("ended", ("skip",), ("completed", "")),
    ],
)
def test_a_request_in_a_check_ends_it_within_seconds(
    desktop: Desktop, when: str, words: tuple[str, ...], end: tuple[str, str]
) -> None:
    above = {"loaded": 0, "ended": 500}[when]  # what a condition asks of the row that the step adds
    ask(desktop, f"SELECT id FROM t WHERE id > {above} AND SLEEP(300)")
    plan = desktop.plan(f"{MARIADB}:innodb", rows=100)
    plan[plan.index("tiny")] = "mine"
    running = desktop.begin("run", *plan, "--allow-busy")
    wait_until(lambda: is_asked(desktop), "the condition is asked", 120)
    desktop.dyno(*words)
    assert running.wait(40) == (end[0] == "stopped")
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["reason"]) == end
    assert desktop.server_pid() == 0 and not list(desktop.target.glob("sessions/*/data"))
    unknown = [
        (at, found["unknown"]) for at, found in asked(desktop.events(entry["id"])) if not found["held"]
    ]
    assert unknown == ([("ended", "skipped by a person")] if words == ("skip",) else [])
