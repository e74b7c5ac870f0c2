"""Results that somebody published as a table, read from CSV.

The file begins with lines `# author: `, `# article: `, `# date: ` and, if wished, `# url: ` and `# note: `;
then comes a header, and one line a figure. The columns `session`, `step`, `unit` and `value` are needed, the
others may be left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from app.core.errors import InputError
from app.protocol.plan import STEP_KINDS, Step

from .numbers import number
from .session import OF_CONTENDER, ForeignSession, ImportedStep

SOURCE = ("author", "article", "date", "url", "note")
NEEDED = ("session", "step", "unit", "value")
KNOWN = (*NEEDED, "target", *OF_CONTENDER, "sequence", "group", "kind", "threads", "seconds")
MAX_BYTES = 10 << 20
MOST_FIGURES = 10_000  # of a file; a published study has some hundreds
MOST_STEPS = 2_000  # of a session: its plan has to fit into a line of its journal
_DATES = ("%Y-%m-%d", "%Y-%m", "%Y")

Row = dict[str, str]


def read_foreign_sessions(file: Path) -> list[ForeignSession]:
    """The sessions of a file; raises InputError that names the first line that is wrong."""
    try:
        if file.exists() and not file.is_file():  # a pipe or device would be read for ever
            raise ValueError("it is not a regular file")
        if file.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
        lines = file.read_text(encoding="utf-8-sig").splitlines(keepends=True)
        source = dict(_source(lines))
        rows = list(_rows(lines))
        return _sessions(rows, source, _time_of(source))
    except UnicodeDecodeError:
        raise InputError(f"cannot import {file}: it is not UTF-8: save it as UTF-8") from None
    except (OSError, ValueError, csv.Error) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"cannot import {file}: {said}") from None


def _source(lines: list[str]) -> Iterator[tuple[str, str]]:
    for at, line in enumerate(lines, 1):
        if not line.startswith("#"):
            return
        name, colon, text = line[1:].partition(":")
        if not colon or name.strip() not in SOURCE:
            known = ", ".join(f"# {each}:" for each in SOURCE)
            raise ValueError(f"line {at}: must start with one of {known}")
        yield name.strip(), text.strip()


def _time_of(source: Mapping[str, str]) -> float:
    for name in ("author", "article", "date"):
        if not source.get(name):
            raise ValueError(f"the line '# {name}: ...' is missing above the header")
    for form in _DATES:
        try:
            at = datetime.strptime(source["date"], form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
        if at >= 0:
            return at
    raise ValueError(f"the date must be like 2017-11-30, 2017-11 or 2017, not {source['date']!r}")


def _rows(lines: list[str]) -> Iterator[tuple[int, Row]]:
    """The rows after the header, with their line numbers."""
    first = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if len(lines) - first > MOST_FIGURES + 1:
        raise ValueError(
            f"it has {len(lines) - first - 1:,} results, at most {MOST_FIGURES:,} are allowed: split it"
        )
    reader = csv.DictReader(lines[first:], strict=True)
    _check_header(list(reader.fieldnames or []))
    for row in reader:
        line = first + reader.line_num
        if None in row or None in row.values():
            raise ValueError(f"line {line}: must have as many fields as the header")
        yield line, row


def _check_header(header: list[str]) -> None:
    missing = [name for name in NEEDED if name not in header]
    unknown = [name for name in header if name not in KNOWN]
    if missing:
        parted = "; separate its fields by commas" if len(header) == 1 and ";" in header[0] else ""
        raise ValueError(f"its header lacks {', '.join(missing)}{parted}")
    if unknown or len(set(header)) < len(header):
        what = ", ".join(unknown) or "duplicate columns"
        raise ValueError(f"its header has {what}; valid columns are {', '.join(KNOWN)}")


def _sessions(rows: list[tuple[int, Row]], source: dict[str, str], at: float) -> list[ForeignSession]:
    found: dict[str, ForeignSession] = {}
    first: dict[str, Row] = {}
    labels: set[tuple[str, str]] = set()  # of the steps of each session
    for line, row in rows:
        name = row["session"].strip()
        if not name or not row["step"].strip() or not row["unit"].strip():
            raise ValueError(f"line {line}: session, step and unit must not be empty")
        if not all(text.isprintable() for text in row.values()):
            raise ValueError(f"line {line}: a field contains a line break or another unprintable character")
        if name not in found:
            found[name], first[name] = _session(name, row, source, at), row
        step = _step_of(found[name], row, first[name], line)
        if (name, step.step.label) in labels:
            raise ValueError(f"line {line}: {name} has a result for {step.step.label} already")
        labels.add((name, step.step.label))
        found[name].steps.append(step)
        if len(found[name].steps) > MOST_STEPS:
            raise ValueError(f"{name} has more than {MOST_STEPS:,} results: split it")
    if not found:
        raise ValueError("it contains no result")
    return list(found.values())


def _session(name: str, row: Row, source: dict[str, str], at: float) -> ForeignSession:
    contender = {column: row.get(column, "") for column in OF_CONTENDER}
    target, sequence = row.get("target", ""), row.get("sequence", "")
    return ForeignSession(name, at, _said(source), target, sequence, contender, [], source)


def _said(source: Mapping[str, str]) -> str:
    """`published by AUTHOR, DATE: ARTICLE`, and what else was said."""
    more = [source[name] for name in ("url", "note") if source.get(name)]
    return ". ".join([f"published by {source['author']}, {source['date']}: {source['article']}", *more])


def _step_of(session: ForeignSession, row: Row, first: Row, line: int) -> ImportedStep:
    for column in ("target", "sequence", *OF_CONTENDER):
        if row.get(column, "") != first.get(column, ""):
            raise ValueError(f"line {line}: {column} must be the same as in the first line of {session.name}")
    kind = row.get("kind") or "drive"
    if kind not in STEP_KINDS:
        raise ValueError(f"line {line}: kind must be one of {', '.join(STEP_KINDS)}, not {kind!r}")
    threads = _threads(row.get("threads") or "1", line)
    step = Step(
        row["step"].strip(),
        kind,
        group=row.get("group") or "",
        unit=row["unit"].strip(),
        threads=threads,
        coordinates={"threads": threads} if row.get("threads") else {},
    )
    seconds = _number(row.get("seconds") or "0", "seconds", line)
    return ImportedStep(step, _number(row["value"], "value", line), seconds)


def _threads(text: str, line: int) -> int:
    threads = number(text)
    if not threads or threads >= 1_000_000 or not text.isdecimal():
        raise ValueError(f"line {line}: threads must be a whole number from 1, not {text!r}")
    return int(threads)


def _number(text: str, name: str, line: int) -> float:
    value = number(text)
    if value is None:
        raise ValueError(f"line {line}: {name} must be a number from 0, not {text!r}")
    return value
