"""Sessions from sysbench output: a file, a folder, a result folder of small-datum (`sb.*`).

Of a folder each file is a step, named as the file is; other files are reported, not guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.core.errors import InputError

from .numbers import MOST, number
from .session import ForeignSession, ImportedStep
from .sysbench import parse_sysbench_output, text_of

RANGED = ("read-only", "read-write", "random-points")  # tests whose range is part of their name with Dyno

_ENDINGS = (".txt", ".log", ".out")
_OF_2017 = re.compile(r"sb\.o\.nt\d+\.nr\d+\.range(?P<range>\d+)\.(?P<engine>[a-z]+)\.(?P<test>.+)", re.ASCII)
_OF_TODAY = re.compile(r"sb\.o\.(?P<test>.+?)\.range(?P<range>\d+)\.pk[01]\.dop\d+", re.ASCII)
_LINE_OF_TABLES = re.compile(r"^\S*sysbench .*--table-size=(\d+) .*--tables=(\d+) ", re.MULTILINE | re.ASCII)
_ENGINE = re.compile(r"\t(?P<engine>[a-z]+) \S+ range=\d+$")


@dataclass
class ReadFolder:
    """The session of a folder, and each file that is not part of it with the reason."""

    session: ForeignSession
    problems: list[str] = field(default_factory=list)


def read_output(file: Path) -> ForeignSession:
    """A session of one step; raises InputError where it is no whole output."""
    try:
        step = _step(file)
    except ValueError as error:
        raise InputError(f"cannot import {file}: {error}") from None
    return _session(file, step.step.name, [step])


def read_output_folder(folder: Path) -> ReadFolder:
    """A session of all outputs in a folder, by name; raises InputError where there is none."""
    files = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    found: list[ImportedStep] = []
    problems = list(_without_output([each.name for each in files]))
    for file in filter(_may_be_output, files):
        try:
            step = _step(file)
            if any(step.step.label == each.step.label for each in found):
                raise ValueError(f"another file is step {step.step.label} too")
            found.append(step)
        except ValueError as error:
            problems.append(f"skipped {file.name}: {error}")
    if not found:
        more = f": {problems[0]}" if problems else ""
        raise InputError(f"{folder} contains no readable sysbench output{more}")
    session = _session(folder, folder.resolve().name, found)
    session.contender = _contender_of(files)
    return ReadFolder(session, problems)


def _may_be_output(file: Path) -> bool:
    """Other files that small-datum keeps next to the outputs are skipped."""
    return not file.name.startswith("sb.") or (
        file.name.startswith("sb.o.") and not file.name.startswith("sb.o.pw.")
    )


def _without_output(names: Sequence[str]) -> Iterator[str]:
    """Results of small-datum of which only the figures are left: nobody knows of how many threads."""
    for name in names:
        kind, _, test = name.partition(".qps.")
        if kind == "sb.r" and not any(each.startswith(f"sb.o.{test}") for each in names):
            yield f"skipped {name}: it does not name the threads, and there is no sb.o.{test}..."


def _session(path: Path, name: str, steps: list[ImportedStep]) -> ForeignSession:
    said = f"output of sysbench, read from {path.resolve().name}"
    return ForeignSession(name, path.stat().st_mtime, said, steps=steps)


def _step(file: Path) -> ImportedStep:
    """Raises ValueError where it is no whole output."""
    if not file.name.isprintable():
        raise ValueError("its name contains unprintable characters")
    if file.is_dir():
        raise ValueError("it is a folder: import it by itself")
    text, (test, name) = text_of(file), _test_and_name(file)
    step = parse_sysbench_output(text, name)
    return _as_scan(step, text) if test == "scan" else step


def _test_and_name(file: Path) -> tuple[str, str]:
    """The test of small-datum, '' for others; the step, as small-datum or without an ending."""
    found = _OF_2017.fullmatch(file.name) or _OF_TODAY.fullmatch(file.name)
    if found is None:
        return "", file.stem if file.suffix in _ENDINGS else file.name
    test = found["test"]
    return test, f"{test}.range{found['range']}" if test.startswith(RANGED) else test


def _as_scan(step: ImportedStep, text: str) -> ImportedStep:
    """A scan of small-datum has a figure in rows: those of all tables that its command line names."""
    found = _LINE_OF_TABLES.search(text)
    if found is None:
        raise ValueError("it is a scan without a command line, so its rows are unknown")
    rows = (number(found[1]) or 0) * (number(found[2]) or 0)
    value = round(rows / step.seconds, 2)
    if not 0 < value < MOST:
        raise ValueError("its command line gives no valid number of rows for a scan")
    return replace(step, step=replace(step.step, kind="scan", unit="rows/s"), value=value)


def _contender_of(files: Sequence[Path]) -> dict[str, str]:
    """The engine, where all files of small-datum name the same."""
    engines = set(filter(None, map(_engine_of, files)))
    return {"engine": engines.pop()} if len(engines) == 1 else {}


def _engine_of(file: Path) -> str:
    """The engine in the name of an output, or at the end of the line in sb.r.qps."""
    found = _OF_2017.fullmatch(file.name)
    if found is None and file.name.startswith("sb.r.qps."):
        try:
            found = _ENGINE.search(text_of(file).rstrip())
        except ValueError:
            return ""
    return found["engine"] if found else ""
