"""Output of sysbench 1.0.20 as it was written: figures, seconds, folders, and what is no output."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.compare import compare
from app.errors import InputError
from app.foreign.sysbench import _reported, is_output, read_folder, read_output
from app.history.figures import steps
from app.history.history import History
from app.history.series import series
from app.history.sessions import sessions
from app.history.taking_in import take_in

DATA = Path(__file__).parents[2] / "data" / "sysbench"


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "innodb-8.0"
    shutil.copytree(DATA, made)
    return made


def test_the_figures_are_those_of_its_end() -> None:
    session = read_output(DATA / "read-only.txt")
    (step,) = session.steps
    assert (session.name, step.step.name, step.step.threads) == ("read-only", "read-only", 2)
    assert (step.value, step.seconds) == (4816.12, 4.0029)
    assert step.totals == {
        "reads": 0, "writes": 0, "other": 19280, "transactions": 1205, "queries": 19280, "errors": 0,
        "reconnects": 0, "events": 1205,
    }  # fmt: skip
    assert step.latency_ms == {"min": 0.01, "avg": 0.16, "max": 33.66, "p95": 0.14}
    assert [each.values for each in step.reported][:2] == [
        (4237.07, 264.82, 0.0, 0.13), (4833.19, 302.07, 0.0, 0.10),
    ]  # fmt: skip


def test_a_percentile_is_the_one_that_was_asked_for() -> None:
    (step,) = read_output(DATA / "point-select.txt").steps
    assert "p99" in step.latency_ms and "p95" not in step.latency_ms
    assert {each.values[3] for each in step.reported} == {None}


def test_an_interval_of_few_events_has_no_percentile() -> None:
    line = "[ {}s ] thds: 1 tps: {} qps: 9.00 (r/w/o: 9.00/0.00/0.00) lat (ms,95%): 0.13 err/s: 0.00"
    text = "\n".join(line.format(*each) for each in ((1, "20.00"), (2, "19.00")))
    assert [each.values[3] for each in _reported(text)] == [0.13, None]


def test_seconds_are_kept_where_there_are_any(history: History) -> None:
    taken = take_in(history, DATA / "read-only.txt")
    (entry,) = sessions(history)
    assert entry["id"] == taken.sessions[0].session and entry["imported"] and not entry["published"]
    found = series(history, entry["id"], "read-only", threads=2)
    assert found["s"] == [0, 1, 2, 3] and found["values"] == [4237.07, 4833.19, 5263.95, 4943.95]
    (step,) = steps(history, entry["id"])
    assert (step["value"], step["queries"], step["latency_ms"]["p95"]) == (4816.12, 19280, 0.14)


def test_a_folder_is_a_session(history: History, folder: Path) -> None:
    (folder / "notes.txt").write_text("the fan was loud\n")
    taken = take_in(history, folder)
    assert taken.problems == ("notes.txt is not read: it is no output of sysbench",)
    assert [each.new for each in taken.sessions] == [True]
    (entry,) = sessions(history)
    assert entry["name"] == "innodb-8.0"
    assert [(step["name"], step["coordinates"]) for step in steps(history, entry["id"])] == [
        ("point-select", {"threads": 4}), ("read-only", {"threads": 2}),
    ]  # fmt: skip
    assert [each.new for each in take_in(history, folder).sessions] == [False]


def test_two_folders_are_compared(history: History, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "myrocks"
    shutil.copytree(folder, other)
    text = (other / "read-only.txt").read_text().replace("(4816.12 per sec.)", "(2408.06 per sec.)")
    (other / "read-only.txt").write_text(text)
    for each in (folder, other):
        take_in(history, each)
    found = compare(history, ["innodb-8.0", "myrocks"])
    assert {row["workload"]: row["relative"][1] for row in found["rows"]} == {
        "point-select": 1.0, "read-only": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "step", "engine"),
    [
        ("sb.o.nt2.nr80000000.range10000.innodb.read-only.pre", "read-only.pre.range10000", "innodb"),
        ("sb.o.nt2.nr80000000.range100.rocksdb.update-index", "update-index", "rocksdb"),
        ("sb.o.point-query.pre.range100.pk1.dop2", "point-query.pre", ""),
        ("sb.o.read-write.range100.pk1.dop2", "read-write.range100", ""),
    ],
)
def test_folders_of_small_datum(tmp_path: Path, name: str, step: str, engine: str) -> None:
    shutil.copy(DATA / "read-only.txt", tmp_path / name)
    (tmp_path / name.replace("sb.o.", "sb.vm.")).write_text("procs ---memory---\n")
    found = read_folder(tmp_path)
    assert [each.step.name for each in found.session.steps] == [step] and found.problems == []
    assert found.session.contender == ({"engine": engine} if engine else {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("queries:      ", "questions:    "), "no line 'queries'"),
        (("Number of threads: 2", "Threads: 2"), "no line 'Number of threads'"),
        (("Threads started!", "FATAL: error 1045: Access denied"), "sysbench has failed: FATAL: error 1045"),
        (("sysbench 1.0.20", "bench"), "it is no output of sysbench"),
    ],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text().replace(*change))
    with pytest.raises(InputError, match=said):
        read_output(file)


def test_two_runs_in_one_file_are_not_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text() * 2)
    with pytest.raises(InputError, match="more than one run"):
        read_output(file)


def test_the_end_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text().partition("SQL statistics")[0])
    assert is_output(file)
    with pytest.raises(InputError, match="the end is missing"):
        read_output(file)


def test_a_folder_with_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no output of sysbench"):
        read_folder(tmp_path)
    (tmp_path / "a.txt").write_text("no")
    with pytest.raises(InputError, match=r"a\.txt is not read"):
        read_folder(tmp_path)
