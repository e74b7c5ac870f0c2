"""What a report says: all of it is read from the history, its sentences are made of figures alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import names_of, row_label
from app.comparison.differences.differences import differences, is_of_the_builds
from app.comparison.texts.causes_text import cause_sentence
from app.comparison.texts.differences_text import all_differences_table
from app.comparison.texts.operations_text import operations_tables
from app.comparison.texts.roles_text import roles_tables
from app.comparison.texts.soak_text import soak_tables
from app.comparison.verdicts.compare import by_group, compare
from app.comparison.verdicts.more_work import is_faster_side_work
from app.comparison.why.causes import causes_of_row
from app.comparison.why.grounds import ColumnSettings
from app.core.errors import InputError
from app.core.table import Table
from app.core.units import date_text
from app.history.store.history import History
from app.stats import VerdictLimits

from .caveats import caveats
from .repeating import ColumnScript, base_session_script, how_to_repeat
from .sentences import summary
from .setups import SharedMyCnf, presets, setups_table
from .stacks import ProfiledStep, profiled
from .tables import (
    Columns,
    ReportUnitGroup,
    before_and_after,
    costs,
    lags,
    latencies,
    report_unit_groups,
    waits,
)
from .written_rows import WrittenStep, written_steps

SECTIONS = ("summary", "setup", "differences", "results", "charts", "cost", "stacks", "caveats", "repeat")
_NAMED = 3  # in a title
_MOST_DIFFERENCES = 60  # lines; variables in force can be hundreds


@dataclass(frozen=True)
class Report:
    title: str
    made: str
    names: tuple[str, ...]
    base: int
    summary: tuple[str, ...]
    setups: Table
    differences: Table
    groups: tuple[ReportUnitGroup, ...]
    latencies: tuple[Table, ...]
    before_and_after: tuple[Table, ...]
    lags: tuple[Table, ...]
    roles: tuple[Table, ...]
    written: tuple[WrittenStep, ...]
    costs: tuple[Table, ...]
    causes: tuple[tuple[str, tuple[str, ...]], ...]  # a step in a column, and its sentences
    stacks: tuple[ProfiledStep, ...]
    caveats: tuple[str, ...]
    repeat: tuple[str, ...]
    presets: tuple[SharedMyCnf, ...] = field(repr=False)
    script: ColumnScript | None = field(repr=False)
    comparison: Comparison = field(repr=False)
    own_text: str = ""  # Markdown of the person who sends it

    @property
    def results(self) -> tuple[Table, ...]:
        tables = (group.table for group in self.groups)
        whole = (*operations_tables(self.comparison), *soak_tables(self.comparison))
        return (*tables, *self.latencies, *self.lags, *self.before_and_after, *whole)


def sections_without(left_out: Sequence[str]) -> tuple[str, ...]:
    """All sections but these, in order; raises InputError for an unknown one."""
    unknown = [name for name in left_out if name not in SECTIONS]
    if unknown:
        raise InputError(f"no section {unknown[0]!r}: choose one of {', '.join(SECTIONS)}")
    return tuple(name for name in SECTIONS if name not in left_out)


def read_report(
    history: History,
    references: Sequence[str],
    base: str | None = None,
    title: str = "",
    own_text: str = "",
    limits: VerdictLimits | None = None,
) -> Report:
    """Read a report; raises InputError if the sessions cannot be compared."""
    found = by_group(compare(history, references, base, limits))
    columns, names, at = found.columns, tuple(names_of(found)), found.base
    shown = Columns(names, at)
    return Report(
        title=title or title_of(found),
        made=f"Dyno {version('dyno')}, {date_text(time.time())}",
        names=names,
        base=at,
        summary=tuple(summary(found, names, at)),
        setups=setups_table(history, columns, names),
        differences=_differences(history, found, names),
        groups=tuple(report_unit_groups(found, shown)),
        latencies=tuple(latencies(found, shown)),
        before_and_after=tuple(before_and_after(found, shown)),
        lags=tuple(lags(found, shown)),
        roles=tuple(roles_tables(found)),
        written=tuple(written_steps(history, found, names)),
        costs=(*costs(found, shown), *waits(history, found, shown)),
        causes=tuple(cause_sentences(history, found, names)),
        stacks=tuple(profiled(history, found, names, at)),
        caveats=tuple(caveats(history, found, names)),
        repeat=tuple(how_to_repeat(history, columns, names, at)),
        presets=tuple(presets(history, columns, names)),
        script=base_session_script(history, columns, names, at),
        comparison=found,
        own_text=own_text,
    )


def _differences(history: History, found: Comparison, names: Sequence[str]) -> Table:
    """Differences, without variables that only show other builds or engines."""
    firsts = [column.ids[0] for column in found.columns]
    entries = differences(history, firsts) if len(firsts) > 1 else []
    whole = all_differences_table(names, [each for each in entries if not is_of_the_builds(each)])
    left_out = len(whole.lines) - _MOST_DIFFERENCES
    remarks = (f"{left_out} further differences are left out.",) if left_out > 0 else ()
    return replace(whole, lines=whole.lines[:_MOST_DIFFERENCES], remarks=remarks)


def title_of(comparison: Comparison) -> str:
    """The title: who is compared with whom."""
    names, base = names_of(comparison), comparison.base
    others = [name for at, name in enumerate(names) if at != base]
    who = ", ".join(others) if len(others) <= _NAMED else f"{len(others)} others"
    return f"{who} against {names[base]}" if others else names[base]


# the causes of each driven step by name, as sentences of a report


_OF_STEP = 3  # causes


def cause_sentences(
    history: History, found: Comparison, names: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The first causes of each step in each column but the base; of the base if it is alone."""
    known: dict[str, ColumnSettings] = {}
    for row in found.rows:
        if row.kind == "drive":
            for at, entry in causes_of_row(history, found, row, known).items():
                if first := [each for each in entry["causes"] if not is_faster_side_work(each)][:_OF_STEP]:
                    yield f"{row_label(row)}: {names[at]}", tuple(map(cause_sentence, first))
