"""`dyno` opened during a plan, with a target that answers at once; it prints when Live shows the plan."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOOK_MS = 5
BEAT = b'{"beat":1,"at":%.3f,"locked":true}\n'


@dataclass(frozen=True)
class UnderWay:
    """What the child is told: a plan that goes on, and what the target has of it."""

    plan: str
    session: str
    offset: int  # bytes that are stored
    seconds: int  # of the session
    t: float  # of the last of them
    more: str  # the next second


class Target:
    """A target without a machine: an agent that goes on with the session by a second."""

    returncode: int | None = None
    stderr = b""

    def __init__(self, told: UnderWay) -> None:
        self._told = told
        self._waiting: list[bytes] = []
        self.connection = self

    def follow(self, _plan: str, offsets: Mapping[str, int]) -> Target:
        assert offsets == {self._told.session: self._told.offset}
        more = self._told.more.encode()
        head = {"session": self._told.session, "offset": self._told.offset, "bytes": len(more)}
        self._waiting = [BEAT % time.time(), json.dumps(head).encode() + b"\n" + more]
        return self

    def read(self, timeout_s: float) -> bytes:
        if self._waiting:
            return self._waiting.pop(0)
        time.sleep(timeout_s)
        return BEAT % time.time()

    def close(self) -> None:
        pass


def main() -> int:
    """`dyno`, but for its target."""
    from ui.core.imports import speed_up_imports

    speed_up_imports()
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from ui.core.plans import PlanFollowing
    from ui.shell import application
    from ui.shell.window import Window

    told = UnderWay(**json.loads(sys.argv.pop()))
    PlanFollowing.adopt = lambda self: self._tasks.run(self, lambda: _find(told), self._on_found, print)  # type: ignore[method-assign]
    make = application.make_application

    def make_watched() -> Any:
        made = make()
        looks = QTimer(made, interval=LOOK_MS)
        looks.timeout.connect(lambda: _look(told, looks, found))
        looks.start()
        return made

    def _windows() -> list[Window]:
        return [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]

    def _look(told: UnderWay, looks: QTimer, found: list[float]) -> None:
        for window in _windows():
            pages = window.pages
            if "bench" in pages and "live" not in pages:
                window.show_page("live")  # as somebody who is quick
            elif "live" in pages and _is_shown(pages["live"], told, more=bool(found)):
                window.repaint()
                found += [time.monotonic()] if found else [time.monotonic(), time.process_time()]
        if len(found) == 3:
            print(*found, flush=True)
            os._exit(0)

    found: list[float] = []
    application.make_application = make_watched
    return application.open_window()


def _find(told: UnderWay) -> list[Any]:
    from app.following.adoption import RemotePlan
    from app.protocol.answers import SessionJournalSize
    from app.targets.store import Targets
    from ui.core import following

    following.agent_of = lambda *_: Target(told)  # type: ignore[assignment]
    sessions = [SessionJournalSize(told.session, told.offset, False)]
    return [RemotePlan(Targets().get("local"), "/dyno", told.plan, "a plan", "a" * 64, True, sessions)]


def _is_shown(page: Any, told: UnderWay, more: bool) -> bool:
    """State in words, and all seconds in the chart."""
    seen, second = page.watching.loaded, told.seconds + more
    if seen is None or seen.curves.t < told.t + more or not page.isVisible():
        return False
    drawn = len(page.body.charts.qps.track("load.queries"))
    return drawn >= second and ": second " in page.body.header.text


if __name__ == "__main__":
    raise SystemExit(main())
