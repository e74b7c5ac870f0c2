"""Reads from the error log why a server did not start or has ended."""

from __future__ import annotations

import re
from typing import Optional, Sequence

MAX_CHARS = 400
RECENT = 50  # lines that may say why a server is gone
NEAR = 12  # lines of a failed assertion, before the signal that it ends with
NO_ERROR = "the error log contains no error"

# MySQL 5.5 has no thread in it, and before ten o'clock some have a second blank
_STAMP = re.compile(r"^(?:\d{4}-\d\d-\d\d|\d{6})(?:T| +)[\d:.]+Z?(?: +(?:0x)?[0-9a-f]+)? +")
_TAGS = re.compile(r"^\s*(?:\[[^\]]*\] )+(?:Buffered \w+: )?(?:\S*(?:mysqld|mariadbd)\S*: )?")
_ERROR = re.compile(r"\[ERROR\]|^ERROR: \d")  # the second is of a statement that makes system tables
# MySQL does not call it an error; MySQL 8.0 repeats it at its next start, with [System]
_CRASH = re.compile(r"^(?!.*\[System\]).*?((?:mysqld|mariadbd) got signal \d+)")
# a binary log that a power cut has torn is read up to there
_NO_CAUSE = re.compile(
    r"Aborting|error-message ?file|messagefile|mysql\.plugin table|Log_event::read_log_event"
)


def bare_log_line(line: str) -> str:
    """A line without time, process and brackets."""
    return _TAGS.sub("", _STAMP.sub("", line.strip())).strip()


def exit_text(code: Optional[int]) -> str:
    """How a program ended."""
    return "by signal {}".format(-code) if code is not None and code < 0 else "with exit code {}".format(code)


def first_error(lines: Sequence[str]) -> str:
    """Why a server did not come up: the errors behind the first one are what came of it.

    InnoDB of MySQL 5.5 and RocksDB say what is wrong in a line without brackets, right before it.
    """
    for before, line in zip(["", *lines], lines):
        if _is_error(line):
            cause = "" if "[" in before or _CRASH.search(line) else bare_log_line(before)
            return "; ".join(filter(None, [cause, _error_text(line)]))[:MAX_CHARS]
    return NO_ERROR


def last_error(lines: Sequence[str]) -> str:
    """What a server that was up said last: its last error, or its signal behind the error that led to it."""
    crash = next((at for at in reversed(range(len(lines))) if _CRASH.search(lines[at])), None)
    near = lines[-RECENT:] if crash is None else lines[max(crash - NEAR, 0) : crash + 1]
    errors = [_error_text(line) for line in near if _is_error(line)]
    return "; ".join(errors[-1:] if crash is None else errors[-2:])[:MAX_CHARS] or NO_ERROR


def _is_error(line: str) -> bool:
    return bool(_CRASH.search(line) or _ERROR.search(line)) and not _NO_CAUSE.search(line)


def _error_text(line: str) -> str:
    crash = _CRASH.search(line)
    return crash.group(1) if crash else bare_log_line(line)
