"""Accounts for the writes of the steps: the rows in the tables, and the bytes for write amplification.

A run goes from its first step that writes to the end of the settle step behind it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set

from app.agent.server.mysql import Client
from app.protocol.plan import Plan, Step

from .host import deltas
from .reading import Reading

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
    " character_octet_length AS bytes FROM information_schema.COLUMNS WHERE table_schema = DATABASE()"
)
REWRITTEN = ("inserted", "updated")  # a row that is updated is written again as a whole


class WriteAccounting:
    """Counts rows since the tables were created, and rows and bytes since the last settle step."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.rows = {"inserted": 0, "deleted": 0}  # by the driver: what the tables hold is derived from it
        self._loads: Set[str] = set()  # the workloads that have filled their tables
        self._steps: List[int] = []  # of the run
        self._rows = 0
        self._began: Optional[Reading] = None

    def begin_step(self, index: int, reading: Reading) -> None:
        """Begin a step: one that writes belongs to the run."""
        step = self._plan.steps[index]
        self.begin_load(step)
        if self._plan.writes(index):
            self._began = self._began if self._steps else reading
            self._steps.append(index)

    def begin_load(self, step: Step) -> None:
        """Begin a load: it creates its tables anew, unless it adds to them."""
        if step.kind == "load":
            if step.workload in self._loads and not step.options.get("rows_before"):
                self.rows = dict.fromkeys(self.rows, 0)
            self._loads.add(step.workload)

    @property
    def rows_in_tables(self) -> int:
        return self.rows["inserted"] - self.rows["deleted"]

    def count_rows(self, rows: Mapping[str, Any]) -> None:
        for name in self.rows:
            self.rows[name] += int(rows.get(name, 0))
        self._rows += sum(int(rows.get(name, 0)) for name in REWRITTEN)

    def close(self, settling: Reading, now: Reading, row_bytes: Optional[int]) -> Dict[str, Any]:
        """The result of a settle step that began at `settling`, for the steps before it; then begin anew."""
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
        """Bytes and rows of the run; of the device if the server was restarted in between."""
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
        """The step that the result belongs to: the load, else the last one of the run."""
        loads = [index for index in self._steps if self._plan.steps[index].kind == "load"]
        return (loads or self._steps[-1:])[0]


def _bytes(spent: Mapping[str, Optional[float]], name: str) -> Optional[int]:
    found = spent.get(name)
    return None if found is None else round(found * 1024)


def fixed_row_width(client: Client) -> Optional[int]:
    """The widths of all columns, without what the engine adds; None where rows are not of one width."""
    tables: Dict[str, Optional[int]] = {}
    for column in client.query(COLUMNS):
        name, width = str(column["t"]), _width(column)
        before = tables.get(name, 0)
        tables[name] = None if before is None or width is None else before + width
    widths = set(tables.values())
    return widths.pop() if len(widths) == 1 else None


def _width(column: Mapping[str, Any]) -> Optional[int]:
    """The width of a column of fixed size, such as a CHAR with one byte per character; else None."""
    kind = str(column["type"]).lower()
    if kind == "char" and column["bytes"] == column["characters"]:
        return int(column["bytes"])
    return WIDTHS.get(kind)
