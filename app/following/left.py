"""Plans that were left to their targets, which this computer remembers until they are fetched."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from app.core.private import write_private

BEGIN_S = 3600.0  # of a plan that was started
WAIT_S = 14 * 86400.0  # of one in a queue


@dataclass(frozen=True)
class LeftPlan:
    """A plan that was started, and that nobody here follows."""

    plan: str
    target: str
    directory: str  # on the target
    begins_by: float  # by this computer's clock; without a journal after that it never began


class LeftPlans:
    """DYNO_HOME/left: a file for each, so that two commands never overwrite each other's."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "left"

    def all(self) -> list[LeftPlan]:
        """In the order of their start; files that cannot be read are passed over."""
        found = [_read(path) for path in sorted(self._folder.glob("*.json"))]
        return [each for each in found if each]

    def add(self, plan: str, target: str, directory: str, begins_s: float = BEGIN_S) -> None:
        """`begins_s`: seconds within which it begins, or never does."""
        content = asdict(LeftPlan(plan, target, directory, time.time() + begins_s))
        write_private(self._path(plan), json.dumps(content).encode())

    def has(self, plan: str) -> bool:
        return self._path(plan).exists()

    def forget(self, plan: str) -> None:
        with suppress(OSError):
            self._path(plan).unlink()

    def _path(self, plan: str) -> Path:
        return self._folder / f"{plan}.json"


def _read(path: Path) -> LeftPlan | None:
    try:
        found = LeftPlan(**json.loads(path.read_bytes()))
        texts = (found.plan, found.target, found.directory)
        is_right = all(isinstance(each, str) for each in texts) and path.stem == found.plan
        return found if is_right and isinstance(found.begins_by, float) else None
    except (OSError, ValueError, TypeError):
        return None
