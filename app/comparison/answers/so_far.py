"""What a plan that goes on has found so far, in a line for each contender.

Each whole round changes it. A plan with a number of repeats gets its verdict at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import heads_of, row_label
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import NOT_JUDGED, judgeable_cells
from app.comparison.verdicts.rounds_left import DECIDED, LATE, rounds_left
from app.core.units import count_text
from app.history.lists.sessions import SessionEntry, sessions
from app.history.store.history import History
from app.protocol.plan import QUERYING, Plan
from app.protocol.states import GOING_ON
from app.stats.at_target.verdicts import COLOURED, LEAST

from .sentences import head_lines, noun_of, ratio_texts, verdict_words, with_doubt


def so_far_lines(history: History, plan: Plan) -> list[str]:
    """A line for each contender that whole rounds were measured of; once it is over what it comes to."""
    there = sessions(history, plan=plan.id)
    ids = _ids_of_whole_rounds(plan, there)
    base = next((id_ for id_ in ids if plan.turn_of(id_).contender == 0), "")
    if not base or len({plan.turn_of(id_).contender for id_ in ids}) < 2:
        return []
    if any(each["state"] in GOING_ON for each in there):
        rounds = len({plan.turn_of(id_).repeat for id_ in ids})
        return list(_lines(compare(history, ids, base), plan, rounds))
    is_whole = {turn.session for turn in plan.first_turns} <= {each["id"] for each in there}
    return head_lines(compare(history, ids, base))[:1] if is_whole else []


def _ids_of_whole_rounds(plan: Plan, there: Sequence[SessionEntry]) -> list[str]:
    """The sessions of the rounds that no session goes on in."""
    turns = {each["id"]: plan.turn_of(each["id"]) for each in there}
    going_on = {turns[each["id"]].repeat for each in there if each["state"] in GOING_ON}
    return [id_ for id_, turn in turns.items() if turn.repeat not in going_on]


def _lines(found: Comparison, plan: Plan, rounds: int) -> Iterator[str]:
    names = heads_of(found).texts
    left = _rounds_left(found, plan, rounds)
    for at in range(len(found.columns)):
        largest = _largest(found, at)
        if at != found.base and largest:
            when = _when(plan, rounds, left.get(at), largest)
            of = f" ({count_text(rounds, 'repeat')})" if at in left else ""
            yield f"{names[at]} so far{of} {largest.text(names[found.base])}; {when}"


@dataclass(frozen=True)
class _Largest:
    """The step in which a column differs most from the base."""

    row: Row
    cell: Cell
    of: int  # steps

    def text(self, base: str) -> str:
        """`0.69 of MySQL 5.6's rate (0.61 to 0.79) in scan, the largest difference of 4 steps`."""
        ratio, *ends = ratio_texts(self.cell.relative, self.cell.low, self.cell.high)
        interval = f" ({' to '.join(ends)})" if ends else ""
        decided = " decided" if self.cell.verdict in COLOURED else ""
        among = f", the largest{decided} difference of {count_text(self.of, 'step')}" if self.of > 1 else ""
        noun = noun_of(self.row.unit)
        return f"{ratio} of {base}'s {noun}{interval} in {row_label(self.row)}{among}"

    @property
    def word(self) -> str:
        """`slower`; `probably slower` where its interval leaves that open."""
        word = verdict_words(self.row.unit).get(self.cell.verdict or "", "no difference that matters")
        is_doubtful = self.cell.verdict in COLOURED
        return with_doubt(word, self.cell.low, self.cell.high) if is_doubtful else word


def _largest(found: Comparison, at: int) -> _Largest | None:
    cells = [(row, row.cells[at]) for row in found.rows if row.kind in QUERYING]
    known = [each for each in cells if (each[1].relative or 0) > 0 and each[1].verdict not in NOT_JUDGED]
    if not known:
        return None
    largest = max(known, key=lambda each: (each[1].verdict in COLOURED, each[1].effect))
    return _Largest(*largest, len(known))


def _rounds_left(found: Comparison, plan: Plan, rounds: int) -> dict[int, int]:
    """By column: the most of its steps; LATE where one of them is not foreseen."""
    if not plan.until_decided:
        return {}
    cells = judgeable_cells(found)
    more = rounds_left([each.samples for each in cells], found.limits, rounds, plan.repeats)
    left: dict[int, list[int]] = {}
    for each, its in zip(cells, more, strict=True):
        if each.row.kind in QUERYING:
            left.setdefault(each.at, []).append(its)
    return {at: LATE if LATE in its else max(its) for at, its in left.items()}


def _when(plan: Plan, rounds: int, left: int | None, largest: _Largest) -> str:
    """`about 4 more repeats until each step is decided`, or `2 of 5 repeats measured`."""
    if left is None:
        return f"{rounds} of {count_text(plan.repeats, 'repeat')} measured"
    if left == DECIDED:
        return f"decided: {largest.word}"
    some, each = ("it", "it") if largest.of == 1 else ("some steps", "each step")
    if left == LATE:
        return f"{some} may stay undecided after all {count_text(plan.repeats, 'repeat')}"
    about = "at least" if rounds < LEAST else "about"
    return f"{about} {count_text(left, 'more repeat')} until {each} is decided"
