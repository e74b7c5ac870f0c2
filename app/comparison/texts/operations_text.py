"""What operations did in each column: how soon a server was back, and which answered commits were gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.comparison.answers.losses import LossesOfCell, losses_of
from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import SEVERAL, brief_row_label, common_coordinates, heads_of, several_text
from app.core.table import MISSING, Table
from app.protocol.reading import read
from app.protocol.step_parts import OperationResult

TITLE = "operations beside roles"
NOT_REACHED = "not reached"

_Read = Callable[[OperationResult], float | None]
_FIGURES: tuple[tuple[str, str, _Read], ...] = (
    ("rate before it", "events/s", lambda its: its.before),
    ("first answer", "s", lambda its: its.first_answer_s),
    ("duration", "s", lambda its: its.seconds),
    ("rate kept", "%", lambda its: its.kept_pct),
    ("longest stall", "s", lambda its: its.stall_s),
    ("tables before", "MiB", lambda its: _mib(its.size_before)),
    ("tables after", "MiB", lambda its: _mib(its.size_after)),
    ("backup", "MiB", lambda its: _mib(its.backup_bytes)),
    ("duration without roles", "s", lambda its: its.alone_s),
)
_COUNTS: tuple[tuple[str, _Read, bool], ...] = (  # shown also where they are 0
    ("answered commits", lambda its: its.acknowledged, True),
    ("of these gone", lambda its: its.missing, True),
    ("deleted rows that came back", lambda its: its.returned, False),
    ("rows that nobody sent", lambda its: its.unsent, False),
)

_WORDS: tuple[tuple[str, Callable[[OperationResult], str]], ...] = (
    ("algorithm", lambda its: its.algorithm),
    ("tool", lambda its: its.tool),
    ("restored", lambda its: _restored(its)),
)


def operations_tables(comparison: Comparison) -> list[Table]:
    """One table with some lines for each operation; [] without any."""
    every = [(row, [_known(cell) for cell in row.cells]) for row in comparison.rows]
    operations = [(row, found) for row, found in every if any(found)]
    common = common_coordinates([row for row, _ in operations])
    lines = [line for row, found in operations for line in _lines(row, found, brief_row_label(row, common))]
    if not lines:
        return []
    several = any(len(each) > 1 for _, found in operations for each in found)
    heads = ("step", "figure", *heads_of(comparison).texts)
    remarks = (SEVERAL,) if several else ()
    return [Table(TITLE, heads, tuple(lines), 2, remarks=remarks, fixed=2)]


def _known(cell: Cell) -> list[OperationResult]:
    return [read(OperationResult, said) for said in cell.operations if said]


def _lines(row: Row, found: list[list[OperationResult]], label: str) -> Iterator[tuple[str, ...]]:
    for name, unit, figure in _FIGURES:
        yield from _line((label, f"{name} ({unit})"), [[figure(its) for its in each] for each in found])
    for share in dict.fromkeys(share for each in found for its in each for share in its.back_s):
        yield (label, f"back at {share}% (s)", *(_back_text(each, share) for each in found))
    for name in dict.fromkeys(name for each in found for its in each for name in its.phases):
        values = [[its.phases.get(name) for its in each] for each in found]
        if any(map(any, values)):
            yield from _line((label, f"phase {name} (s)"), values)
    for name, count, is_always in _COUNTS:
        values = [[count(its) for its in each] for each in found]
        if is_always or any(map(any, values)):
            yield from _line((label, name), values, _range_text)
    losses = [losses_of(cell) for cell in row.cells]
    if any(losses):
        yield (label, "tries that lost a row", *(_losses_text(each) for each in losses))
    for name, word in _WORDS:
        if any(word(its) for each in found for its in each):
            yield (label, name, *(_words(map(word, each)) for each in found))


def _line(
    head: tuple[str, str],
    values: list[list[float | None]],
    text: Callable[[list[float]], str] = several_text,
) -> Iterator[tuple[str, ...]]:
    """A line, if any column has the figure."""
    known = [[value for value in each if value is not None] for each in values]
    if any(known):
        yield (*head, *(text(each) for each in known))


def _range_text(values: list[float]) -> str:
    """A count from the lowest to the highest: the middle of losses says little."""
    if not values:
        return MISSING
    least, most = (f"{value:,.0f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def _back_text(found: list[OperationResult], share: str) -> str:
    """Seconds until that share of the rate was back; how many never were."""
    ends = [its.back_s[share] for its in found if share in its.back_s]
    reached = [each for each in ends if each is not None]
    if len(reached) == len(ends):
        return several_text(reached)
    if not reached:
        return NOT_REACHED
    return f"{several_text(reached)}, {len(ends) - len(reached)} {NOT_REACHED}"


def _losses_text(losses: LossesOfCell | None) -> str:
    return MISSING if losses is None else losses.text


def _words(found: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(filter(None, found))) or MISSING


def _restored(its: OperationResult) -> str:
    return {None: "", True: "equal rows", False: "OTHER ROWS"}[its.restored]


def _mib(size: float | None) -> float | None:
    return None if size is None else size / 2**20
