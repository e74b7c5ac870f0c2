"""The Parquet files of a large history: how long they take, how large they are, how soon they are read."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from tests import journals
from tests.bench.figure import Figure
from tests.bench.history import SERIES, a_session
from tests.installed import DYNO
from tests.parquet import QUERIES, rows

SESSIONS, STEPS, STEP_S = 200, 10, 300
MOST_MB = 1024.0  # of memory


def measure(options: argparse.Namespace) -> list[Figure]:
    with TemporaryDirectory(dir=options.directory or None) as name:
        home, folder = Path(name), Path(name) / "parquet"
        fill(home)
        kept = _mebibytes([home / "history.sqlite"])
        took_s, peak_mb = _exported(home, folder)
        written = _mebibytes(folder.rglob("*.parquet"))
        asked = sorted(_seconds_of(folder, query) for query in QUERIES)
    seconds = SESSIONS * STEPS * STEP_S
    return [
        Figure("a session as Parquet", took_s / SESSIONS, "s", SESSIONS, "sessions"),
        Figure(f"a million seconds of {SERIES} series as Parquet", took_s / seconds * 1e6, "s", seconds,
               "seconds", digits=0),
        Figure("the export at its largest", peak_mb, "MiB", 1, at_most=MOST_MB, digits=0),
        Figure("history", kept, "MiB", SESSIONS, "sessions", digits=0),
        Figure("Parquet files", written, "MiB", SESSIONS, "sessions", digits=0),
        Figure("query of docs/analysis.md, median", asked[len(asked) // 2], "s", len(asked), "queries"),
        Figure("query of docs/analysis.md, slowest", asked[-1], "s", len(asked), "queries"),
    ]  # fmt: skip


def fill(home: Path) -> None:
    """Sessions of noisy series, each of its own numbers."""
    with History(home) as history:
        history.connection.execute("PRAGMA synchronous = OFF")
        for number in range(1, SESSIONS + 1):
            plan, lines = a_session(STEPS * STEP_S, STEP_S, seed=number)
            ids = f"{number:026d}", journals.session_id(9, number)
            raw = b"".join(lines).replace(plan.id.encode(), ids[0].encode())
            JournalStorer(history).append(
                *ids, 0, raw.replace(plan.turns[0].session.encode(), ids[1].encode())
            )


def _exported(home: Path, folder: Path) -> tuple[float, float]:
    """Seconds, and the most memory in MiB."""
    command = [*DYNO, "history", "export", "--parquet", str(folder)]
    began = time.perf_counter()
    export = subprocess.Popen(command, env={**os.environ, "DYNO_HOME": str(home)})
    _, status, used = os.wait4(export.pid, 0)
    export.returncode = os.waitstatus_to_exitcode(status)
    assert export.returncode == 0
    return time.perf_counter() - began, used.ru_maxrss / 1024


def _mebibytes(files: Iterable[Path]) -> float:
    return sum(each.stat().st_size for each in files) / 2**20


def _seconds_of(folder: Path, query: str) -> float:
    began = time.perf_counter()
    rows(folder, query)
    return time.perf_counter() - began


FIGURES = {"analysis": measure}
