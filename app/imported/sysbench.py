"""The text output of sysbench, as 0.4, 0.5, 1.0 and 1.1 print it: a file is a step."""

from __future__ import annotations

import re
from pathlib import Path

from app.protocol.plan import Step
from app.protocol.series import P95_EVENTS

from .numbers import number
from .session import SERIES, ImportedStep, ReportedInterval

MAX_BYTES = 64 << 20
LONGEST_S = 1_000_000  # of a test, more than eleven days: a place is made for each of its seconds

_FLAGS = re.MULTILINE | re.ASCII
_HEAD = re.compile(r"^sysbench (\d+\.\d+\S*)", _FLAGS)
_THREADS = re.compile(r"^Number of threads: (\d+)$", _FLAGS)
_TIME = re.compile(r"^ {4}(?:total time|time elapsed): +([\d.]+)s$", _FLAGS)
_QUERIES = re.compile(r"^ {8}total: +(\d+)$", _FLAGS)
_QPS = re.compile(r"^ {4}queries: +\d+ +\(([\d.]+) per sec\.\)$", _FLAGS)  # since 1.0
_COUNTS = {
    "reads": re.compile(r"^ {8}read: +(\d+)$", _FLAGS),
    "writes": re.compile(r"^ {8}write: +(\d+)$", _FLAGS),
    "other": re.compile(r"^ {8}other: +(\d+)$", _FLAGS),
    "transactions": re.compile(r"^ {4}transactions: +(\d+) ", _FLAGS),
    "queries": _QUERIES,
    "errors": re.compile(r"^ {4}(?:ignored errors|deadlocks): +(\d+) ", _FLAGS),
    "reconnects": re.compile(r"^ {4}reconnects: +(\d+) ", _FLAGS),
    "events": re.compile(r"^ {4}total number of events: +(\d+)$", _FLAGS),
}
_LATENCY = re.compile(
    r"^ +(?P<name>min|avg|max|(?:approx\. +)?(?P<percent>\d+)(?:st|nd|rd|th)? percentile):"
    r" +(?P<value>[\d.]+)(?P<unit>ms|s)?$",
    _FLAGS,
)
_OF_05 = re.compile(
    r"^\[ *(?P<t>\d+)s\] threads: \d+, tps: (?P<tps>[\d.]+), reads(?:/s)?: (?P<reads>[\d.]+),"
    r" writes(?:/s)?: (?P<writes>[\d.]+), response time: (?P<latency>[\d.]+)ms \((?P<percent>\d+)%\)"
    r"(?:, errors: (?P<errors>[\d.]+))?",
    _FLAGS,
)
_SINCE_10 = re.compile(
    r"^\[ (?P<t>\d+)s \] thds: \d+ tps: (?P<tps>[\d.]+) qps: (?P<qps>[\d.]+)"
    r" \(r/w/o: (?P<reads>[\d.]+)/(?P<writes>[\d.]+)/(?P<other>[\d.]+)\)"
    r" lat \(ms,(?P<percent>\d+)%\): (?P<latency>[\d.]+) err/s:? (?P<errors>[\d.]+)",
    _FLAGS,
)
_PRINTED = {
    "load.queries": "qps",
    "load.reads": "reads",
    "load.writes": "writes",
    "load.other": "other",
    "load.transactions": "tps",
    "load.errors": "errors",
    "load.latency_p95_ms": "latency",
}


def is_sysbench_output(file: Path) -> bool:
    """Whether a file begins as sysbench does."""
    try:
        if not file.is_file():  # the reader says why
            return False
        with file.open("rb") as opened:
            return _HEAD.search(opened.read(4096).decode("utf-8", "replace")) is not None
    except OSError:
        return False


def text_of(file: Path) -> str:
    """All of it; raises ValueError where it cannot be read."""
    try:
        if file.exists() and not file.is_file():  # a pipe or device would be read for ever
            raise ValueError("it is not a regular file")
        if file.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(error.strerror) from None


def parse_sysbench_output(text: str, name: str) -> ImportedStep:
    """The step of an output; raises ValueError with what is missing."""
    if not _HEAD.search(text):
        raise ValueError("it is not sysbench output" if text else "it is empty")
    if "FATAL:" in text:
        raise ValueError(f"sysbench failed: {text[text.index('FATAL:') :].splitlines()[0]}")
    threads = _count(_needed(_THREADS, text, "Number of threads", "it is not the output of a test"))
    seconds = _seconds(_needed(_TIME, text, "total time", "the end of the output is missing"))
    queries = _count(_needed(_QUERIES, text, "queries performed", "the test used no database"))
    if not seconds or not threads:
        raise ValueError("its total time is 0 s" if not seconds else "its number of threads is 0")
    printed = _QPS.search(text)
    return ImportedStep(
        Step(name, "drive", threads=threads, coordinates={"threads": threads}),
        value=_figure(printed[1]) if printed else round(queries / seconds, 2),
        seconds=seconds,
        totals={key: _count(found[1]) for key, form in _COUNTS.items() if (found := form.search(text))},
        latency_ms=_latency(text),
        reported=_reported(text),
    )


def _figure(text: str) -> float:
    figure = number(text)
    if figure is None:
        raise ValueError(f"{text[:40]} is not a number that sysbench prints")
    return figure


def _seconds(text: str) -> float:
    seconds = _figure(text)
    if seconds > LONGEST_S:
        raise ValueError(f"{text[:40]} s is too long for a test, at most {LONGEST_S:,} s are allowed")
    return seconds


def _count(text: str) -> int:
    _figure(text)
    return int(text)


def _needed(form: re.Pattern[str], text: str, name: str, otherwise: str) -> str:
    found = form.findall(text)
    if not found:
        raise ValueError(f"it has no line '{name}': {otherwise}")
    if len(found) > 1:
        raise ValueError(f"it has {len(found)} lines '{name}': import one run per file, without checkpoints")
    return str(found[0])


def _latency(text: str) -> dict[str, float]:
    """In ms; the 99th percentile is p99."""
    found = {}
    for each in _LATENCY.finditer(text):
        name = f"p{each['percent']}" if each["percent"] else each["name"]
        found[name] = _figure(each["value"]) * (1000 if each["unit"] == "s" else 1)
    return found


def _reported(text: str) -> tuple[ReportedInterval, ...]:
    """What was printed on the way (0.4 does not); what a version does not print is missing."""
    found, before = [], 0.0
    for each in (_SINCE_10 if _SINCE_10.search(text) else _OF_05).finditer(text):
        values, t = each.groupdict(), _seconds(each["t"])
        if values["percent"] != "95" or _figure(values["tps"]) * (t - before) < P95_EVENTS:
            values["latency"] = None
        if t > before:
            said = [values.get(_PRINTED[series.name]) for series in SERIES]
            found.append(
                ReportedInterval(
                    t, t - before, tuple(None if text is None else _figure(text) for text in said)
                )
            )
        before = t
    return tuple(found)
