"""Columns whose sessions took turns in slices: two of a round share what the machine did, and are a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from app.comparison.cells.cell import Column, ColumnFigure, Comparison
from app.comparison.verdicts.same_load import replace_disturbed_mark
from app.core.errors import InputError
from app.history.recorded.counting import CuttableStep, cuttable_step
from app.history.steps.figures import StepEntry
from app.history.store.history import History
from app.protocol.others import DISTURBED
from app.protocol.plan import LONGEST_S, SLICES, Plan, Step, step_key
from app.stats.at_target.steady import UNSTEADY, Steadiness, ratio_steadiness

from .same_load import Places

SHARED_LOAD = "shared-load"
OF_ROUNDS = "As servers took turns, a ratio is the median of its repeats, not the ratio of the medians shown."
# places of the two sessions of a round among those of the base, and of a column
Pairs = Sequence[tuple[int, int]]
Ratios = list[float | None]
Key = tuple[str, str]  # name and coordinates of a step
OfSteps = Mapping[Key, CuttableStep]  # the seconds of a session


def round_of(plan: Plan, session: str) -> str:
    """`2`; `2.3` of a third attempt; '' where the contenders of the plan do not take turns in slices."""
    if plan.order != SLICES:
        return ""
    turn = plan.turn_of(session)
    return f"{turn.repeat}.{turn.attempt}" if turn.attempt > 1 else f"{turn.repeat}"


def same_round_pairs(base: Column, column: Column) -> Pairs:
    """Pairs of sessions of the same round; none if the columns are not of the same plans."""
    if not any(column.rounds):
        return ()
    ours, theirs = _places(base), _places(column)
    are_whole = len(ours) == len(base.ids) and len(theirs) == len(column.ids)
    if column is base or not are_whole or set(base.plans) != set(column.plans):
        return ()
    return [(at, theirs[key]) for key, at in ours.items() if key in theirs]


def _places(column: Column) -> dict[tuple[str, str], int]:
    """The position of each session, by its round."""
    keys = zip(column.plans, column.rounds, strict=True)
    return {key: at for at, key in enumerate(keys) if key[1]}


def round_figure_pairs(base: Ratios, column: Ratios, pairs: Pairs) -> list[tuple[float, float]]:
    """The values of base and column, for rounds in which both have one."""
    both = [(base[ours], column[theirs]) for ours, theirs in pairs]
    return [(ours, theirs) for ours, theirs in both if ours is not None and theirs is not None]


def relative(figure: ColumnFigure, base: ColumnFigure) -> float | None:
    """The ratio to the base: the median of its rounds, else the ratio of the medians."""
    if figure.rounds:
        known = [ratio for ratio in figure.rounds if ratio is not None]
        return median(known) if known else None
    return figure.value / base.value if figure.value is not None and base.value else None


def about_ratio(comparison: Comparison) -> str:
    """How the ratio is computed, if it is not the ratio of the values next to it; else ''."""
    has_rounds = any(len(cell.rounds) > 1 for row in comparison.rows for cell in row.cells)
    return OF_ROUNDS if has_rounds else ""


# what a session need not be by itself


@dataclass(frozen=True)
class ColumnsByRound:
    """The columns of a comparison by their rounds."""

    base: int
    pairs: Sequence[Pairs]  # of each column with the base
    seconds: Sequence[Sequence[OfSteps]]  # of each session of each column
    sliced: frozenset[Key]
    long: frozenset[Key] = frozenset()  # longer than a slice may be

    @property
    def are_all(self) -> bool:
        """Whether all columns are compared by rounds; else each session must be fair by itself."""
        return all(pairs or at == self.base for at, pairs in enumerate(self.pairs))

    def count(self, samples: Sequence[Ratios], at: int) -> int:
        """The number of rounds in which both have a result; else of its sessions that have one."""
        if not self.pairs[at]:
            return sum(value is not None for value in samples[at])
        return len(round_figure_pairs(samples[self.base], samples[at], self.pairs[at]))

    def ratios(self, samples: Sequence[Ratios], at: int) -> Ratios:
        """The ratios to the base, round by round; null if either result is missing."""
        both = [(samples[self.base][ours], samples[at][theirs]) for ours, theirs in self.pairs[at]]
        return [theirs / ours if ours and theirs is not None else None for ours, theirs in both]

    def judged(self, key: Key, places: Places) -> Places:
        """The same steps; in slices, with only the marks that concern the ratio of a round."""
        if key not in self.sliced or not self.are_all:
            return places
        alike = self._disturbed_alike(key, places)
        found: Places = [
            [
                step and replace_disturbed_mark(step, SHARED_LOAD) if (at, which) in alike else step
                for which, step in enumerate(place)
            ]
            for at, place in enumerate(places)
        ]
        found[self.base] = [step and _with_steadiness(step, None) for step in found[self.base]]
        for at, pairs in enumerate(self.pairs):
            for ours, theirs in pairs:
                step, both = found[at][theirs], (self.seconds[self.base][ours], self.seconds[at][theirs])
                if step and all(key in each for each in both):
                    found[at][theirs] = _with_steadiness(step, _of_ratio(*(each[key] for each in both)))
        return found

    def _disturbed_alike(self, key: Key, places: Places) -> set[tuple[int, int]]:
        """The sessions of rounds in which all compared sessions were disturbed."""
        rounds: dict[int, list[tuple[int, int]]] = {}
        for at, pairs in enumerate(self.pairs):
            for ours, theirs in pairs:
                rounds.setdefault(ours, [(self.base, ours)]).append((at, theirs))
        return {
            each
            for its in rounds.values()
            if _are_disturbed(places, its) and not any(self._is_whole(key, *each) for each in its)
            for each in its
        }

    def _is_whole(self, key: Key, at: int, which: int) -> bool:
        """Whether the step was carried out whole, because slices would have taken too long."""
        step = self.seconds[at][which].get(key)
        return (
            key in self.long
            and step is not None
            and sum(value is not None for value in step.seconds.values) < 2
        )


def rounds_of(
    history: History, plans: Mapping[str, Plan], columns: Sequence[Column], base: int
) -> ColumnsByRound:
    """The rounds of these columns; reads the seconds of steps in slices."""
    pairs = [same_round_pairs(columns[base], column) for column in columns]
    plan = plans[columns[base].id]
    sliced = frozenset(key_of(step) for step in plan.steps if step.sliced and any(pairs))
    seconds = [
        [_seconds_of(history, plans[id_], id_) if sliced else {} for id_ in column.ids] for column in columns
    ]
    long = frozenset(key_of(step) for step in plan.steps if step.seconds > LONGEST_S)
    return ColumnsByRound(base, pairs, seconds, sliced, long)


def key_of(step: Step) -> Key:
    return step_key(step.name, step.coordinates)


def _seconds_of(history: History, plan: Plan, session: str) -> OfSteps:
    """The seconds of the steps in slices that the session has completed."""
    found: dict[Key, CuttableStep] = {}
    for at, step in enumerate(plan.steps):
        if step.sliced and not step.warm:
            with suppress(InputError):
                found.setdefault(key_of(step), cuttable_step(history, session, at))
    return found


def _are_disturbed(places: Places, sessions: Sequence[tuple[int, int]]) -> bool:
    steps = [places[at][which] for at, which in sessions]
    return all(step is not None and DISTURBED in step["marks"] for step in steps)


def _with_steadiness(step: StepEntry, found: Steadiness | None) -> StepEntry:
    """The steadiness of the ratio in place of the session's; None if it is not checked."""
    marks = [mark for mark in step["marks"] if mark != UNSTEADY]
    if found is None:
        return {**step, "marks": marks, "steadiness": None}
    marks += [UNSTEADY] if found.word == UNSTEADY else []
    return {**step, "marks": marks, "steadiness": {"word": found.word, "text": found.text}}


def _of_ratio(ours: CuttableStep, theirs: CuttableStep) -> Steadiness:
    """The steadiness of the ratio, over seconds that count in both sessions."""
    cuts = [cut for each in (ours, theirs) if (cut := each.seconds.fitting(each.cut))]
    first = max((cut.first_s for cut in cuts), default=0)
    end = min([len(each.seconds.values) for each in (ours, theirs)] + [cut.last_s + 1 for cut in cuts])
    return ratio_steadiness(ours.seconds.values[first:end], theirs.seconds.values[first:end], first)
