"""What a run of writes has cost: rows and bytes from its first step to the end of the settle step."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from ..protocol.plan import Plan
from .host import Reading, deltas
from .mysql import Client

WIDTHS = {
    "tinyint": 1,
    "smallint": 2,
    "mediumint": 3,
    "int": 4,
    "bigint": 8,
    "float": 4,
    "double": 8,
    "date": 3,
}
COLUMNS = (
    "SELECT table_name AS t, data_type AS type, character_maximum_length AS characters,"
    " character_octet_length AS bytes FROM information_schema.COLUMNS WHERE table_schema = 'dyno'"
)
REWRITTEN = ("inserted", "updated")  # a row that is updated is written again as a whole


class Ledger:
    """Open from the first step that writes; closed, and begun anew, by a settle step."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._steps: List[int] = []
        self._rows = 0
        self._began: Optional[Reading] = None

    def begin_step(self, index: int, reading: Reading) -> None:
        """A step that writes begins."""
        if not self._steps:
            self._began = reading
        self._steps.append(index)

    def count_rows(self, rows: Mapping[str, Any]) -> None:
        self._rows += sum(int(rows.get(name, 0)) for name in REWRITTEN)

    def close(self, settling: Reading, now: Reading, row_bytes: Optional[int]) -> Dict[str, Any]:
        """What a settle step from `settling` until now says of the steps before it; those are done with."""
        meanwhile = deltas(settling, now)
        found: Dict[str, Any] = {
            "written_bytes": _bytes(meanwhile, "server_written_kb"),
            "device_bytes": _bytes(meanwhile, "written_kb"),
        }
        if self._steps and self._began is not None:
            found.update(self._run(deltas(self._began, now), row_bytes))
        self._steps, self._rows, self._began = [], 0, None
        return found

    def _run(self, spent: Mapping[str, Optional[float]], row_bytes: Optional[int]) -> Dict[str, Any]:
        """Of the device in place of the server where that was started anew in between."""
        by = "server" if spent.get("server_written_kb") is not None else "device"
        written = _bytes(spent, "server_written_kb" if by == "server" else "written_kb")
        given = self._rows * (row_bytes or 0)
        return {
            "steps": [self._plan.steps[index].label for index in self._steps],
            "cause": self._cause(),
            "run_written_bytes": written,
            "run_written_by": by,
            "rows": self._rows,
            "row_bytes": row_bytes,
            "write_amplification": round(written / given, 3) if written is not None and given else None,
        }

    def _cause(self) -> int:
        """The step that it is kept with: the load, else the last one of the run."""
        loads = [index for index in self._steps if self._plan.steps[index].kind == "load"]
        return (loads or self._steps[-1:])[0]


def _bytes(spent: Mapping[str, Optional[float]], name: str) -> Optional[int]:
    found = spent.get(name)
    return None if found is None else round(found * 1024)


def row_bytes(client: Client) -> Optional[int]:
    """The widths of all columns, without what the engine adds; None where rows are not of one width."""
    tables: Dict[str, Optional[int]] = {}
    for column in client.query(COLUMNS):
        name, width = str(column["t"]), _width(column)
        before = tables.get(name, 0)
        tables[name] = None if before is None or width is None else before + width
    widths = set(tables.values())
    return widths.pop() if len(widths) == 1 else None


def _width(column: Mapping[str, Any]) -> Optional[int]:
    """Of a type that always takes as much; a text of a character set with one byte each is filled."""
    kind = str(column["type"]).lower()
    if kind == "char" and column["bytes"] == column["characters"]:
        return int(column["bytes"])
    return WIDTHS.get(kind)
