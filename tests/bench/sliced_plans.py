"""Plans from a DYNO_HOME of the bench's own, carried out on this computer, and what came of them."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

from app.agent.server.server import start_ticks
from app.agent.system.directory import MarkedDirectory
from app.comparison.cells.cell import Comparison
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.disturbing import GivenDisturbanceLimits
from app.history.lists.sessions import sessions_of_plan
from app.history.steps.figures import plans_by_session, steps
from app.history.store.history import History
from app.history.store.journals import path_of
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text
from app.planner.request.request import PlanRequest
from app.protocol.events import Sample, StepEnded, StepStarted, decode
from app.protocol.others import DISTURBED
from app.protocol.plan import Plan
from app.stats.at_target.verdicts import COLOURED
from tests.installed import DYNO, MARIADB
from tests.sequences import LOAD, SETTLED, own_sequence

ROOT = Path(__file__).parents[2]  # of Dyno
WHOLE = "interleaved"
CPU_PER_QUERY, ALL_ALLOWED = "cpu_us", GivenDisturbanceLimits(others_pct=100, steal_pct=100)
EQUALS = ("point-query", "update-index")
TABLES, ROWS, THREADS, WARMUP = 2, 20_000, 2, 1
SPARE_S, SERVER_S, TIMES = 120, 60, 3  # until a plan takes too long: seconds, and times what its steps take
STOP_S = 60
# a second contender that is the same for all that is measured: the planner refuses two that are equal
TWIN = "server_id=78"
# what makes an InnoDB another one, in reading and in writing
OTHER = "loose_innodb_adaptive_hash_index=ON\ninnodb_flush_log_at_trx_commit=0"
LOGS = dict[str, list[float]]  # of the ratio of each round, by step
Words = list[tuple[str, str]]  # a step and the verdict of the second contender's


class PlanFailedError(Exception):
    """Why a plan came to no figures; one line."""


@dataclass(frozen=True)
class Carried:
    """A plan of two contenders that was carried out."""

    plan: Plan
    logs: LOGS
    false: list[str]  # steps whose cells are coloured
    unjudged: int  # cells
    journals: dict[str, Path]  # of the sessions
    by_cpu: Words = field(default_factory=list)  # by CPU per query, as if no step were disturbed
    disturbed: int = 0  # steps of sessions


def slice_overheads(plans: Sequence[Carried]) -> list[float]:
    """What a second of slices takes beyond itself: in seconds, for each step of each round."""
    return [
        each
        for carried in plans
        for repeat in {turn.repeat for turn in carried.plan.turns}
        for at, step in enumerate(carried.plan.steps)
        if step.sliced
        for each in _slice_overheads(
            [carried.journals[turn.session] for turn in carried.plan.turns if turn.repeat == repeat], at
        )
    ]


def _slice_overheads(journals: Sequence[Path], step: int) -> Iterator[float]:
    """Of one step; nothing where a session did not carry it out."""
    events = [e for each in journals for e in map(decode, each.read_bytes().splitlines())]
    begun = [e.at for e in events if isinstance(e, StepStarted) and e.step == step]
    ended = [e.at for e in events if isinstance(e, StepEnded) and e.step == step]
    worked = [e.dt for e in events if isinstance(e, Sample) and e.step == step]
    if len(begun) == len(ended) == len(journals):
        yield (max(ended) - min(begun)) / sum(worked) - 1


class Bench:
    """One DYNO_HOME, and this computer as its target."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.home, self._options, self._count = folder / "home", options, 0
        os.environ["DYNO_HOME"] = str(self.home)
        (self.home / "sequences").mkdir(parents=True)
        write_presets(self.home)

    def carry_out(
        self, contenders: Sequence[str], order: str, driven: Sequence[str], seconds: int
    ) -> Carried:
        """Two contenders (ENGINE:PRESET); raises PlanFailedError."""
        self._count += 1
        file = self.home / "plan.toml"
        request = self._request(contenders, order, driven, seconds)
        file.write_text(plan_file_text(request))
        busy = ["--allow-busy"] if self._options.allow_busy else []
        each_s = SERVER_S + len(driven) * (seconds + WARMUP) * TIMES
        limit_s = SPARE_S + self._options.rounds * len(contenders) * each_s
        code, said = self.run(["run", *busy, str(file)], limit_s)
        if code:
            raise PlanFailedError(next(reversed(said.strip().splitlines()), "nothing was said"))
        return self._carried(request.name)

    def _request(
        self, contenders: Sequence[str], order: str, driven: Sequence[str], seconds: int
    ) -> PlanRequest:
        tables = [f'workload = "{each}"' for each in driven]
        rows = self._options.rows or ROWS
        size = {"tables": TABLES, "rows": rows, "threads": [THREADS], "seconds": seconds, "warmup": WARMUP}
        (self.home / "sequences/slices.toml").write_text(
            own_sequence("slices", LOAD, SETTLED, *tables, **size)
        )
        chosen = tuple(
            ContenderRequest(MARIADB, engine, preset, name=f"{engine}-{preset}")
            for engine, preset in (each.split(":") for each in contenders)
        )
        name, repeats = f"{order}-{self._count}", self._options.rounds
        return PlanRequest(name=name, sequence="slices", order=order, repeats=repeats, contenders=chosen)

    def run(self, words: Sequence[str], limit_s: float) -> tuple[int, str]:
        command = [*DYNO, *words]
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        pipes.update(stderr=subprocess.STDOUT, text=True)
        here = {**os.environ, "PYTHONPATH": str(ROOT)}
        begun = subprocess.Popen(command, cwd=self.home, env=here, **pipes)  # reports are written there
        try:
            said, _ = begun.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise PlanFailedError(f"not over within {limit_s:.0f} s") from None
        finally:
            if begun.poll() is None:
                self._stop(begun)
        return begun.returncode, said

    def _stop(self, begun: subprocess.Popen[str]) -> None:
        """End the plan and all that it started, in whatever way it goes."""
        with suppress(subprocess.TimeoutExpired):
            subprocess.run([*DYNO, "stop"], timeout=STOP_S, check=False)
            begun.wait(STOP_S)
        begun.kill()
        target = self.home / "target"
        for pid in (int(MarkedDirectory(str(target)).holder().get("pid", 0)), *_servers(target)):
            if pid:
                os.kill(pid, signal.SIGKILL)

    def _carried(self, plan: str) -> Carried:
        with History(self.home) as history:
            ids = sessions_of_plan(history, plan)
            found = plans_by_session(history, ids)[ids[0]]
            driven = {id_: [each for each in steps(history, id_) if each["kind"] == "drive"] for id_ in ids}
            cells = _words(compare(history, ids, ids[0]))
            by_cpu = compare(history, ids, ids[0], allowed=ALL_ALLOWED)
        unjudged = sum(word == "marked" for _, word in cells)
        disturbed = sum(DISTURBED in step["marks"] for its in driven.values() for step in its)
        journals = {id_: path_of(self.home / "journals", id_) for id_ in ids}
        figures = {id_: {each["name"]: each["value"] for each in its} for id_, its in driven.items()}
        costs = _words(comparison_by_measure(by_cpu, CPU_PER_QUERY))
        logs = logs_of(found, figures)
        return Carried(found, logs, coloured(cells), unjudged, journals, costs, disturbed)


def _words(comparison: Comparison) -> Words:
    return [(row.workload, row.cells[1].verdict) for row in comparison.rows if row.kind == "drive"]


def coloured(words: Words) -> list[str]:
    """The steps of equals that a verdict tells apart."""
    return [name for name, word in words if word in COLOURED]


def logs_of(plan: Plan, figures: dict[str, dict[str, float | None]]) -> LOGS:
    """The second contender over the first, round by round, of all that came to a figure."""
    found: LOGS = defaultdict(list)
    by_place = {(turn.repeat, turn.contender): figures.get(turn.session, {}) for turn in plan.turns}
    for (repeat, contender), its in by_place.items():
        if contender == 0:
            for name, value in its.items():
                other = by_place[repeat, 1].get(name)
                if value and other:
                    found[name].append(log(other / value))
    return found


def write_presets(home: Path) -> None:
    """InnoDB as it is, and one that differs."""
    (home / "presets/innodb").mkdir(parents=True)
    for name, lines in (("twin", TWIN), ("other", OTHER)):
        write_preset(home, name, lines)


def write_preset(home: Path, name: str, lines: str) -> None:
    """InnoDB's baseline with these lines: the last line of an option counts."""
    baseline = (ROOT / "cnf_presets/innodb/baseline.cnf").read_text()
    (home / f"presets/innodb/{name}.cnf").write_text(f"{baseline}\n[mysqld]\n{lines}\n")


def _servers(target: Path) -> list[int]:
    """Those that are there still."""
    words = [path.read_text().split(" ", 2) for path in target.glob("sessions/*/server.pid")]
    return [int(each[0]) for each in words if len(each) == 3 and start_ticks(int(each[0])) == each[1]]


def joined(found: Iterable[LOGS]) -> LOGS:
    """Those of all plans."""
    logs: LOGS = defaultdict(list)
    for of_plan in found:
        for name, values in of_plan.items():
            logs[name] += values
    return logs


@contextmanager
def made(options: argparse.Namespace) -> Iterator[Bench]:
    """A desktop in a directory that is gone afterwards, however the bench ends."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-slices-", dir=options.directory or None))
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield Bench(folder, options)
    finally:
        signal.signal(signal.SIGTERM, before)
        shutil.rmtree(folder, ignore_errors=True)
