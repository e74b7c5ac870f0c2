"""Sentences on answered commits that were gone after an operation: a count, and in how many tries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import row_label
from app.core.units import count_text
from app.protocol.reading import read
from app.protocol.step_parts import OperationResult
from app.stats.shares import share_interval

LEAST_TRIES = 4  # from which on none of them says something: at most 3 in n


@dataclass(frozen=True)
class LossesOfCell:
    """What the ledgers of a column lack after the same operation, one a try."""

    missing: tuple[int, ...]
    acknowledged: int  # of all tries

    @property
    def lost(self) -> int:
        """Tries in which an answered commit was gone."""
        return sum(map(bool, self.missing))

    @property
    def text(self) -> str:
        """`2 of 5 (12% to 77%)`, `0 of 5 (at most 60%)`: with the interval (95 %) of that share."""
        tries = len(self.missing)
        if not self.lost:
            return f"0 of {tries}" + (f" (at most {3 / tries:.0%})" if tries >= LEAST_TRIES else "")
        low, high = share_interval(self.lost, tries)
        return f"{self.lost} of {tries}" + (f" ({low:.0%} to {high:.0%})" if tries > 1 else "")


def losses_of(cell: Cell) -> LossesOfCell | None:
    """The losses of a column; None if it has no ledger there."""
    found = [read(OperationResult, said) for said in cell.operations if said]
    kept = [(its.missing, its.acknowledged) for its in found]
    pairs = [(gone, all_) for gone, all_ in kept if gone is not None and all_ is not None]
    return LossesOfCell(tuple(gone for gone, _ in pairs), sum(all_ for _, all_ in pairs)) if pairs else None


def lost_against(row: Row, at: int, base: int) -> str:
    """What a column lost of its answered commits where the base lost nothing; '' where that is not so."""
    theirs, ours = losses_of(row.cells[at]), losses_of(row.cells[base])
    if not (theirs and theirs.lost and ours and not ours.lost):
        return ""
    return f"{_gone_text(theirs)}, and {_gone_text(ours)} with the other"


def loss_sentences(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """`After the power cut 312 of 45,120 answered commits were gone with A; none of 9,120 with B.`"""
    return [text for row in comparison.rows if (text := _sentence(row, names))]


def _sentence(row: Row, names: Sequence[str]) -> str:
    losses = [losses_of(cell) for cell in row.cells]
    if not any(each and each.lost for each in losses):
        return ""
    after = f"after the {row.kind.replace('-', ' ')}"
    return f"{row_label(row)}: {after} {'; '.join(_clauses(names, losses))}."


def _clauses(names: Sequence[str], losses: Sequence[LossesOfCell | None]) -> Iterator[str]:
    for name, each in zip(names, losses, strict=True):
        if each is not None:
            yield f"{_gone_text(each)} with {name}"


def _gone_text(losses: LossesOfCell) -> str:
    tries = len(losses.missing)
    in_tries = f" in {losses.lost} of {tries} tries" if tries > 1 else ""
    answered = count_text(losses.acknowledged, "answered commit")
    if not losses.lost:
        return f"none of {answered} was gone" + (f" in {tries} tries" if tries > 1 else "")
    gone = sum(losses.missing)
    return f"{gone:,} of {answered} {'was' if gone == 1 else 'were'} gone{in_tries}"
