"""What people read of sequences and plans before they start one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli import main
from app.cli.plan_text import show_plan, show_plan_in_brief
from app.planner.estimate.estimate import estimate
from tests.plans import plan, survey, write
from tests.sequences import ROLES, TOGETHER, keep_own

SEQUENCE = """
name = "own"
title = "Mine"
threads = [1, 2]
warmup = 3

[[step]]
workload = "load"
settle_after = true

[[step]]
workload = "index"

[[step]]
kind = "settle"
cap_s = 90

[[step]]
workload = "point-query"
seconds = 7
warm = true
settle_before = true

[[step]]
name = "more"
workload = "insert"
events = 1000
threads = 4
"""


def test_a_sequence_tells_how_each_step_is_driven(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(dyno_home / "sequences/own.toml", SEQUENCE)
    assert main(["sequence", "show", "own"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Mine; the plan sets the rest"
    assert lines[1].endswith(" a contender, unchanged, with InnoDB")
    found = [" ".join(line.split()) for line in lines[3:]]
    assert found == [
        "step workload threads warm-up bounded by options besides",
        "load load its work settles after",
        "index index its work",
        "settle settle its work, 90 s at most",
        "point-query point-query 1, 2 3 s 7 s warm: stored, never compared, settles before",
        "more insert 4 0 s 1,000 events",
    ]


def test_what_is_left_open_is_the_plans(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sequence", "show", "quick"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "insert insert 1 the plan the plan" in lines


def test_sequences_are_listed_by_study_with_the_time_they_take(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(dyno_home / "sequences/own.toml", SEQUENCE)
    write(dyno_home / "sequences/all.toml", SEQUENCE.replace('"own"', '"all"\nrows = "3x memory"'))
    write(dyno_home / "sequences/many.toml", SEQUENCE.replace('"own"', '"many"\ntables = 60'))
    assert main(["sequence", "list"]) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()[1:]]
    studies = [row[0] for row in rows]
    assert studies[0] == "Dyno" and studies[-3:] == ["Own"] * 3 and len(set(studies)) < len(studies)
    assert main(["sequence", "list", "--json"]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert found["all"]["takes_s"] is None  # only a target knows its memory
    assert found["many"]["takes_s"] > found["own"]["takes_s"] + 60  # its tables are loaded
    assert found["duel"]["study"] == "Dyno" and found["duel"]["about"]
    assert 6 * (5 + 1) < found["duel"]["takes_s"] < 90  # its declared seconds, and the rest guessed


def test_a_workload_says_what_it_needs_before_its_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workload", "show", "update-index"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "write-heavy, in queries/s; writes; needs tables and index"
    assert lines[3] == "-- workloads/update-index.toml"
    assert main(["workload", "show", "update-index", "--json"]) == 0
    assert "workloads/update.lua" in json.loads(capsys.readouterr().out)["files"]
    assert main(["workload", "show", "text-index"]) == 0
    second = capsys.readouterr().out.splitlines()[1]
    assert second == "text-search, in s; writes; needs texts; for innodb from 5.6 on and myisam"


def test_the_dry_run_tells_the_warm_up(capsys: pytest.CaptureFixture[str]) -> None:
    made = plan(seconds=60, warmup=7)
    show_plan(made, estimate(made, survey()))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "step kind threads warm-up bounded by options" in lines
    assert any(line.startswith("point-query drive 2 7 s ") for line in lines)
    assert any(line.startswith("index index 2 its work") for line in lines)


def roles(dyno_home: Path) -> str:
    return keep_own(dyno_home, ROLES, "cap_s = 90\n" + TOGETHER, top="rows = 1000\n")


def test_a_sequence_tells_the_roles_of_a_step(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sequence", "show", roles(dyno_home)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[-7:] == [
        "qr100 3 roles the plan 0 s its roles 3600 s at most, its figure is that of reader",
        "- reader read-only point_selects=3",
        "- inserter insert 100 events/s each-second, 6,000 events, needs 95% of its rate and p99 under 50 ms",
        "- remover delete-each at most 8 behind inserter",
        "together 2 roles the plan the plan the plan 90 s at most, its figure is that of reader",
        "- reader point-query",
        "- writer update-index 3 threads, 10 events/s",
    ]
    assert main(["sequence", "show", "own", "--json"]) == 0
    step = json.loads(capsys.readouterr().out)["steps"][2]
    assert [role["name"] for role in step["role"]] == ["inserter", "reader", "remover"]
    assert step["role"][0]["level"] == {"rate": 95, "p99_ms": 50} and step["figure"] == "reader"


def test_the_dry_run_tells_the_roles_of_a_step(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = plan(sequence=roles(dyno_home), seconds=60, warmup=7, threads=(2,))
    show_plan(made, estimate(made, survey()))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    found = {line.split(" rand_type")[0] for line in lines}
    assert {
        "qr100 (reader) drive 2 the others, 3600 s at most",
        "qr100.inserter drive 2 100 events/s each-second, 6,000 events, needs 95% of its rate"
        " and p99 under 50 ms",
        "qr100.remover drive 2 at most 8 behind inserter",
        "together (reader) drive 2 7 s 60 s, 90 s at most",
        "together.writer drive 3 7 s the others, 10 events/s poisson",
    } <= found
    show_plan_in_brief(made, estimate(made, survey()))
    assert "measures load, index, qr100, together on" in " ".join(capsys.readouterr().out.split())
