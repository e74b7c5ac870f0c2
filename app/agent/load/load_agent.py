"""The agent of a load target: it connects to the conductor of a plan, and drives the steps it asks for.

The desktop has sent it the plan; it carries out only steps of that plan. It connects again when the
connection is lost, until the plan is over, nobody listens there any more, or the machine of the server cannot
be reached for a quarter of an hour.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import replace
from typing import Dict, List, Mapping, Optional

from app.agent.sampling.proc_files import parse_proc_stat, read_file
from app.agent.system.detaching import detach
from app.agent.system.directory import LOAD, MarkedDirectory, write_holder
from app.agent.system.errors import AgentError
from app.protocol.answers import ConductorAddress, LoadLinkTrial
from app.protocol.load_link import (
    BandwidthProbe,
    BandwidthProbeReceived,
    BeginLoad,
    Bye,
    EndLoadRun,
    GeneratorEnded,
    Hello,
    LinkTrialResult,
    Message,
    OpenGate,
    Ping,
    Pong,
    StartSysbench,
    SysbenchLine,
)
from app.protocol.machine_checks import IN_USE_TODO
from app.protocol.plan import LIMIT, Plan, Step
from app.protocol.sysbench import LOAD_WRAPPER, command, lua_environment

from .from_memory import open_fd_path, text_as_pipe
from .gate import ClientGate
from .generator import Generator, write_lua
from .link import LoadLinkError, LoadTlsLink, NobodyListensError, dial

AGAIN_S = 2.0  # between two attempts to dial
GIVE_UP_S = 900.0
PATIENCE_S = 20.0  # for a rehearsal here: the conductor waits longer
GONE_S = 30.0  # of refusals: the conductor has ended without a word
READ_S = 0.25
_COMPLAINTS = 5


def try_load_link(call: ConductorAddress) -> LoadLinkTrial:
    """What a trial measures between here and the conductor."""
    try:
        link = _dial(call, trial=True)
        try:
            return _tried(link)
        finally:
            link.close()
    except LoadLinkError as error:
        text = "{} cannot reach {} port {}: {}"
        raise AgentError(text.format(call.name, call.address, call.port, error)) from None


def _tried(link: LoadTlsLink) -> LoadLinkTrial:
    while True:
        message = link.receive()
        if isinstance(message, LinkTrialResult):
            return LoadLinkTrial(message.rtt_ms, message.mbit)
        if isinstance(message, Ping):
            link.send(Pong(message.at, time.monotonic()))
        elif isinstance(message, BandwidthProbe) and not message.text:
            link.send(BandwidthProbeReceived())


def _dial(call: ConductorAddress, trial: bool = False) -> LoadTlsLink:
    link = dial(call.address, call.port, call.fingerprint)
    link.send(Hello(call.name, call.token, trial))
    return link


def serve_conductor(directory: MarkedDirectory, plan: Plan, call: ConductorAddress) -> int:
    """Serve the conductor of a plan in a detached process; returns its process id."""
    what = "the load of plan {}, whose server is elsewhere".format(plan.name[:100])
    lock = directory.lock({"verb": what, "pid": os.getpid()}, PATIENCE_S)
    if lock is None:
        raise AgentError("{}: {}".format(directory.in_use(), IN_USE_TODO))

    def serve() -> None:
        write_holder(lock, {"verb": what, "pid": os.getpid()})
        LoadAgent(directory, plan, call).run()

    return detach(serve, directory.at("load.log"))


class LoadAgent:
    """Serves one conductor until its plan is over."""

    def __init__(self, directory: MarkedDirectory, plan: Plan, call: ConductorAddress) -> None:
        self._plan = plan
        self._call = call
        self._folder = directory.session(LOAD + plan.id)
        self._directory = directory
        self._runs: Dict[int, SysbenchRun] = {}

    def run(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        write_lua(self._folder, self._plan.files)
        try:
            self._dial_until_over()
        finally:
            self._directory.discard(self._folder)

    def _dial_until_over(self) -> None:
        seen = time.monotonic()
        patience_s = GIVE_UP_S
        while time.monotonic() - seen < patience_s:
            patience_s = GIVE_UP_S
            try:
                if self._serve(_dial(self._call)):
                    return
                seen = time.monotonic()
            except NobodyListensError:
                patience_s = GONE_S
            except LoadLinkError:
                pass
            time.sleep(AGAIN_S)

    def _serve(self, link: LoadTlsLink) -> bool:
        """Do what the conductor says; True at the end of the plan, False if the connection is lost."""
        try:
            while True:
                message = link.receive()
                if isinstance(message, Bye):
                    return True
                self._take(link, message)
        except LoadLinkError:
            return False
        finally:
            self._end_all()
            link.close()

    def _take(self, link: LoadTlsLink, message: Message) -> None:
        if isinstance(message, Ping):
            link.send(Pong(message.at, time.monotonic()))
        elif isinstance(message, StartSysbench):
            self._drive(link, message)
        elif isinstance(message, (BeginLoad, OpenGate, EndLoadRun)) and message.run in self._runs:
            self._runs[message.run].take(message)

    def _drive(self, link: LoadTlsLink, asked: StartSysbench) -> None:
        try:
            self._runs[asked.run] = SysbenchRun(link, self._plan, asked, self._folder)
        except (AgentError, OSError, IndexError, KeyError) as error:
            link.send(GeneratorEnded(asked.run, 1, [str(error)[:1000]]))

    def _end_all(self) -> None:
        for run in self._runs.values():
            run.take(EndLoadRun(0))
        for run in self._runs.values():
            run.join()
        self._runs.clear()


class SysbenchRun:
    """One sysbench of a step; a thread reads its lines and sends them on."""

    def __init__(self, link: LoadTlsLink, plan: Plan, asked: StartSysbench, folder: str) -> None:
        self._link = link
        self._asked = asked
        self._ends = threading.Event()
        step = _step_of(plan, asked)
        self._gate = ClientGate()  # of slices; else of the moment to begin
        with text_as_pipe("mysql-user=dyno\nmysql-password={}\n".format(asked.password)) as login:
            self._generator = Generator(
                _command(plan, step, asked, login, self._gate.reader),
                os.path.join(folder, LOAD_WRAPPER),
                os.path.join(folder, "sysbench-{}.log".format(asked.run)),
                keep=(login, self._gate.reader),
                environment=lua_environment(step, plan),
            )
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def take(self, message: Message) -> None:
        if isinstance(message, BeginLoad):
            self._gate.begin(self._asked.threads, message.at)
        elif isinstance(message, OpenGate) and message.seconds > 0:
            self._gate.open(min(message.clients, self._asked.threads), message.seconds)
        elif isinstance(message, OpenGate):
            self._gate.dismiss(min(message.clients, self._asked.threads))
        else:
            self._ends.set()

    def join(self) -> None:
        self._thread.join()

    def _follow(self) -> None:
        generator, run = self._generator, self._asked.run
        with contextlib.suppress(LoadLinkError):
            before = parse_proc_stat(read_file("/proc/stat"))
            while generator.is_open and not self._ends.is_set():
                for line in generator.read(READ_S):
                    now, cpu_pct = time.monotonic(), None
                    if line.get("type") in ("second", "slice"):
                        after = parse_proc_stat(read_file("/proc/stat"))
                        cpu_pct, before = _busy_pct(before, after), after
                    self._link.send(SysbenchLine(run, line, now, cpu_pct))
        if self._ends.is_set() or generator.is_open:
            generator.stop()
        code = generator.wait()
        self._gate.close()
        with contextlib.suppress(LoadLinkError):
            self._link.send(GeneratorEnded(run, code, generator.complaints()[:_COMPLAINTS] if code else []))


def _busy_pct(before: Mapping[str, float], after: Mapping[str, float]) -> Optional[float]:
    """How busy the CPUs were between two readings."""
    total = after["cpu_total"] - before["cpu_total"]
    return round((after["cpu_busy"] - before["cpu_busy"]) / total * 100, 1) if total > 0 else None


def _step_of(plan: Plan, asked: StartSysbench) -> Step:
    """The step of the plan with the numbers that the conductor says."""
    step = plan.steps[asked.step]
    kind = "drive" if step.kind == LIMIT else step.kind
    numbers = {name: getattr(asked, name) for name in ("threads", "rate", "events", "seconds")}
    return replace(step, kind=kind, **numbers)


def _command(plan: Plan, step: Step, asked: StartSysbench, login: int, tokens: int) -> List[str]:
    contender = plan.contenders[asked.contender]
    driver = ["--mysql-host=" + asked.address, "--mysql-port={}".format(asked.port)]
    driver.append("--config-file=" + open_fd_path(login))
    line = command(step, plan, contender.engine, contender.table_options, driver, asked.seed)
    line += ["--first-client={}".format(asked.first), "--all-clients={}".format(asked.clients)]
    return [*line, "--{}-fd={}".format("gate" if step.sliced else "begin", tokens)]
