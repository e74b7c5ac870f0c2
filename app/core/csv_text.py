"""CSV that a spreadsheet opens without carrying anything of it out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would carry these out


def csv_text(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Heads, then one line for each row; None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_told(head) for head in heads])
    writer.writerows([_told(cell) for cell in row] for row in rows)
    return out.getvalue()


def _told(cell: Any) -> Any:
    """A value as text; a float without digits that only come from binary arithmetic."""
    if isinstance(cell, float):
        return f"{cell:.15g}"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
