"""Pairs of small sessions, of which a cause is planted in the second, and whether Why names it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pymysql

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write
from tests.sequences import LOAD, own_sequence

LIMIT_S = 60
FIRST = 3  # of the list
LOOK_S = 0.02
PRESET = {"innodb_buffer_pool_size": "64M", "innodb_log_file_size": "64M", "query_cache_size": "0"}
SIZE = {"tables": 1, "rows": 2000, "threads": 4, "seconds": 2, "warmup": 0}

Plant = Callable[["Bench"], None]  # again and again, while the step is measured


def socket_of(pid: int) -> Path:
    """The socket of a running server, by its my.cnf."""
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    cnf = next(word.partition("=")[2] for word in words if word.startswith("--defaults-file="))
    lines = (line.partition("=") for line in Path(cnf).read_text().splitlines())
    return Path(next(value.strip() for name, _, value in lines if name.strip() == "socket"))


class Bench:
    """Pairs of small sessions, of which a cause is planted in the second."""

    def __init__(self, desktop: Desktop, target: Path) -> None:
        self.desktop, self.target = desktop, target
        self.begun, self.stop = threading.Event(), threading.Event()
        self.size: dict[str, int] = SIZE
        self.steps = 0  # before the one that is measured

    def measure(
        self,
        workload: str,
        engine: str = "innodb",
        plants: Sequence[Plant] = (),
        steps: Sequence[str] = (LOAD,),
        lines: str = "",
        size: Mapping[str, int] | None = None,
        options: Sequence[str] = (),
        **cnf: str,
    ) -> str:
        """The id of a session of this workload, with these options in its my.cnf and lines in its step."""
        name = f"planted{len(self.desktop.sessions())}"
        preset = "".join(f"loose_{option}={value}\n" for option, value in {**PRESET, **cnf}.items())
        plugin = "plugin_load_add=ha_rocksdb\n" if engine == "rocksdb" else ""
        write(self.desktop.home / f"presets/{engine}/{name}.cnf", f"[mysqld]\n{plugin}{preset}")
        drive = f'workload = "{workload}"\n{lines}'
        write(self.desktop.home / "sequences/planted.toml", own_sequence("planted", *steps, drive))
        self.size = {**SIZE, **(size or {})}
        words = [word for option, value in self.size.items() for word in (f"--{option}", str(value))]
        plan = ("--target", "local", "--sequence", "planted", "--contender", f"{MARIADB}:{engine}:{name}")
        self.steps = len(steps)
        with self._planted(plants):
            self.desktop.dyno("run", *plan, *words, *options)
        return str(max(each["id"] for each in self.desktop.sessions()))

    @contextmanager
    def _planted(self, plants: Sequence[Plant]) -> Iterator[None]:
        """Plant from the first second of the last step to its last."""
        self.begun.clear()
        self.stop.clear()
        threads = [threading.Thread(target=self._repeat, args=(plant,)) for plant in plants]
        for thread in (watcher := threading.Thread(target=self._watch), *threads):
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in (watcher, *threads):
                thread.join(LIMIT_S)

    def _watch(self) -> None:
        while not self._seconds() and not self.stop.wait(LOOK_S):
            pass
        self.begun.set()
        while 0 < self._seconds() <= self.size["seconds"] and not self.stop.wait(LOOK_S):
            pass
        self.stop.set()

    def _repeat(self, plant: Plant) -> None:
        self.begun.wait()
        while not self.stop.is_set():
            with suppress(pymysql.err.Error, OSError):
                plant(self)

    def _seconds(self) -> int:
        """Of the step that is measured, as far as its journal has come; 1 before the first is over."""
        journals = self.target.glob("sessions/*/journal.jsonl")
        latest = max(journals, key=lambda path: path.stat().st_mtime, default=None)
        *before, last = (latest.read_text() if latest else "").split('"step_started"')
        is_there = len(before) > self.steps and '"step_ended"' not in last
        return 1 + last.count('"kind":"sample"') if is_there else 0

    def connect(self) -> Any:
        return pymysql.connect(unix_socket=str(self._socket()), user="root", db="dyno", autocommit=True)

    def _socket(self) -> Path:
        return socket_of(self.desktop.server_pid(self.target))

    def ready_socket(self) -> Path | None:
        """Of the server under test, once clients can connect."""
        with suppress(OSError, StopIteration):
            return found if (found := self._socket()).exists() else None
        return None

    def held(self, *statements: str, seconds: float = 0.2) -> None:
        """Send these statements and wait, then close the connection."""
        with self.connect() as holder, holder.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            self.stop.wait(seconds)

    def check_planted(self, name: str, workload: str, *plants: Plant, **given: Any) -> None:
        """Measure without and with what is planted, everything else alike."""
        base, planted = (self.measure(workload, plants=each, **given) for each in ((), plants))
        self.check(name, base, planted, workload)

    def check(self, name: str, base: str, planted: str, step: str) -> None:
        (found,) = self.desktop.json("compare", base, planted, "--why", step)["steps"]
        assert name in [each["name"] for each in found["causes"][:FIRST]], found["causes"]
