"""Output of sysbench: as 1.0.20 wrote it, as others lay it out; seconds, folders, and what is no output."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.history.exchange.import_any import import_any
from app.history.lists.sessions import sessions
from app.history.steps.figures import steps
from app.history.steps.series import series
from app.history.store.history import History
from app.imported.outputs import read_output, read_output_folder
from app.imported.sysbench import is_sysbench_output, parse_sysbench_output

DATA = Path(__file__).parents[2] / "data" / "sysbench"
LAYOUTS = DATA.with_name("sysbench_layouts")  # one run, as other versions print it


@pytest.fixture
def sysbench_folder(tmp_path: Path) -> Path:
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
        (4237.07, 0.0, 0.0, 4237.07, 264.82, 0.0, 0.13), (4833.19, 0.0, 0.0, 4833.19, 302.07, 0.0, 0.10),
    ]  # fmt: skip


def test_a_percentile_is_the_one_that_was_asked_for() -> None:
    (step,) = read_output(DATA / "point-select.txt").steps
    assert "p99" in step.latency_ms and "p95" not in step.latency_ms
    assert {each.values[-1] for each in step.reported} == {None}


def test_an_interval_of_few_events_has_no_percentile() -> None:
    text = (DATA / "read-only.txt").read_text().replace("tps: 302.07", "tps: 19.00")
    assert [each.values[-1] for each in parse_sysbench_output(text, "a").reported] == [0.13, None, 0.3, 0.06]


@pytest.mark.parametrize("version", ["0.4.12", "0.5", "1.1.0"])
def test_every_version_is_read(version: str) -> None:
    """0.4 and 0.5 print no QPS: it is all queries over the time."""
    (step,) = read_output(LAYOUTS / f"{version}.txt").steps
    assert step.value == pytest.approx(4816.12, rel=1e-4) and step.seconds == 4.0029
    counts = {"reads": 16870, "writes": 0, "other": 2410, "transactions": 1205, "queries": 19280, "errors": 0}
    assert counts.items() <= step.totals.items() and step.totals["events"] == 1205
    assert step.latency_ms == {"min": 0.01, "avg": 0.16, "max": 33.66, "p95": 0.14}


def test_what_a_version_does_not_print_of_a_second_is_missing() -> None:
    """0.5 tells reads and writes, neither other statements nor all of them; 0.4 no seconds at all."""
    reported = {each: read_output(LAYOUTS / f"{each}.txt").steps[0].reported for each in ("0.4.12", "0.5")}
    assert reported["0.4.12"] == ()
    assert [each.t for each in reported["0.5"]] == [1.0, 2.0, 3.0, 4.0]
    assert reported["0.5"][0].values == (None, 3707.48, 0.0, None, 264.82, 0.0, 0.13)


def test_seconds_are_kept_where_there_are_any(history: History) -> None:
    taken = import_any(history, DATA / "read-only.txt")
    (entry,) = sessions(history)
    assert entry["id"] == taken.sessions[0].session and entry["imported"] and not entry["published"]
    found = series(history, entry["id"], "read-only", threads=2)
    assert found["s"] == [0, 1, 2, 3] and found["values"] == [4237.07, 4833.19, 5263.95, 4943.95]
    (step,) = steps(history, entry["id"])
    assert (step["value"], step["queries"], step["latency_ms"]["p95"]) == (4816.12, 19280, 0.14)


def test_a_folder_is_a_session(history: History, sysbench_folder: Path) -> None:
    (sysbench_folder / "notes.txt").write_text("the fan was loud\n")
    taken = import_any(history, sysbench_folder)
    assert taken.problems == ("skipped notes.txt: it is not sysbench output",)
    assert [each.new for each in taken.sessions] == [True]
    (entry,) = sessions(history)
    assert entry["name"] == "innodb-8.0"
    assert [(step["name"], step["coordinates"]) for step in steps(history, entry["id"])] == [
        ("point-select", {"threads": 4}), ("read-only", {"threads": 2}),
    ]  # fmt: skip
    assert [each.new for each in import_any(history, sysbench_folder).sessions] == [False]


def test_two_folders_are_compared(history: History, sysbench_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "myrocks"
    shutil.copytree(sysbench_folder, other)
    text = (other / "read-only.txt").read_text().replace("(4816.12 per sec.)", "(2408.06 per sec.)")
    (other / "read-only.txt").write_text(text)
    for each in (sysbench_folder, other):
        import_any(history, each)
    found = compare(history, ["innodb-8.0", "myrocks"])
    assert {row.workload: row.cells[1].relative for row in found.rows} == {
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
    found = read_output_folder(tmp_path)
    assert [each.step.name for each in found.session.steps] == [step] and found.problems == []
    assert found.session.contender == ({"engine": engine} if engine else {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("        total: ", "        sum:   "), "no line 'queries performed': the test used no database"),
        (("total time:", "time in all:"), "no line 'total time': the end of the output is missing"),
        (("time:                          4.0029s", "time:       0.0000s"), "its total time is 0"),
        (("Number of threads: 2", "Threads: 2"), "no line 'Number of threads'"),
        (("Number of threads: 2", "Number of threads: 0"), "its number of threads is 0"),
        (("total time:                          4.0029s", "total time:  4.0.29s"), "4.0.29 is not a number"),
        (("Number of threads: 2", f"Number of threads: {'9' * 5000}"), "999 is not a number"),
        (("(4816.12 per sec.)", f"({'9' * 400} per sec.)"), "999 is not a number"),
        (("[ 2s ] thds: 2 tps: 302.07", "[ 2s ] thds: 2 tps: 3.0.2"), "3.0.2 is not a number"),
        (("[ 2s ] thds", "[ 99999999999999s ] thds"), "99999999999999 s is too long"),
        (
            ("time:                          4.0029s", "time:  1000001s"),
            "1000001 s is too long for a test, at most 1,000,000 s",
        ),
        (("Number of threads: 2", "Number of threads: \u0662"), "no line 'Number of threads'"),
        (("Threads started!", "FATAL: error 1045: Access denied"), "sysbench failed: FATAL: error 1045"),
        (("sysbench 1.0.20", "bench"), "it is not sysbench output"),
    ],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text().replace(*change))
    with pytest.raises(InputError, match=said):
        read_output(file)


def test_a_pipe_in_a_folder_is_passed_over(sysbench_folder: Path) -> None:
    os.mkfifo(sysbench_folder / "pipe.txt")
    assert read_output_folder(sysbench_folder).problems == ["skipped pipe.txt: it is not a regular file"]


def test_two_runs_in_one_file_are_not_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text() * 2)
    with pytest.raises(InputError, match="one run per file"):
        read_output(file)


def test_the_end_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text((DATA / "read-only.txt").read_text().partition("SQL statistics")[0])
    assert is_sysbench_output(file)
    with pytest.raises(InputError, match="the end of the output is missing"):
        read_output(file)


def test_a_scan_of_small_datum_is_told_in_rows(tmp_path: Path) -> None:
    """As its own summary does: all rows over the time; without its command line nobody knows how many."""
    file = tmp_path / "sb.o.scan.range100.pk1.dop2"
    text = (LAYOUTS / "1.1.0.txt").read_text()
    line = "/opt/bin/sysbench --db-driver=mysql --table-size=50000 --tables=8 --threads=2 oltp_scan.lua run\n"
    file.write_text(line + "8 CPUs\n" + text)
    (step,) = read_output_folder(tmp_path).session.steps
    assert (step.step.name, step.step.kind, step.step.unit) == ("scan", "scan", "rows/s")
    assert step.value == round(400_000 / 4.0029, 2)
    file.write_text(text)
    with pytest.raises(InputError, match="a scan without a command line"):
        read_output(file)


def test_what_small_datum_keeps_beside_its_outputs(tmp_path: Path) -> None:
    """The engine is in sb.r.qps; one of them without its outputs is told, notes of the waits are not."""
    shutil.copy(LAYOUTS / "1.1.0.txt", tmp_path / "sb.o.update-index.range100.pk1.dop2")
    (tmp_path / "sb.r.qps.update-index.range100.pk1").write_text("4816\tinnodb update-index range=100\n")
    (tmp_path / "sb.r.qps.delete.range100.pk1").write_text("9\tinnodb delete range=100\n")
    (tmp_path / "sb.o.pw.update-index.range100.pk1").write_text("sleepSecs is 60\n")
    (tmp_path / "l").mkdir()
    found = read_output_folder(tmp_path)
    assert [each.step.name for each in found.session.steps] == ["update-index"]
    assert found.session.contender == {"engine": "innodb"}
    assert [each.partition(": ")[0] for each in found.problems] == [
        "skipped sb.r.qps.delete.range100.pk1", "skipped l",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"", "it is empty"), (b"\x00\xff\xfe garbage", "neither an exported session nor sysbench output")],
)
def test_a_file_that_is_nothing_of_all(history: History, tmp_path: Path, raw: bytes, said: str) -> None:
    file = tmp_path / "run.txt"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=said):
        import_any(history, file)
    (tmp_path / "only").mkdir()
    file.rename(tmp_path / "only" / "run.txt")
    with pytest.raises(InputError, match=r"skipped run\.txt"):
        import_any(history, tmp_path / "only")


def test_a_name_that_is_no_text_is_not_a_step(tmp_path: Path) -> None:
    for name in ("run.txt", "r\nun.txt"):
        shutil.copy(DATA / "read-only.txt", tmp_path / name)
    found = read_output_folder(tmp_path)
    assert [each.step.name for each in found.session.steps] == ["run"]
    assert len(found.problems) == 1 and "unprintable characters" in found.problems[0]


def test_bytes_that_are_no_utf8_stay_where_they_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_bytes(b"\xff\xe9t\xe9\r\n" + (DATA / "read-only.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert read_output(file).steps[0].value == 4816.12


def test_a_folder_with_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no readable sysbench output"):
        read_output_folder(tmp_path)
    (tmp_path / "a.txt").write_text("no")
    with pytest.raises(InputError, match=r"skipped a\.txt"):
        read_output_folder(tmp_path)
