"""`dyno compare --why` and `--pre`: what a step costs, and what the writes did to later reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison import costs_text
from app.comparison.before_after import pairs
from app.comparison.charts.of_all_steps import pair_numbers
from app.comparison.entries import Comparison
from app.comparison.text import names_of, row_label
from app.comparison.thread_states import states_of_steps
from app.comparison.waits import NamedEntry, named_waits
from app.comparison.waits_text import statements_table, waits_table
from app.comparison.why import WhyEntry, why_all
from app.core.errors import InputError
from app.core.table import TextTable

from .screen import print_json, print_text_tables, say_shared, say_text
from .session import opened


def show_why(comparison: Comparison, step: str, form: str) -> None:
    """Print what may explain one step, or the costs of all steps, as measured and relative to the base."""
    check_step(comparison, step)
    entries = why_all(comparison, step)
    if step and not entries:
        raise InputError("nothing to explain: give a session to compare with the base")
    if form == "json":
        named = _named(comparison, entries)
        steps = [{**entry, **its} for entry, its in zip(entries, named, strict=True)]
        print_json({"base": comparison["base"], "steps": steps})
    elif form == "csv":
        say_text(costs_text.to_csv(comparison, entries))
    elif step:
        print_text_tables(list(_tables(comparison, entries)), form)
    else:
        ways = (False, True) if entries else (False,)
        names = _names(comparison, form)
        tables = [costs_text.costs_of_steps(comparison, is_relative, names) for is_relative in ways]
        tables.append(states_of_steps(comparison, names))
        print_text_tables(tables, form)


def _tables(comparison: Comparison, entries: Sequence[WhyEntry]) -> Iterator[TextTable]:
    """Costs, waits and statements of each entry."""
    for entry, named in zip(entries, _named(comparison, entries), strict=True):
        costs = costs_text.details(comparison, entry)
        yield costs
        yield waits_table(f"Waits of {costs.title}", named)
        if named["statements"]:
            yield statements_table(f"Statements of {costs.title}", named)


def _named(comparison: Comparison, entries: Sequence[WhyEntry]) -> list[NamedEntry]:
    """Waits and statements of each entry."""
    ids = [column["id"] for column in comparison["sessions"]]
    with opened() as history:
        return [
            named_waits(history, comparison, each["step"], each["coordinates"], ids.index(each["column"]))
            for each in entries
        ]


def show_pairs(comparison: Comparison, form: str) -> None:
    """Print each test before the writes against the same test after them."""
    found = pairs(comparison)
    if form == "json":
        ids = [column["ids"] for column in comparison["sessions"]]
        print_json({"sessions": ids, "pairs": found})
    elif form == "csv":
        say_text(pair_numbers(comparison, found).to_csv())
    else:
        names = _names(comparison, form)
        print_text_tables([costs_text.pairs_of_steps(comparison, found, names)], form)


def _names(comparison: Comparison, form: str) -> Sequence[str]:
    """Of the columns: short in a terminal."""
    names = names_of(comparison)
    return names if form == "md" else say_shared(names)


def check_step(comparison: Comparison, step: str, option: str = "--why") -> None:
    names = list(dict.fromkeys(row["workload"] for row in comparison["rows"]))
    if step and step not in (*names, *map(row_label, comparison["rows"])):
        known = ", ".join(names) or "none"
        raise InputError(f"no step {step!r}: choose one of {known} (write {option} after the sessions)")
