"""A desktop killed with SIGKILL at any moment leaves a history that agrees with its journals."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from tests import journals

KILLS = 15
PLAN = journals.plan(its_steps=journals.steps(threads=[1, 2, 3, 4], seconds=250))
WHOLE = journals.whole(PLAN)

STORE = """
import sys
from pathlib import Path
import numpy  # before the clock ticks
from app.history.store.history import History
from app.history.recorded.writing import JournalStorer

home, journal, plan, session = sys.argv[1:]
lines = Path(journal).read_bytes().splitlines(keepends=True)
with History(Path(home)) as history:
    writer = JournalStorer(history)
    writer.recover(plan, session)
    offset = writer.offset(session)
    print("begun", flush=True)
    at = 0
    for line in lines:
        if at >= offset:
            writer.append(plan, session, at, line)
        at += len(line)
"""


def store_and_kill(home: Path, journal: Path, seconds: float) -> None:
    command = [sys.executable, "-c", STORE, str(home), str(journal), PLAN.id, WHOLE.session]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(seconds)  # the moment is random, nothing is waited for
        process.kill()


def check(home: Path) -> int:
    """The journal has what is stored, and perhaps what was being stored; returns how much is."""
    with History(home) as history:
        assert history.one("PRAGMA quick_check") == ("ok",)
        assert history.query("PRAGMA foreign_key_check") == []
        offset = JournalStorer(history).offset(WHOLE.session)
        journal = home / "journals" / f"{WHOLE.session}.jsonl"
        kept = journal.read_bytes() if journal.exists() else b""  # killed before its first byte
        assert kept[:offset] == WHOLE.raw[:offset]
        stored = WHOLE.raw[:offset].count(b"\n")
        assert history.query("SELECT seq FROM journal") == [(stored,)] if stored else True
        return offset


def test_killed_in_the_middle_of_storing(tmp_path: Path) -> None:
    moments = random.Random(1)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(WHOLE.raw)
    home = tmp_path / "home"
    offsets, latest_s = [0], 0.01
    for _ in range(KILLS):
        store_and_kill(home, journal, moments.uniform(0.0, latest_s))
        offsets.append(check(home))
        is_early = offsets[-1] == offsets[-2]  # on a busy machine nothing is stored so soon
        latest_s = min(2 * latest_s, 0.5) if is_early else max(latest_s / 2, 0.01)
    assert offsets == sorted(offsets)
    assert len(set(offsets)) > 5, "the kills hit nothing"
    with History(home) as history:
        writer = JournalStorer(history)
        writer.recover(PLAN.id, WHOLE.session)
        offset = writer.offset(WHOLE.session)
        writer.append(PLAN.id, WHOLE.session, offset, WHOLE.raw[offset:])
        killed = history.query("SELECT * FROM block ORDER BY step, series")
    with History(tmp_path / "whole") as whole:
        JournalStorer(whole).append(PLAN.id, WHOLE.session, 0, WHOLE.raw)
        assert killed == whole.query("SELECT * FROM block ORDER BY step, series")
    assert (home / "journals" / f"{WHOLE.session}.jsonl").read_bytes() == WHOLE.raw
