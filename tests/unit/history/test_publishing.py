"""Published results: those that come with Dyno give the ratios that were printed; any table is checked."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.catalog.mydbtest import is_mydbtest
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.history.exchange.exporting import export
from app.history.exchange.import_any import import_any
from app.history.exchange.importing import Imported, import_session
from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.lists.sessions import find, sessions
from app.history.recorded.rebuilding import rebuild
from app.history.steps.figures import steps
from app.history.store.history import History
from tests.unit.comparison.cells import cells

TABLE = """\
# author: Somebody
# article: Two engines on a laptop
# date: 2024-05
# note: "as printed", <b>not</b> rounded
session,target,engine,step,group,threads,seconds,unit,value
a,laptop,innodb,update-index,write-heavy,1,60,queries/s,500
a,laptop,innodb,scan,scan-heavy,,,rows/s,250000.5
b,laptop,rocksdb,update-index,write-heavy,1,60,queries/s,4000
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "laptop.csv"
    file.write_text(TABLE)
    return file


def import_table(history: History, file: Path) -> list[Imported]:
    return import_any(history, file).sessions


def value(history: History, name: str, step: str, threads: int) -> float | None:
    found = (each for each in steps(history, find(history, name)) if each["name"] == step)
    return next(each["value"] for each in found if each["coordinates"] == {"threads": threads})


def test_what_comes_with_dyno_is_what_was_printed(history: History) -> None:
    assert len(import_shipped(history)) == 12 + 9
    assert value(history, "innodb-5.0.96-i3", "update-inlist", 1) == 211
    assert value(history, "innodb-8.0.3-i5", "scan", 2) == 2_500_000
    assert value(history, "myrocks-5.6.35-default", "update-index", 4) == 8585
    known = {entry["state"] for entry in sessions(history)}
    assert known == {"completed"} and all(entry["published"] for entry in sessions(history))


def test_its_ratios_are_those_of_the_article(history: History) -> None:
    """Scans of 8.0 against 5.0: 0.44 and 1.41 on the i3, 3.47 and 2.78 on the i5, says the text."""
    import_shipped(history)
    for host, before, after in (("i3", 0.44, 1.41), ("i5", 3.47, 2.78)):
        rows = compare(history, [f"innodb-5.0.96-{host}", f"innodb-8.0.3-{host}"]).rows
        ratios = {row.workload: row.cells[1].relative for row in rows}
        assert ratios["scan.pre"] == pytest.approx(before, abs=0.005)
        assert ratios["scan"] == pytest.approx(after, abs=0.005)
    inlist = next(row for row in rows if row.workload == "update-inlist")
    assert inlist.cells[1].relative == 335 / 359


def test_versions_are_columns_of_their_own(history: History) -> None:
    import_shipped(history)
    versions = ("5.0.96", "5.1.72", "5.5.51", "5.6.35", "5.7.17", "8.0.3")
    names = [f"innodb-{version}-i3" for version in versions]
    found = compare(history, names)
    assert [column.name for column in found.columns] == names and found.warnings == []
    assert {n for row in found.rows for n in cells(row, "n")} == {1}


def test_a_table_of_anyones(history: History, table: Path) -> None:
    assert [each.new for each in import_table(history, table)] == [True, True]
    assert [each.new for each in import_table(history, table)] == [False, False]
    entry = next(entry for entry in sessions(history) if entry["name"] == "a")
    assert (entry["target"], entry["contender"]["engine"], entry["published"]) == ("laptop", "innodb", True)
    assert entry["started_at"] == "2024-05-01T00:00:00Z"
    assert [(step["name"], step["value"], step["unit"]) for step in steps(history, entry["id"])] == [
        ("update-index", 500.0, "queries/s"), ("scan", 250000.5, "rows/s"),
    ]  # fmt: skip


def test_it_is_kept_like_any_other_session(history: History, table: Path, tmp_path: Path) -> None:
    import_table(history, table)
    file = export(history, "a", tmp_path / "a.zip")
    edits.delete(history, "a")
    assert rebuild(history.directory).sessions == 1
    assert [entry["name"] for entry in sessions(history)] == ["b"]
    assert import_session(history, file).new
    edits.delete(history, "b")
    assert [each.new for each in import_table(history, table)] == [False, True]
    assert all(entry["published"] for entry in sessions(history) if entry["name"] == "b")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("# author: Somebody\n", ""), "the line '# author: ...' is missing"),
        (("# note:", "# licence:"), "line 4: must start with one of # author:"),
        (("2024-05", "May"), "or 2017, not 'May'"),
        (("session,target", "sesion,target"), "its header lacks session"),
        (("threads,seconds", "threads,duration"), "its header has duration"),
        (("queries/s,500", "queries/s,5oo"), "line 6: value must be a number from 0, not '5oo'"),
        (("queries/s,500", "queries/s,nan"), "line 6: value must be a number from 0, not 'nan'"),
        (("queries/s,500", "queries/s,-1"), "line 6: value must be a number from 0, not '-1'"),
        (
            ("b,laptop,rocksdb", "a,laptop,innodb"),
            "line 8: a has a result for update-index threads=1 already",
        ),
        (("b,laptop,rocksdb", "a,laptop,rocksdb"), "line 8: engine must be the same"),
        (("scan-heavy,,,rows/s", "scan-heavy,,rows/s"), "line 7: must have as many fields"),
        (("b,laptop", ",laptop"), "line 8: session, step and unit must not be empty"),
        (("queries/s,500", ",500"), "line 6: session, step and unit must not be empty"),
        (("b,laptop", '"b\nb",laptop'), "line 9: a field contains a line break"),
        (
            ("write-heavy,1,60,queries/s,500", "write-heavy,1.5,60,queries/s,500"),
            "line 6: threads must be a whole number from 1, not '1.5'",
        ),
        (
            ("write-heavy,1,60,queries/s,500", "write-heavy,0,60,queries/s,500"),
            "line 6: threads must be a whole number from 1, not '0'",
        ),
        (("2024-05", "1066"), "or 2017, not '1066'"),
        (("queries/s,500", "queries/s,1_000"), "line 6: value must be a number from 0, not '1_000'"),
        (("queries/s,500", "queries/s,\u0665"), "line 6: value must be a number from 0, not '\u0665'"),
        (
            ("write-heavy,1,60,", "write-heavy,\u0665,60,"),
            "line 6: threads must be a whole number from 1, not '\u0665'",
        ),
        (("write-heavy,1,60,", "write-heavy,1,6_0,"), "line 6: seconds must be a number from 0, not '6_0'"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(
    history: History, table: Path, change: tuple[str, str], said: str
) -> None:
    table.write_text(TABLE.replace(*change))
    with pytest.raises(InputError) as raised:
        import_table(history, table)
    assert said in str(raised.value) and str(table) in str(raised.value)
    assert sessions(history) == [] and not list(history.directory.glob("journals/*"))


def test_a_table_without_figures_or_none_at_all(history: History, tmp_path: Path) -> None:
    for name, raw, said in (
        ("empty.csv", b"", "its header lacks"),
        ("binary.csv", b"\xff\xfe\x00", "it is not UTF-8"),
        ("semicolons.csv", TABLE.replace(",", ";").encode(), "separate its fields by commas"),
        ("only.csv", TABLE.partition("a,laptop")[0].encode(), "contains no result"),
    ):
        file = tmp_path / name
        file.write_bytes(raw)
        with pytest.raises(InputError, match=said):
            import_table(history, file)
    with pytest.raises(InputError, match="No such file"):
        import_table(history, tmp_path / "none.csv")


@pytest.mark.parametrize("sessions_of_it", [1, 1_000, 200_000])
def test_a_table_of_200_000_lines_is_refused_at_once(
    history: History, tmp_path: Path, sessions_of_it: int
) -> None:
    lines = (f"s{at % sessions_of_it},step{at // sessions_of_it},queries/s,{at}" for at in range(200_000))
    head = "# author: a\n# article: b\n# date: 2020\nsession,step,unit,value\n"
    (tmp_path / "long.csv").write_text(head + "\n".join(lines))
    began = time.process_time()
    with pytest.raises(InputError, match="it has 200,000 results, at most 10,000 are allowed: split it"):
        import_table(history, tmp_path / "long.csv")
    assert time.process_time() - began < 5


def test_a_session_has_no_more_figures_than_its_journal_can_hold(history: History, tmp_path: Path) -> None:
    """And looking for one that comes twice takes no longer with each of them."""
    lines = (f"s,step{at},queries/s,{at}" for at in range(9_999))
    head = "# author: a\n# article: b\n# date: 2020\nsession,step,unit,value\n"
    (tmp_path / "long.csv").write_text(head + "\n".join(lines))
    began = time.process_time()
    with pytest.raises(InputError, match="s has more than 2,000 results: split it"):
        import_table(history, tmp_path / "long.csv")
    assert time.process_time() - began < 2


@pytest.mark.parametrize("name", ["table.csv", "output.txt", "export.zip"])
def test_a_pipe_is_refused_at_once(history: History, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=r"cannot import .*: it is not a regular file"):
        import_any(history, tmp_path / name)
    assert not is_mydbtest(tmp_path / name)
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="it is not a regular file"):
        import_any(history, tmp_path / "device.csv")
