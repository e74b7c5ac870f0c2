"""`dyno compare --why` and `--pre`: what a step costs, and what the writes did to later reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.comparison.answers.sentences import step_sentences
from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import heads_of, names_of, row_label
from app.comparison.charts.of_all_steps import pair_numbers
from app.comparison.stacks.stacks import are_comparable, profiles_of
from app.comparison.texts import costs_text
from app.comparison.texts.causes_text import causes_table
from app.comparison.texts.waits_text import statements_table, waits_table
from app.comparison.texts.work_text import work_changes_table
from app.comparison.why.before_after import before_after_tests
from app.comparison.why.causes import CausesEntry, causes_of_row
from app.comparison.why.thread_states import thread_states_table
from app.comparison.why.waits import NamedWaitsEntry, named_waits
from app.comparison.why.why import WhyEntry, why_all, why_not_explained
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.table import Table

from .screen import print_common_name_parts, print_json, print_tables, say_text, say_wrapped
from .session import opened_history

MOST_FUNCTIONS = 15  # `--stacks` shows more


@dataclass(frozen=True)
class StepCausesAndWaits:
    """What is known of a step in a column by name, besides its costs."""

    causes: CausesEntry
    named: NamedWaitsEntry


def show_why(comparison: Comparison, step: str, form: str) -> None:
    """Print what may explain one step, or the costs of all steps, as measured and relative to the base."""
    check_step(comparison, step)
    entries = why_all(comparison, step)
    if form == "json":
        steps = _json(comparison, entries) if entries else _json_alone(comparison, step)
        print_json({"base": comparison.base_id, "steps": list(steps)})
    elif form == "csv":
        say_text(costs_text.costs_to_csv(comparison, entries))
    elif step:
        nothing = dict.fromkeys(filter(None, map(why_not_explained, entries)))
        work = _work_tables(comparison, step)
        sentences = (table.remarks[0] for table in work)  # which parts make the difference
        above = [*step_sentences(comparison, step), *sentences, *nothing]
        say_wrapped(*above, "")
        # of a counted step neither time nor waits are known
        tables = work or [*(_tables(comparison, entries) if entries else _tables_alone(comparison, step))]
        print_tables([_without(each, above) for each in tables], form)
    else:
        ways = (False, True) if entries else (False,)
        names = _names(comparison, form)
        costs = [costs_text.step_costs_table(comparison, is_relative, names) for is_relative in ways]
        print_tables([*costs, thread_states_table(comparison, names)], form)


def _without(table: Table, above: Sequence[str]) -> Table:
    """Without the remarks that stand above all tables."""
    return replace(table, remarks=tuple(each for each in table.remarks if each not in above))


def _tables(comparison: Comparison, entries: Sequence[WhyEntry]) -> Iterator[Table]:
    """Causes, costs, waits and statements of each entry."""
    for entry, its in zip(entries, _known(comparison, entries), strict=True):
        title = costs_text.pair_title(comparison, entry)
        yield causes_table(f"Causes of {title}", its.causes)
        yield costs_text.cost_details_table(comparison, entry)
        yield waits_table(f"Waits of {title}", its.named)
        if its.named["statements"]:
            yield statements_table(f"Statements of {title}", its.named)


def _work_tables(comparison: Comparison, step: str) -> list[Table]:
    """The functions that make the difference in a counted step, of each other column."""
    with opened_history() as history:
        profiles = profiles_of(history, comparison, step)
    names, base = heads_of(comparison).texts, comparison.base
    return [
        work_changes_table(its[base], its[at], (names[base], names[at]), label, MOST_FUNCTIONS)
        for label, its in profiles.items()
        for at in range(len(its))
        if at != base and its[at].events and are_comparable(its[base], its[at])
    ]


def _tables_alone(comparison: Comparison, step: str) -> Iterator[Table]:
    for row, found in _alone(comparison, step):
        yield causes_table(f"Causes of {row_label(row)}", found)


def _json(comparison: Comparison, entries: Sequence[WhyEntry]) -> Iterator[dict[str, Any]]:
    for entry, its in zip(entries, _known(comparison, entries), strict=True):
        yield {**entry, **its.causes, **its.named}


def _json_alone(comparison: Comparison, step: str) -> Iterator[dict[str, Any]]:
    for row, found in _alone(comparison, step):
        yield {"step": row.workload, "coordinates": row.coordinates, **found}


def _alone(comparison: Comparison, step: str) -> list[tuple[Row, CausesEntry]]:
    """The causes of each row of a step in the only column."""
    rows = [row for row in comparison.rows if step in ("", row.workload, row_label(row))]
    with opened_history() as history:
        return [(row, found) for row in rows for found in causes_of_row(history, comparison, row).values()]


def _known(comparison: Comparison, entries: Sequence[WhyEntry]) -> list[StepCausesAndWaits]:
    """Of each entry."""
    places = {column.id: at for at, column in enumerate(comparison.columns)}
    rows = {_key(row.workload, row.coordinates): row for row in comparison.rows}
    keys = [_key(each["step"], each["coordinates"]) for each in entries]
    with opened_history() as history:
        its = {key: causes_of_row(history, comparison, rows[key]) for key in dict.fromkeys(keys)}
        return [
            StepCausesAndWaits(
                its[key][places[each["column"]]],
                named_waits(history, comparison, each["step"], each["coordinates"], places[each["column"]]),
            )
            for key, each in zip(keys, entries, strict=True)
        ]


def _key(step: str, coordinates: Mapping[str, Any]) -> tuple[str, str]:
    """Of a row."""
    return step, str(coordinates)


def show_before_after(comparison: Comparison, form: str) -> None:
    """Print each test before the writes against the same test after them."""
    found = before_after_tests(comparison)
    if form == "json":
        ids = [column.ids for column in comparison.columns]
        print_json({"sessions": ids, "pairs": found})
    elif form == "csv":
        say_text(pair_numbers(comparison, found).to_csv())
    else:
        names = _names(comparison, form)
        print_tables([costs_text.before_after_table(comparison, found, names)], form)


def _names(comparison: Comparison, form: str) -> Sequence[str]:
    """Of the columns: short in a terminal."""
    names = names_of(comparison)
    return names if form == "md" else print_common_name_parts(names)


def check_step(comparison: Comparison, step: str, option: str = "--why") -> None:
    names = list(dict.fromkeys(row.workload for row in comparison.rows))
    if step and step not in (*names, *map(row_label, comparison.rows)):
        known = ", ".join(names) or "none"
        no_step = f"no step {step!r}{did_you_mean(step, names)}"
        raise InputError(f"{no_step}: choose one of {known} (write {option} after the sessions)")
