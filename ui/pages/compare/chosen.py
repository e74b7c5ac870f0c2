"""Which sessions are compared, in which order and against which; by which measure, and judged how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.comparison.answers.sentences import first_lines, measure_in_sentence
from app.comparison.cells.cell import Comparison
from app.comparison.differences.differences import differing_settings
from app.comparison.texts.caveats import all_joined_texts
from app.comparison.verdicts.compare import (
    by_group,
    compare,
    comparison_by_measure,
    judged_by_limits,
    only_common_steps,
)
from app.core.units import first_texts
from app.history.lists.sessions import sessions
from app.history.store.history import History
from app.stats import VerdictLimits

MOST = 8  # columns: more nobody can tell apart
MOST_SENTENCES = 6  # that are shown
_MOST_SETTINGS = 6  # that are named above the table


@dataclass(frozen=True)
class ChosenSessions:
    """Ids in the order of columns; repeats of a contender share a column."""

    ids: tuple[str, ...] = ()
    base: str = ""  # an id; empty: the first

    def added(self, ids: Sequence[str]) -> ChosenSessions:
        return replace(self, ids=tuple(dict.fromkeys((*self.ids, *ids))))

    def without(self, ids: Sequence[str]) -> ChosenSessions:
        """Without one session; if it was the base, the first one becomes it."""
        kept = tuple(id_ for id_ in self.ids if id_ not in ids)
        return ChosenSessions(kept, "" if self.base in ids else self.base)

    def based_on(self, id_: str) -> ChosenSessions:
        return replace(self, base=id_)

    def moved(self, comparison: Comparison, old: int, new: int) -> ChosenSessions:
        """With the column at `old` moved to `new`."""
        columns = [[*column.ids, *column.attempts] for column in comparison.columns]
        columns.insert(new, columns.pop(old))
        return ChosenSessions(tuple(id_ for ids in columns for id_ in ids), comparison.base_id)


@dataclass(frozen=True)
class ViewOptions:
    """Options that change what is computed."""

    measure: str = "value"
    limits: VerdictLimits = field(default_factory=VerdictLimits)
    is_common: bool = False  # only the steps of all columns


@dataclass(frozen=True)
class ShownComparison:
    """A loaded comparison as the page shows it, with remarks on the choice of sessions."""

    chosen: ChosenSessions
    comparison: Comparison | None = None  # with all steps and measures
    said: str = ""
    settings: tuple[str, ...] = ()  # that cost time and differ between its columns
    look: ViewOptions = field(default_factory=ViewOptions)
    shown: Comparison | None = None  # by the measure, those of a group together
    sentences: tuple[str, ...] = ()  # what it comes to, as the command line prints it
    caveats: tuple[str, ...] = ()  # what to know before it is believed, the most important first

    def seen(self, look: ViewOptions) -> ShownComparison:
        """The same with other options; not for the GUI thread."""
        if self.comparison is None:
            return replace(self, look=look)
        whole = judged_by_limits(self.comparison, look.limits)
        shown = by_group(comparison_by_measure(whole, look.measure))
        shown = only_common_steps(shown) if look.is_common else shown
        sentences = first_lines(shown, measure_in_sentence(look.measure))
        joined = all_joined_texts(shown, sentences[:MOST_SENTENCES])
        caveats = [*shown.first_texts, *_settings_texts(self.settings), *joined]
        return replace(
            self,
            comparison=whole,
            look=look,
            shown=shown,
            sentences=tuple(sentences),
            caveats=tuple(caveats),
        )


def _settings_texts(names: Sequence[str]) -> list[str]:
    return [f"settings differ: {first_texts(names, _MOST_SETTINGS)} (see What differs)"] if names else []


def compare_chosen(history: History, chosen: ChosenSessions, look: ViewOptions) -> ShownComparison:
    """Compare the sessions that still exist, up to the most columns, with these options."""
    return _read(history, chosen, look.limits).seen(look)


def _read(history: History, chosen: ChosenSessions, limits: VerdictLimits) -> ShownComparison:
    if not chosen.ids:
        return ShownComparison(chosen)
    known = {entry["id"] for entry in sessions(history, ids=chosen.ids)}
    there = chosen.without([id_ for id_ in chosen.ids if id_ not in known])
    gone = len(chosen.ids) - len(there.ids)
    said = f"{gone} of the sessions are not in the history any more" if gone else ""
    if not there.ids:
        return ShownComparison(there, None, said)
    found = compare(history, there.ids, there.base or None, limits)
    more = [id_ for column in found.columns[MOST:] for id_ in (*column.ids, *column.attempts)]
    if more:
        there, said = there.without(more), f"Compare shows at most {MOST} columns: {len(more)} left out"
        found = compare(history, there.ids, there.base or None, limits)
    settings = differing_settings(history, [column.id for column in found.columns])
    return ShownComparison(replace(there, base=found.base_id), found, said, tuple(settings))
