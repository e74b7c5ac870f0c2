"""CSV that a spreadsheet opens without carrying anything of it out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .errors import DynoError

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would carry these out


def csv_text(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """One line of heads, one a row; what is None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_told(head) for head in heads])
    writer.writerows([_told(cell) for cell in row] for row in rows)
    return out.getvalue()


def save_csv(text: str, path: Path) -> None:
    """With the ends of lines that it has."""
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise DynoError(f"cannot write {path}: {error.strerror}") from None


def _told(cell: Any) -> Any:
    """A text as one; a float without its last digits, which are those of binary arithmetic."""
    if isinstance(cell, float):
        return f"{cell:.15g}"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
