"""The text output of sysbench 1.0: a file, a folder of them, a result folder of small-datum (`sb.o.*`).

Of a folder each file is a step, named as the file is; what is no output of sysbench is told, not guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError
from ..protocol.plan import Step
from ..protocol.series import P95_EVENTS
from .session import ForeignSession, ForeignStep, Second

MAX_BYTES = 64 << 20
RANGED = ("read-only", "read-write", "random-points")  # tests whose range is part of their name with Dyno

_HEAD = re.compile(r"^sysbench (\d+\.\d+\S*)", re.MULTILINE)
_THREADS = re.compile(r"^Number of threads: (\d+)$", re.MULTILINE)
_SECOND = re.compile(
    r"^\[ (?P<t>\d+)s \] thds: \d+ tps: (?P<tps>[\d.]+) qps: (?P<qps>[\d.]+) \(r/w/o: \S+\)"
    r" lat \(ms,(?P<percent>\d+)%\): (?P<latency>[\d.]+) err/s:? (?P<errors>[\d.]+)",
    re.MULTILINE,
)
_COUNTS = {
    "reads": re.compile(r"^ {8}read: +(\d+)$", re.MULTILINE),
    "writes": re.compile(r"^ {8}write: +(\d+)$", re.MULTILINE),
    "other": re.compile(r"^ {8}other: +(\d+)$", re.MULTILINE),
    "transactions": re.compile(r"^ {4}transactions: +(\d+) ", re.MULTILINE),
    "queries": re.compile(r"^ {4}queries: +(\d+) ", re.MULTILINE),
    "errors": re.compile(r"^ {4}ignored errors: +(\d+) ", re.MULTILINE),
    "reconnects": re.compile(r"^ {4}reconnects: +(\d+) ", re.MULTILINE),
    "events": re.compile(r"^ {4}total number of events: +(\d+)$", re.MULTILINE),
}
_QPS = re.compile(r"^ {4}queries: +\d+ +\(([\d.]+) per sec\.\)$", re.MULTILINE)
_TIME = re.compile(r"^ {4}total time: +([\d.]+)s$", re.MULTILINE)
_LATENCY = re.compile(r"^ +(min|avg|max|\d+(?:st|nd|rd|th) percentile): +([\d.]+)$", re.MULTILINE)
_OF_2017 = re.compile(r"sb\.o\.nt\d+\.nr\d+\.range(?P<range>\d+)\.(?P<engine>[a-z]+)\.(?P<test>.+)")
_OF_TODAY = re.compile(r"sb\.o\.(?P<test>.+?)\.range(?P<range>\d+)\.pk[01]\.dop\d+")


@dataclass
class ReadFolder:
    """What became of a folder: its session, and each file that is none of it with the reason."""

    session: ForeignSession
    problems: list[str] = field(default_factory=list)


def is_output(file: Path) -> bool:
    """Whether a file begins as sysbench does."""
    try:
        with file.open("rb") as opened:
            return _HEAD.search(opened.read(4096).decode("utf-8", "replace")) is not None
    except OSError:
        return False


def read_output(file: Path) -> ForeignSession:
    """A session of one step; raises InputError where it is no whole output."""
    try:
        step = _step(file, file.stem)
    except ValueError as error:
        raise InputError(f"{file} is not imported: {error}") from None
    return _session(file, [step])


def read_folder(folder: Path) -> ReadFolder:
    """A session of all outputs in a folder, by name; raises InputError where there is none."""
    found: list[ForeignStep] = []
    problems: list[str] = []
    for file in sorted(each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")):
        if file.name.startswith("sb.") and not file.name.startswith("sb.o."):
            continue  # what small-datum keeps beside the output
        try:
            step = _step(file, _name_of(file))
            if any(step.step.label == each.step.label for each in found):
                raise ValueError(f"another file is {step.step.label} already")
            found.append(step)
        except ValueError as error:
            problems.append(f"{file.name} is not read: {error}")
    if not found:
        more = f": {problems[0]}" if problems else ""
        raise InputError(f"{folder} holds no output of sysbench that can be read{more}")
    session = _session(folder, found)
    session.contender = _contender_of(folder)
    return ReadFolder(session, problems)


def _session(path: Path, steps: list[ForeignStep]) -> ForeignSession:
    return ForeignSession(
        path.resolve().name if path.is_dir() else path.stem,
        path.stat().st_mtime,
        f"output of sysbench, read from {path.resolve().name}",
        steps=steps,
    )


def _name_of(file: Path) -> str:
    """The step: as small-datum names its files, else the name of the file without its ending."""
    found = _OF_2017.fullmatch(file.name) or _OF_TODAY.fullmatch(file.name)
    if found is None:
        return file.stem if file.suffix in (".txt", ".log", ".out") else file.name
    test = found["test"]
    return f"{test}.range{found['range']}" if test.startswith(RANGED) else test


def _contender_of(folder: Path) -> dict[str, str]:
    """The engine, where all files of small-datum name the same."""
    engines = {found["engine"] for each in folder.iterdir() if (found := _OF_2017.fullmatch(each.name))}
    return {"engine": engines.pop()} if len(engines) == 1 else {}


def _step(file: Path, name: str) -> ForeignStep:
    """One output; raises ValueError with what is missing in it."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES >> 20} MB")
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(error.strerror) from None
    if not _HEAD.search(text):
        raise ValueError("it is no output of sysbench")
    if "FATAL:" in text:
        raise ValueError(f"sysbench has failed: {text[text.index('FATAL:') :].splitlines()[0]}")
    threads = int(_needed(_THREADS, text, "Number of threads"))
    return ForeignStep(
        Step(name, "drive", threads=threads, coordinates={"threads": threads}),
        value=float(_needed(_QPS, text, "queries")),
        seconds=float(_needed(_TIME, text, "total time")),
        totals={key: int(found[1]) for key, form in _COUNTS.items() if (found := form.search(text))},
        latency_ms=_latency(text),
        reported=_reported(text),
    )


def _needed(form: re.Pattern[str], text: str, name: str) -> str:
    found = form.findall(text)
    if not found:
        raise ValueError(f"it has no line '{name}': the end is missing, or it is of another version")
    if len(found) > 1:
        raise ValueError(f"it has {len(found)} lines '{name}': more than one run, or a checkpoint")
    return str(found[0])


def _latency(text: str) -> dict[str, float]:
    """In ms; 99th percentile is p99."""
    found = {}
    for name, value in _LATENCY.findall(text):
        number = re.match(r"\d+", name)
        found[f"p{number[0]}" if number else name] = float(value)
    return found


def _reported(text: str) -> tuple[Second, ...]:
    found, before = [], 0.0
    for each in _SECOND.finditer(text):
        t = float(each["t"])
        carries_p95 = each["percent"] == "95" and float(each["tps"]) * (t - before) >= P95_EVENTS
        latency = float(each["latency"]) if carries_p95 else None
        values = (float(each["qps"]), float(each["tps"]), float(each["errors"]), latency)
        if t > before:
            found.append(Second(t, t - before, values))
        before = t
    return tuple(found)
