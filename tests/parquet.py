"""The ten queries of docs/analysis.md, and Parquet files read back by DuckDB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb

PAGE = Path(__file__).parents[1] / "docs/analysis.md"
QUERIES = re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(config={"file_search_path": str(folder)}) as connection:
        return connection.execute(sql).fetchall()
