"""What `compare --format json` gives: for scripts, a row has a list for each field, with a value a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from app.stats import Limits

from .cell import Comparison, Figure, Row

_FIGURE = {"values": "value", "n": "n", "samples": "samples", "rounds": "rounds"}  # the field of each key
_ORDER = (
    "relative spread low high verdict why p across within reasons marks left_out steadiness cuts disturbed"
    " searches"
)
_CELL = {**_FIGURE, **{key: key for key in _ORDER.split()}, "reasons": "reason"}


def to_json(comparison: Comparison) -> dict[str, object]:
    return {
        "base": comparison.base_id,
        "sessions": [_fields(column) for column in comparison.columns],
        "rows": [_row(row) for row in comparison.rows],
        "plans": [{"statement": each.label, "values": each.values} for each in comparison.plans],
        "groups": [
            {**_fields(group), "ratios": [ratio and _fields(ratio) for ratio in group.ratios]}
            for group in comparison.groups
        ],
        "limits": json_of_limits(comparison.limits),
        "repeatedly": comparison.repeatedly,
        "has_own_limits": comparison.has_own_limits,
        "warnings": [each.text for each in comparison.warnings],
    }


def json_of_limits(limits: Limits) -> dict[str, float]:
    return {"false_share": limits.false_share, "matters": limits.matters}


def _row(row: Row) -> dict[str, object]:
    found = _fields(row)
    found.pop("cells")
    latency_per = found.pop("latency_per")
    found.pop("measures")
    measures = {name: _lists(figures, _FIGURE) for name, figures in row.measures.items()}
    cells = _lists(row.cells, _CELL)
    cells["left_out"] = [[", ".join(marks) for marks in cell.left_out] for cell in row.cells]
    return {**found, **cells, "latency_per": latency_per, "measures": measures}


def _lists(figures: Sequence[Figure], keys: dict[str, str]) -> dict[str, object]:
    return {key: [getattr(figure, name) for figure in figures] for key, name in keys.items()}


def _fields(value: object) -> dict[str, object]:
    """The fields of a dataclass by name, in their order."""
    return {each.name: getattr(value, each.name) for each in fields(value)}  # type: ignore[arg-type]
