"""An agent that waits for its turns: a real session on a running server that does what it is told.

    python -m tests.bench.turns DIRECTORY        its standard input: the plan, then one word a line

`drive` carries out the next driven step, `sample N` samples the idle server for N seconds, `empty` takes all
tables away, `settle` settles and tells the sizes; each answers with one line of JSON. The end of the input
ends the session.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from app.agent.load.generator import driver_options
from app.agent.plan_runner import create_journals
from app.agent.sampling.figures import totals_of
from app.agent.sampling.sizes import sizes
from app.agent.server.program import find_sysbench
from app.agent.session import SessionRunner, StepExecutor
from app.agent.steps.baton import SliceTurns
from app.agent.steps.running import BegunSession, RunningSession
from app.agent.steps.settle_step import run_settle
from app.agent.system.control import ControlRequests
from app.agent.system.directory import MarkedDirectory
from app.protocol.plan import Plan, Step
from app.protocol.sysbench import command
from tests.bench.rig import Rig

READY_S = 600.0
SETTLE_S = 300
CREATE = "CREATE DATABASE dyno DEFAULT CHARACTER SET latin1"


# the process of its own


class WaitingSession(SessionRunner):
    """Loads and settles as always; its driven steps wait until they are asked for."""

    def _measure(self) -> Any:
        running = RunningSession(self._begun, self._server())
        steps, plan, server = StepExecutor(running), running.plan, running.server
        self._steps = steps
        server.prepare(running.wait)
        steps.open()
        driven = [index for index, step in enumerate(plan.steps) if step.kind == "drive"]
        for index in range(driven[0]):
            steps.carry_out(index, plan.steps[index])
        answer({"server": server.pid, "socket": server.socket, "lua": running.at("lua")})
        for words in map(str.split, sys.stdin):
            if words[0] == "drive":
                index = driven.pop(0)
                steps.carry_out(index, plan.steps[index])
                answer({"step": index})
            elif words[0] == "sample":
                _sample(running, int(words[1]))
                answer({})
            elif words[0] == "empty":
                server.client.run("DROP DATABASE dyno", CREATE)
                answer({})
            else:
                run_settle(running, -1, Step("settle", "settle", cap_s=SETTLE_S))
                answer(sizes(server.data))
        return "completed", ""


def _sample(running: RunningSession, seconds: int) -> None:
    began = time.monotonic()
    running.sampler.begin()
    for second in range(seconds):
        time.sleep(max(0.0, began + second + 1 - time.monotonic()))
        running.sampler.take(-1, second, None)


def answer(data: dict[str, Any]) -> None:
    print(json.dumps(data), flush=True)


def main() -> None:
    directory = MarkedDirectory(sys.argv[1])
    plan = Plan.from_json(json.loads(sys.stdin.readline()))
    lock = directory.lock({"plan": plan.id, "pid": os.getpid()})
    assert lock is not None, "another plan is being carried out"
    (turn,) = plan.turns
    journal = create_journals(directory, plan, "bench")[turn.session]
    control = ControlRequests(os.path.join(directory.plan(plan.id), "control"))
    WaitingSession(BegunSession(plan, turn, directory, journal, control, SliceTurns().join(), "bench")).run()


# seen from the bench


class Turns:
    """The waiting session as the bench asks for its turns; and the same load without any Dyno."""

    def __init__(self, plan: Plan, directory: str) -> None:
        self.plan = plan
        self.step = next(step for step in plan.steps if step.kind == "drive")  # they are all the same
        self._contender = plan.contenders[0]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.turns", directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say(json.dumps(plan.to_json()))
        ready = self._hear()
        self.server, self.socket, self._lua = int(ready["server"]), ready["socket"], Path(ready["lua"])

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the waiting session has ended: see its journal")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def drive(self) -> int:
        """The next driven step, by the agent; gives its index."""
        self._say("drive")
        return int(self._hear()["step"])

    def sample(self, seconds: int) -> None:
        self._say(f"sample {seconds}")
        self._hear()

    def empty(self) -> None:
        """No tables any more, as in a database that was just made."""
        self._say("empty")
        self._hear()

    def settle(self) -> dict[str, Any]:
        """Settle as a step does; the sizes by part behind it."""
        self._say("settle")
        return self._hear()

    def drive_bare(self, step: Step, seed: int, plan: Plan | None = None) -> dict[str, Any]:
        """The same command without an agent: the line "total" that its Lua writes."""
        driver = driver_options(self.socket, 0)
        contender = self._contender
        line = command(step, plan or self.plan, contender.engine, contender.table_options, driver, seed)
        with TemporaryFile() as said:  # where nobody names a pipe; nobody wakes up to read while it runs
            subprocess.run(
                [find_sysbench(), *line, step.lua.rpartition("/")[2], "run"],
                cwd=self._lua,
                env={**os.environ, "LUA_PATH": f"{self._lua}/?.lua;;", "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                check=True,
            )
            said.seek(0)
            totals = (line for line in said if line.startswith(b'{"type":"total"'))
            found: dict[str, Any] = json.loads(next(totals))
            return found

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(READY_S)


@contextmanager
def waiting(plan: Plan, rig: Rig) -> Iterator[Turns]:
    """A plan of one session, loaded and settled, waiting for its turns."""
    turns = Turns(plan, rig.directory)
    try:
        yield turns
    finally:
        turns.close()


def queries_per_second(total: Mapping[str, Any]) -> float:
    """As the agent computes them."""
    return float(totals_of(total).queries) / float(total["time_s"])


if __name__ == "__main__":
    main()
