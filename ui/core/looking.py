"""Finding what others have started or changed, when a person turns to the window; no clock asks a target."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from .bus import Bus, PartsToReload

if TYPE_CHECKING:
    from app.remote.target import Target

    from .plans import PlanFollowing
    from .tasks import Tasks

SPARE_S = 20.0  # a target is left alone for so long after it was asked


class RunningPlanFinder(QObject):
    """Asks the targets that answered last, except where the window follows a plan already."""

    def __init__(
        self, home: Path, tasks: Tasks, bus: Bus, plans: PlanFollowing, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._home, self._tasks, self._bus, self._plans = home, tasks, bus, plans
        self._answered: set[str] = set()  # names of targets
        self._asked: dict[str, float] = {}  # when, by their names
        self._written: float | None = None  # when the history was, as far as the pages know
        plans.looked.connect(self._on_looked)

    def look(self) -> None:
        """Read the history if a command has written to it, and look for plans on targets."""
        due = {name for name in self._answered if self._is_due(name)}
        self._tasks.run(self, lambda: _found(self._home, due), self._on_found, lambda _: None)

    def look_again(self) -> None:
        """The same, where a person asks for it."""
        self._bus.said.emit("Looking for new sessions and plans")
        self.look()

    def look_at(self, target: Target) -> None:
        """Look for plans there, unless that was done a moment ago."""
        if self._is_due(target.name):
            self._asked[target.name] = time.monotonic()
            self._answered.discard(target.name)  # until it answers
            self._plans.adopt_from(target)

    def _is_due(self, name: str) -> bool:
        is_spared = time.monotonic() - self._asked.get(name, -SPARE_S) < SPARE_S
        return not is_spared and not self._plans.is_at_work(name)

    def _on_looked(self, target: Target) -> None:
        self._answered.add(target.name)
        self._asked[target.name] = time.monotonic()

    def _on_found(self, found: tuple[list[Target], float]) -> None:
        targets, written = found
        for target in targets:
            self.look_at(target)
        if self._written not in (None, written):
            self._bus.changed.emit(PartsToReload(sessions=True))
        self._written = written


def _found(home: Path, names: set[str]) -> tuple[list[Target], float]:
    """The current targets of these names, and when the history was written to."""
    from app.targets.store import Targets

    files = [path for path in home.glob("history.sqlite*") if not path.name.endswith("-shm")]
    written = max((path.stat().st_mtime for path in files), default=0.0)
    return [each for each in Targets(home).all() if each.name in names], written
