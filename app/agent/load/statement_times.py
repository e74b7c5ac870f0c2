"""The times of single statements that a workload tells of: a figure of its own beside that of its events."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

KNOWN = ("select_min_ms",)  # by name


class StatementTimes:
    """Those of one step, or of one role of it."""

    def __init__(self) -> None:
        self._ms: Dict[str, List[float]] = {}

    def take(self, line: Mapping[str, Any]) -> None:
        """A line `figure`; of another name it is of a workload of a person's own, and nobody asks for it."""
        if line.get("name") in KNOWN:
            self._ms.setdefault(str(line["name"]), []).append(float(line["value"]))

    def figures(self) -> Dict[str, float]:
        """The mean of each."""
        return {name: sum(each) / len(each) for name, each in self._ms.items()}
