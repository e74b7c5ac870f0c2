"""Every reader of the history, asked about a session: each answers, or refuses in one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

from app import cli
from app.cli.parser import whole_parser
from app.core.errors import DynoError
from app.following.progress import PlanProgress
from app.history.lists.browsing import Filter, Order, browse, facets, read_session_lines
from app.history.recorded.counting import unsteady_steps
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.writing import JournalStorer
from app.history.steps.timeline import ghosts
from app.history.store.history import History
from app.protocol.events import ProtocolError
from tests import journals

PARSER = whole_parser()
Complaint = tuple[str, str]  # which reader, and what came of it

ITS_PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")])
INTACT = journals.whole(ITS_PLAN, ITS_PLAN.turns[1].session)


def home_with_intact(folder: Path) -> Path:
    """A DYNO_HOME with one intact session: what others are compared with."""
    with History(folder) as history:
        JournalStorer(history).append(ITS_PLAN.id, INTACT.session, 0, INTACT.raw)
    return folder


def complaints(base: Path, folder: Path, session: str, raw: bytes, *, fully: bool = True) -> list[Complaint]:
    """What went wrong otherwise than in one line, with a journal that a target has sent."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    found = list(_attempt("store", lambda: _store(folder, session, raw)))
    if found:
        return found
    with History(folder) as history:
        is_there = history.one("SELECT 1 FROM session WHERE id = ?", (session,)) is not None
    if not is_there:
        return list(_attempt("rebuild", lambda: rebuild(folder)))
    for name, ask in _questions(folder, session):
        found += _attempt(name, ask)
    if fully:
        for words in _commands(folder, session):
            found += _command(folder, words)
    return found


def _store(folder: Path, session: str, raw: bytes) -> None:
    with History(folder) as history:
        writer = JournalStorer(history)
        events = writer.append("", session, 0, raw)
        progress = PlanProgress()
        progress.take_all(session, events.lines)
        for event in events:
            progress.take(session, event)
        if progress.plan is not None:
            _look_at(progress, session)


def _look_at(progress: PlanProgress, session: str) -> None:
    """All that the window and `dyno follow` show of a plan."""
    for value in (progress.line, progress.qps_text, progress.left_s, progress.elapsed_s, progress.finish_at):
        str(value)
    str((progress.left_text(), progress.ending, progress.current, progress.after(session)))
    for at in range(len(progress.plan.steps) if progress.plan else 0):
        progress.length_s(session, at)


def _questions(folder: Path, session: str) -> Iterator[tuple[str, Callable[[], object]]]:
    def asked(question: Callable[[History], object]) -> Callable[[], object]:
        def ask() -> object:
            with History(folder) as history:
                return question(history)

        return ask

    def look(history: History) -> object:
        found = browse(history, Filter(), Order())
        return facets(history, Filter()), read_session_lines(history, found.ids), ghosts(history, session)

    yield "browse", asked(look)
    yield "unsteady", asked(lambda history: unsteady_steps(history, ITS_PLAN.id))


def _commands(folder: Path, session: str) -> Iterator[list[str]]:
    both = [session, INTACT.session]
    for verb in ("show", "settings"):
        yield ["session", verb, session]
        yield ["session", verb, session, "--json"]
    yield ["session", "list"]
    yield ["session", "list", "--json"]
    for step in ("point-query", "load"):
        yield ["session", "series", session, step, "--json", *(["--threads", "2"] if step != "load" else [])]
    for form in ("table", "json", "csv", "md"):
        yield ["compare", *both, "--format", form]
    yield ["compare", *reversed(both), "--details"]
    for how in ("--setup", "--why", "--pre"):
        yield ["compare", *both, how]
    yield ["compare", *both, "--why", "point-query threads=1"]
    yield ["compare", *both, "--measure", "cpu_us"]
    for chart in ("bars", "sweep", "seconds", "latency", "size", "before-after"):
        yield ["chart", chart, *both, *(["--step", "point-query threads=1"] if chart != "bars" else [])]
    for form in ("html", "md", "csv"):
        yield ["report", *both, "--out", str(folder / f"report.{form}")]
    yield ["session", "script", session, "--out", str(folder / "script")]
    yield ["session", "export", session, str(folder / "out.zip")]
    yield ["import", str(folder / "out.zip")]
    yield ["doctor", "--rebuild"]


def _command(folder: Path, words: Sequence[str]) -> Iterator[Complaint]:
    """A command line, as people give it; what it prints for scripts must be JSON."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, DYNO_HOME=str(folder)),
        mock.patch("app.cli.parser.dyno_parser", lambda _: PARSER),  # made once: it takes 20 ms
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = cli.main(words)
    said = err.getvalue()
    what = " ".join(word for word in words if "/" not in word and not word.isdigit())
    if "did not expect" in said:
        log = (folder / "log" / "errors.log").read_text(encoding="utf-8", errors="replace")
        yield what, log.strip()[-1500:]
        (folder / "log" / "errors.log").unlink()
    elif code not in (0, 1, 2) or len(said.splitlines()) > 1:
        yield what, f"exit code {code}: {said[:300]}"
    elif code == 0 and ("--json" in words or "json" in words):
        yield from _attempt(f"{what} as JSON", lambda: json.loads(out.getvalue(), parse_constant=_refuse))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _attempt(name: str, ask: Callable[[], object]) -> Iterator[Complaint]:
    try:
        ask()
    except (DynoError, ProtocolError) as error:
        if "\n" in str(error):
            yield name, f"an error of several lines: {str(error)[:300]}"
    except Exception:
        yield name, traceback.format_exc()[-1500:]
