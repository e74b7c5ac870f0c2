"""The history as Parquet files, read back by DuckDB; the queries of docs/analysis.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.cli import main
from app.core.errors import InputError
from app.history.exchange.parquet import export_parquet
from app.history.steps.series import series
from app.history.store.history import History
from tests import comparable, journals
from tests.parquet import QUERIES, rows


@pytest.fixture(scope="module")
def parquet_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three contenders, three times; a failed step and a marked one."""
    made = tmp_path_factory.mktemp("parquet") / "dyno"
    made.mkdir()
    plan = comparable.plan(3, 3)
    comparable.keep(made, plan, [(2, "read-only")], [(1, "update-index", 2)])
    return made


@pytest.fixture(scope="module")
def written(parquet_home: Path) -> Path:
    made = parquet_home.parent / "it's here"
    with History(parquet_home) as history:
        assert len(export_parquet(history, made)) == 9
    return made


def test_there_are_ten_queries() -> None:
    assert len(QUERIES) == 10


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_the_page_has_an_answer(written: Path, query: str) -> None:
    assert rows(written, query)


def test_what_is_exported_is_what_the_history_has(written: Path, parquet_home: Path) -> None:
    ((count, first),) = rows(written, "SELECT count(*), min(id) FROM 'sessions.parquet'")
    assert count == 9
    sql = "SELECT s, \"load.queries\" FROM 'series/*.parquet' WHERE session = ? AND step = ? ORDER BY s"
    with History(parquet_home) as history:
        expected = series(history, first, "point-query", threads=4)
    found = rows(written, sql.replace("?", f"'{first}'", 1).replace("?", "'point-query threads=4'"))
    assert [s for s, _ in found] == expected["s"]
    assert [value for _, value in found] == expected["values"]  # gaps too
    states = dict(
        rows(written, "SELECT state, count(*) FROM 'steps.parquet' WHERE name = 'read-only' GROUP BY 1")
    )
    assert states == {"completed": 12, "failed": 6}
    assert rows(written, "SELECT value FROM 'steps.parquet' WHERE state = 'failed' GROUP BY 1") == [(None,)]


def test_series_named_by_a_stranger_stay_columns(parquet_home: Path, tmp_path: Path) -> None:
    odd = [{**journals.SERIES[0], "name": name} for name in ('t"x', "s", "Qps", "qps")]
    maker = journals.Maker(journals.plan()).begin(odd)
    maker.step(1)
    made = tmp_path / "dyno"
    made.mkdir()
    with History(made) as history:
        journals.store(history, maker.end())
        export_parquet(history, tmp_path / "out")
    ((count, least),) = rows(tmp_path / "out", "SELECT count(*), min(s) FROM 'series/*.parquet'")
    assert count > 0 and least <= 0


def test_bad_folders_are_refused_and_nothing_is_left(
    parquet_home: Path, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(parquet_home) as history:
        with pytest.raises(InputError, match="is there already"):
            export_parquet(history, written)
        with pytest.raises(InputError, match="is no folder"):
            export_parquet(history, tmp_path / "no" / "where")
        with pytest.raises(InputError, match="no session"):
            export_parquet(history, tmp_path / "new", ["nothing"])
        monkeypatch.setitem(sys.modules, "duckdb", None)
        with pytest.raises(InputError, match="pip install"):
            export_parquet(history, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_exports_parquet(
    parquet_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNO_HOME", str(parquet_home))
    assert main(["history", "export", "--parquet", str(tmp_path / "one"), "last"]) == 0
    assert rows(tmp_path / "one", "SELECT count(*) FROM 'sessions.parquet'") == [(9,)]  # the latest plan
