"""How many rows the disk of a target has room for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from app.catalog import Catalog, approved_hashes
from app.core.errors import InputError
from app.core.units import bytes_text
from app.planner.estimate.estimate import estimate
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.answers import Survey
from app.protocol.plan import Plan

from .checks import CALM_SHARE

LEAST_ROWS = 1000


def rows_with_room(request: PlanRequest, survey: Survey, catalog: Catalog) -> tuple[int | str | None, str]:
    """The rows of the request, or as many as the disk has room for, and why these.

    A request that cannot be planned here stays as it is: the checks say why.
    """
    approved = approved_hashes()
    free = survey.disk.free_bytes if survey.disk else None

    def planned(rows: int | str | None) -> Plan:
        return resolve(replace(request, rows=rows), survey, catalog, approved)

    def needed(rows: int) -> int:
        return estimate(planned(rows), survey).disk_bytes

    try:
        rows = planned(request.rows).rows
    except InputError:
        return request.rows, ""
    if free is None or needed(rows) <= free:
        return request.rows, ""
    found = _most(rows, free, needed)
    here, text = bytes_text(free), f"{rows:,} need about {bytes_text(needed(rows))}"
    if found:
        return found, f"{found:,} rows of each table for {here} free on the disk: {text}"
    least = f"{LEAST_ROWS:,} about {bytes_text(needed(LEAST_ROWS))}"
    return request.rows, f"no number of rows fits the disk with {here} free: {text}, {least}"


def _most(below: int, free: int, needed: Callable[[int], int]) -> int:
    """The most rows that fit, to two digits; 0 if none fit."""
    numbers = [first * 10**zeros for zeros in range(2, len(str(below)) - 1) for first in range(10, 100)]
    numbers = [each for each in numbers if each < below]
    fitting = bisect_right(numbers, free * CALM_SHARE, key=needed)
    return numbers[fitting - 1] if fitting else 0
