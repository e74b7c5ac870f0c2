"""The history as Parquet files for other engines: sessions, steps, figures, and a row for each second.

DuckDB writes them. What was not measured is NULL. The folder gets its name when all of it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.history.lists.sessions import SessionEntry, find_all, sessions
from app.history.steps.figures import StepEntry, steps
from app.history.steps.operations import operation_figures
from app.history.store.blocks import step_clock_rows, values_of
from app.history.store.history import History
from app.protocol.plan import coordinates_json, step_label

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LACKING = (
    "Parquet files need DuckDB: pip install 'dyno[analysis]', or pip install duckdb in Dyno's environment"
)
BATCH = 2_000_000  # values of series in a file, about
_MODEST = {"threads": 1, "memory_limit": "256MB"}

_SESSION = {
    "id": "VARCHAR",
    "name": "VARCHAR",
    "state": "VARCHAR",
    "target": "VARCHAR",
    "contender": "VARCHAR",
    "build": "VARCHAR",
    "family": "VARCHAR",
    "version": "VARCHAR",
    "engine": "VARCHAR",
    "preset": "VARCHAR",
    "table_options": "VARCHAR",
    "cores": "VARCHAR",
    "sequence": "VARCHAR",
    "plan": "VARCHAR",
    "repeat": "INTEGER",
    "started_at": "TIMESTAMP",
    "seconds": "DOUBLE",
    "failed_steps": "INTEGER",
    "published": "BOOLEAN",
    "imported": "BOOLEAN",
    "tags": "VARCHAR",
    "contender_key": "VARCHAR",
    "work_key": "VARCHAR",
    "machine_key": "VARCHAR",
}
_STEP = {
    "session": "VARCHAR",
    "position": "INTEGER",
    "step": "VARCHAR",
    "name": "VARCHAR",
    "kind": "VARCHAR",
    "workload": "VARCHAR",
    "grouping": "VARCHAR",
    "threads": "INTEGER",
    "coordinates": "VARCHAR",
    "warm": "BOOLEAN",
    "state": "VARCHAR",
    "reason": "VARCHAR",
    "unit": "VARCHAR",
    "value": "DOUBLE",
    "queries": "DOUBLE",
    "seconds": "DOUBLE",
    "p50_ms": "DOUBLE",
    "p95_ms": "DOUBLE",
    "p99_ms": "DOUBLE",
    "latency_per": "VARCHAR",
    "errors": "DOUBLE",
    "data_bytes": "DOUBLE",
    "size_bytes": "DOUBLE",
    "rows": "DOUBLE",
    "marks": "VARCHAR",
}
_SECOND = {"session": "VARCHAR", "position": "INTEGER", "step": "VARCHAR", "s": "INTEGER", "t": "DOUBLE"}
_FIGURE = {"session": "VARCHAR", "position": "INTEGER", "name": "VARCHAR", "value": "DOUBLE"}

Row = Sequence[Any]
Columns = Mapping[str, str]  # name -> type


def export_parquet(history: History, folder: Path, references: Sequence[str] = ()) -> list[str]:
    """Write these sessions, or all of them; returns their ids."""
    duckdb = _duckdb()
    if folder.exists():
        raise InputError(f"{folder} is there already: name a folder that is not, or remove it")
    if not folder.parent.is_dir():
        raise InputError(f"{folder.parent} is no folder: make it first")
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as new:
        with duckdb.connect(str(Path(new, "work")), config=_MODEST) as connection:
            ids = _Export(history, connection, Path(new, "whole")).write(references)
        Path(new, "whole").rename(folder)
    return ids


def _duckdb() -> ModuleType:
    try:
        import duckdb
    except ImportError:
        raise InputError(LACKING) from None
    return duckdb


class _Export:
    """One export; a session at a time is in memory, and a part of the series."""

    def __init__(self, history: History, connection: DuckDBPyConnection, folder: Path) -> None:
        self._history = history
        self._connection = connection
        self._folder = folder
        self._seconds: list[Mapping[str, Any]] = []  # of the next file
        self._files = 0

    def write(self, references: Sequence[str]) -> list[str]:
        (self._folder / "series").mkdir(parents=True)
        for name, columns in (("sessions", _SESSION), ("steps", _STEP), ("figures", _FIGURE)):
            self._create(name, columns)
        with self._history.reading():
            ids = find_all(self._history, references) if references else ()
            entries = sessions(self._history, ids=ids)
            self._insert("sessions", _SESSION, [*map(_session_row, entries)])
            for entry in entries:
                self._write_session(entry["id"])
        self._keep_series()
        for name in ("sessions", "steps", "figures"):
            self._copy(name, self._folder / f"{name}.parquet")
        return [entry["id"] for entry in entries]

    def _write_session(self, session: str) -> None:
        found = steps(self._history, session)
        self._insert("steps", _STEP, [*_step_rows(session, found)])
        self._insert("figures", _FIGURE, [*_figure_rows(session, found)])
        self._seconds += _seconds(self._history, session, found)
        if sum(len(each) * len(each["s"]) for each in self._seconds) >= BATCH:
            self._keep_series()

    def _keep_series(self) -> None:
        """A file of some sessions; a series that one of them does not have is NULL there."""
        if not self._seconds and self._files:
            return
        names = dict.fromkeys(name for each in self._seconds for name in each if name not in _SECOND)
        columns = {**_SECOND, **dict.fromkeys(names, "DOUBLE")}
        self._create("seconds", columns)
        for each in self._seconds:
            self._insert_arrays("seconds", _filled(each, columns))
        self._copy("seconds", self._folder / "series" / f"{self._files:05d}.parquet")
        self._seconds, self._files = [], self._files + 1

    def _create(self, table: str, columns: Columns) -> None:
        declared = ", ".join(f"{_name(name)} {kind}" for name, kind in columns.items())
        self._connection.execute(f"CREATE OR REPLACE TABLE {table} ({declared})")

    def _insert(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        kinds = enumerate(columns.items())
        arrays = {name: _array([row[at] for row in rows], kind) for at, (name, kind) in kinds}
        if rows:
            self._insert_arrays(table, arrays)

    def _insert_arrays(self, table: str, arrays: Mapping[str, Any]) -> None:
        self._connection.register("part", dict(arrays))
        self._connection.execute(f"INSERT INTO {table} SELECT * FROM part")  # noqa: S608 - a name of ours
        self._connection.unregister("part")

    def _copy(self, table: str, path: Path) -> None:
        file = str(path).replace("'", "''")
        self._connection.execute(f"COPY {table} TO '{file}' (FORMAT parquet)")


def _name(column: str) -> str:
    """A column quoted: the names of series come from targets."""
    return '"' + column.replace('"', '""') + '"'


def _session_row(entry: SessionEntry) -> Row:
    contender: dict[str, Any] = {**entry["contender"], "contender": entry["contender"]["name"]}
    flat: dict[str, Any] = {**contender, **entry, "contender": entry["contender"]["name"]}
    flat["tags"] = ", ".join(entry["tags"])
    started = entry["started_at"]
    flat["started_at"] = started and datetime.fromisoformat(started).replace(tzinfo=None).isoformat(" ")
    return [flat[name] for name in _SESSION]


def _step_rows(session: str, found: Sequence[StepEntry]) -> Iterator[Row]:
    for position, step in enumerate(found):
        flat: dict[str, Any] = {**step, "session": session, "position": position, "grouping": step["group"]}
        flat |= {f"{name}_ms": value for name, value in step["latency_ms"].items()}
        flat["step"] = step_label(step["name"], step["coordinates"])
        flat["threads"] = step["coordinates"].get("threads")
        flat["coordinates"] = coordinates_json(step["coordinates"])
        flat["marks"] = ", ".join(step["marks"])
        yield [flat.get(name) for name in _STEP]


def _figure_rows(session: str, found: Sequence[StepEntry]) -> Iterator[Row]:
    """Costs per query, figures of the engine, and of what an operation did, that were measured."""
    for position, step in enumerate(found):
        operation = dict(operation_figures(step["operation"]))
        for name, value in {**step["per_query"], **step["engine_figures"], **operation}.items():
            if value is not None:
                yield session, position, name, value


# series


def _seconds(history: History, session: str, found: Sequence[StepEntry]) -> Iterator[Mapping[str, Any]]:
    """The seconds of each step, a column for each series."""
    names = history.query(
        "SELECT series.number, series.name FROM series JOIN session ON session = session.number WHERE id = ?",
        (session,),
    )
    numbers = history.query(
        "SELECT step.number, position FROM step JOIN session ON session = session.number WHERE id = ?"
        " ORDER BY position",
        (session,),
    )
    for (number, position), step in zip(numbers, found, strict=True):
        clock = step_clock_rows(history.connection, number)
        if clock is not None:
            columns = {name: values_of(history.connection, number, at) for at, name in names}
            known = {name.lower(): values for name, values in columns.items() if values is not None}
            whole = {"session": session, "position": position, "s": clock[0], "t": clock[1]}
            yield {**known, **whole, "step": step_label(step["name"], step["coordinates"])}


def _filled(seconds: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """An array for each column: what is one for the whole step is repeated, what is missing is no number."""
    import numpy as np

    count = len(seconds["s"])
    one = {"session": object, "step": object, "position": int}
    repeated: dict[str, Any] = {name: np.full(count, seconds[name], dtype=kind) for name, kind in one.items()}
    gaps = np.full(count, np.nan)
    return {name: repeated.get(name, seconds.get(name, gaps)) for name in columns}


def _array(values: Sequence[Any], kind: str) -> Any:
    import numpy as np

    if kind in ("DOUBLE", "INTEGER"):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(values, dtype=bool if kind == "BOOLEAN" else object)
