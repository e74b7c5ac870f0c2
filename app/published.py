"""Results that somebody published as a table: read from CSV, and made into journals without seconds.

The file begins with lines `# author: `, `# article: `, `# date: ` and, if wished, `# url: ` and `# note: `;
then comes a header, and one line a figure. The columns `session`, `step`, `unit` and `value` are needed, the
others may be left out.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .errors import InputError
from .ids import encode
from .protocol.events import (
    PROTOCOL,
    Note,
    SessionEnded,
    SessionPlanned,
    SessionStarted,
    StepEnded,
    StepStarted,
)
from .protocol.events import encode as line_of
from .protocol.plan import STEP_KINDS, Contender, Plan, Step, Turn, digest

SOURCE = ("author", "article", "date", "url", "note")
NEEDED = ("session", "step", "unit", "value")
KNOWN = (
    *NEEDED, "target", "build", "family", "version", "engine", "preset", "table_options", "sequence", "group",
    "kind", "threads", "seconds",
)  # fmt: skip
MAX_BYTES = 10 << 20
_DATES = ("%Y-%m-%d", "%Y-%m", "%Y")
_OF_CONTENDER = ("build", "family", "version", "engine", "preset", "table_options")


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    line: int
    step: Step
    value: float
    seconds: float


@dataclass
class PublishedSession:
    """All lines that name one session."""

    name: str
    row: Mapping[str, str]  # its first line: target and contender
    figures: list[Figure] = field(default_factory=list)


@dataclass(frozen=True)
class PublishedTable:
    source: dict[str, str]
    at: float  # of its date
    sessions: list[PublishedSession]


def read_table(file: Path) -> PublishedTable:
    """The table of a file; raises InputError that names the first line that is wrong."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"{file} is not imported: it has more than {MAX_BYTES >> 20} MB")
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is not imported: {getattr(error, 'strerror', None) or error}") from None
    try:
        source = dict(_source(lines))
        return PublishedTable(source, _time_of(source), _sessions(lines))
    except ValueError as error:
        raise InputError(f"{file} is not imported: {error}") from None


def _source(lines: list[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            return
        name, colon, text = line[1:].partition(":")
        if not colon or name.strip() not in SOURCE:
            raise ValueError(
                f"line {number}: begins with none of {', '.join(f'# {each}:' for each in SOURCE)}"
            )
        yield name.strip(), text.strip()


def _time_of(source: Mapping[str, str]) -> float:
    for name in ("author", "article", "date"):
        if not source.get(name):
            raise ValueError(f"a line '# {name}: ...' is missing before the header")
    for form in _DATES:
        try:
            return datetime.strptime(source["date"], form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise ValueError(f"the date {source['date']!r} is none like 2017-11-30, 2017-11 or 2017")


def _sessions(lines: list[str]) -> list[PublishedSession]:
    first = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    reader = csv.DictReader(lines[first:], strict=True)
    _check_header(reader.fieldnames or [])
    found: dict[str, PublishedSession] = {}
    try:
        for row in reader:
            number = first + reader.line_num
            if None in row or None in row.values():
                raise ValueError(f"line {number}: has not as many fields as the header")
            _add(found, row, number)
    except csv.Error as error:
        raise ValueError(f"line {first + reader.line_num}: {error}") from None
    if not found:
        raise ValueError("it holds no figure")
    return list(found.values())


def _check_header(names: object) -> None:
    header = list(names) if isinstance(names, list | tuple) else []
    missing = [name for name in NEEDED if name not in header]
    unknown = [name for name in header if name not in KNOWN]
    if missing:
        raise ValueError(f"its header lacks {', '.join(missing)}")
    if unknown or len(set(header)) < len(header):
        raise ValueError(
            f"its header names {', '.join(unknown) or 'a column twice'}; known are {', '.join(KNOWN)}"
        )


def _add(found: dict[str, PublishedSession], row: dict[str, str], number: int) -> None:
    name = row["session"].strip()
    if not name or not row["step"].strip():
        raise ValueError(f"line {number}: names no session or no step")
    session = found.setdefault(name, PublishedSession(name, row))
    for column in ("target", "sequence", *_OF_CONTENDER):
        if row.get(column, "") != session.row.get(column, ""):
            raise ValueError(f"line {number}: {column} is another one than in the first line of {name}")
    figure = _figure(row, number)
    if any(each.step.label == figure.step.label for each in session.figures):
        raise ValueError(f"line {number}: {name} has a figure of {figure.step.label} already")
    session.figures.append(figure)


def _figure(row: Mapping[str, str], number: int) -> Figure:
    kind = row.get("kind") or "drive"
    if kind not in STEP_KINDS:
        raise ValueError(f"line {number}: kind is {kind!r}, none of {', '.join(STEP_KINDS)}")
    threads = _number(row.get("threads") or "1", "threads", number)
    step = Step(
        row["step"].strip(),
        kind,
        group=row.get("group") or "",
        unit=row["unit"].strip(),
        threads=int(threads),
        coordinates={"threads": int(threads)} if row.get("threads") else {},
    )
    seconds = _number(row.get("seconds") or "0", "seconds", number)
    return Figure(number, step, _number(row["value"], "value", number), seconds)


def _number(text: str, name: str, number: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e15:
        raise ValueError(f"line {number}: {name} is {text!r}, no number from 0 up")
    return value


# as journals


def journal_of(table: PublishedTable, session: PublishedSession) -> tuple[str, str, bytes]:
    """Id of the session, id of its plan, and the journal; the same table gives the same."""
    plan = _plan(table, session)
    id_ = plan.turns[0].session
    t, events = 0.0, [SessionPlanned(1, 0.0, table.at, "{}.{}".format(*PROTOCOL), id_, plan.to_json())]
    rest: list[object] = [SessionStarted(2, 0.0, table.at, agent="", pid=0)]
    rest.append(Note(3, 0.0, table.at, source_text(table.source)))
    for at, figure in enumerate(session.figures):
        rest.append(StepStarted(len(rest) + 2, t, table.at + t, at))
        t += figure.seconds
        rest.append(
            StepEnded(
                len(rest) + 2, t, table.at + t, at, "completed", value=figure.value, seconds=figure.seconds
            )
        )
    rest.append(SessionEnded(len(rest) + 2, t, table.at + t, "completed", "", len(rest) + 2))
    return id_, plan.id, b"".join(map(line_of, [*events, *rest]))


def source_text(source: Mapping[str, str]) -> str:
    """`published by AUTHOR, DATE: ARTICLE`, and what else was said."""
    more = [source[name] for name in ("url", "note") if source.get(name)]
    return ". ".join([f"published by {source['author']}, {source['date']}: {source['article']}", *more])


def _plan(table: PublishedTable, session: PublishedSession) -> Plan:
    row, steps = session.row, [figure.step for figure in session.figures]
    content = [
        sorted(table.source.items()),
        session.name,
        *[[f.step.label, f.value] for f in session.figures],
    ]
    what = {name: row.get(name, "") for name in _OF_CONTENDER}
    contender = Contender(
        name=session.name, base="", server="", cnf="",
        fingerprint=digest(["published", sorted(table.source.items()), what]), **what,
    )  # fmt: skip
    target = row.get("target") or "published"
    return Plan(
        id=_id(content, "plan", table.at),
        name=table.source["article"],
        target=target,
        machine_key=digest(["published", table.source["author"], target]),
        sequence=row.get("sequence", ""),
        contenders=[contender],
        steps=steps,
        turns=[Turn(_id(content, "session", table.at), session.name, 0, 1, 1)],
        files={},
        tables=0,
        rows=0,
        seconds=0,
        warmup=0,
        pause=0,
        threads=sorted({step.threads for step in steps}),
        repeats=1,
    )


def _id(content: object, what: str, at: float) -> str:
    """Made of the content, so that a table that is imported again is known; sorted by its date."""
    drawn = int.from_bytes(hashlib.sha256(digest([content, what]).encode()).digest()[:10], "big")
    return encode(max(0, int(at * 1000)) << 80 | drawn)
