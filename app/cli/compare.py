"""`dyno compare`: sessions side by side, relative to a base."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.protocol.reading import MOST_PCT
from app.protocol.states import GOING_ON
from app.stats import VerdictLimits

from .parser import UnsetOptionText, add_verb, add_wide, non_empty_option, percent_type
from .screen import print_common_name_parts, print_json, print_tables, say, say_text, say_wrapped
from .session import opened_history

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.history.store.history import History
    from app.protocol.plan import Plan

FORMATS = ("table", "json", "csv", "md")


def add_words(words: Any) -> None:
    parser = add_verb(words, compare_sessions, "compare sessions or plans", add_sessions)
    parser.add_argument(
        "--format", choices=FORMATS, default="table", help="output format (default: table); md is Markdown"
    )
    parser.add_argument(
        "-j", "--json", action="store_const", dest="format", const="json", help="print JSON, for scripts"
    )
    add_wide(parser)
    add_measure(parser, "compare")
    add_verdict_limits(parser)
    parser.add_argument("--common", action="store_true", help="show only steps that all columns have")
    parser.add_argument(
        "-v", "--details", action="store_true", help="show spread, n and p in each cell, and all caveats"
    )
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--setup", action="store_true", help="show how the setups of the sessions differ")
    other.add_argument(
        "--why", nargs="?", const=UnsetOptionText(), type=non_empty_option(str), metavar="STEP",
        help="show the costs of a step, the likeliest explanation first; without STEP the costs of all steps",
    )  # fmt: skip
    other.add_argument(
        "--stacks", type=non_empty_option(str), metavar="STEP",
        help="show the functions whose share of the time changed in a profiled step",
    )  # fmt: skip
    other.add_argument("--verdict", action="store_true", help="print only the sentences")
    other.add_argument(
        "--pre", action="store_true", help="compare tests before the writes with the same tests after them"
    )


def add_sessions(parser: argparse.ArgumentParser) -> None:
    """Options for the sessions to compare, and their base."""
    parser.add_argument(
        "sessions",
        nargs="+",
        metavar="SESSION",
        help="session or plan: its id, the last 6 characters of that, a unique name, or last (latest plan)",
    )
    parser.add_argument(
        "--base",
        metavar="SESSION",
        help="base of the comparison: a session, or a plan of one contender (default: the first session)",
    )


def named_sessions(history: History, arguments: argparse.Namespace) -> list[str]:
    """The ids of the sessions that `add_sessions` took, the base first."""
    from app.history.lists.sessions import find_all

    return find_all(history, [*([arguments.base] if arguments.base else []), *arguments.sessions])


def add_measure(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--measure",
        default="value",
        metavar="M",
        help=f"measure to {what}: p95_ms, cpu_us, written_kb, ...; a wrong name lists all",
    )


def add_verdict_limits(parser: argparse.ArgumentParser) -> None:
    """Options for the limits of verdicts; default: as set in the window, else Dyno's own."""
    parser.add_argument(
        "--difference",
        dest="matters",
        type=percent_type(MOST_PCT),
        metavar="PERCENT",
        help="ignore differences below this percentage (default: 2, or your setting)",
    )
    add_false_share(parser, "of false alarms")


def add_false_share(parser: argparse.ArgumentParser, what: str, is_above_0: bool = False) -> None:
    parser.add_argument(
        "--false-share", type=percent_type(MOST_PCT, is_above_0), metavar="PERCENT",
        help=f"at most this percentage {what} (default: 5, or your setting)",
    )  # fmt: skip


def command_verdict_limits(arguments: argparse.Namespace) -> VerdictLimits:
    """The given limits; the others from settings.toml."""
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings

    asked = {"matters_pct": arguments.matters, "false_share_pct": arguments.false_share}
    given = {name: value for name, value in asked.items() if value is not None}
    return verdict_limits(replace(read_settings(), **given))


def compare_sessions(arguments: argparse.Namespace) -> None:
    if (arguments.setup or arguments.why is not None) and arguments.measure != "value":
        raise InputError("--measure does not go with --why or --setup: leave one of them out")
    if arguments.stacks:
        _show_stacks(arguments)
    elif arguments.setup:
        _show_differences(arguments.sessions, arguments.format)
    else:
        limits, measure = command_verdict_limits(arguments), arguments.measure
        found = _compared(arguments.sessions, arguments.base, measure, limits)
        if arguments.verdict:
            _show_verdict(found, measure, arguments.format)
        elif arguments.why is not None or arguments.pre:
            _show_costs(found, arguments)
        else:
            is_common, is_wide = arguments.common, arguments.wide
            _show_table(found, measure, arguments.format, arguments.details, is_common, is_wide)


def _show_stacks(arguments: argparse.Namespace) -> None:
    from app.comparison.stacks.stacks import profiles_of
    from app.comparison.verdicts.compare import compare

    from .stacks import show_stacks
    from .why import check_step

    with opened_history() as history:
        found = compare(history, arguments.sessions, arguments.base)
        check_step(found, arguments.stacks, "--stacks")
        profiles = profiles_of(history, found, arguments.stacks)
    show_stacks(found, profiles, found.base, arguments.format)


def _show_costs(found: Comparison, arguments: argparse.Namespace) -> None:
    from .why import show_before_after, show_why

    if arguments.pre:
        show_before_after(found, arguments.format)
    else:
        show_why(found, arguments.why, arguments.format)


def _compared(
    references: Sequence[str],
    base: str | None = None,
    measure: str = "value",
    limits: VerdictLimits | None = None,
) -> Comparison:
    from app.comparison.verdicts.compare import compare, comparison_by_measure

    with opened_history() as history:
        return comparison_by_measure(compare(history, references, base, limits), measure)


def _show_table(
    found: Comparison,
    measure: str,
    form: str,
    has_details: bool = False,
    is_common: bool = False,
    is_wide: bool = False,
) -> None:
    from app.comparison.answers.sentences import first_lines, measure_in_sentence, verdict_sentences
    from app.comparison.texts import text as compare_text
    from app.comparison.texts.operations_text import operations_tables
    from app.comparison.texts.roles_text import roles_tables
    from app.comparison.texts.soak_text import soak_tables
    from app.comparison.verdicts.compare import only_common_steps

    found = only_common_steps(found) if is_common else found
    sentences = first_lines(found, measure_in_sentence(measure))
    if form == "table":
        say_wrapped(*compare_text.lines_above(found, sentences, has_details or is_wide))
        shown = compare_text.shown_table(found, has_details, is_wide, sentences)
        print_tables([shown, *operations_tables(found), *roles_tables(found), *soak_tables(found)])
    elif form == "json":
        print_json(
            {
                **compare_text.to_json(found),
                "sentences": verdict_sentences(found, measure_in_sentence(measure)),
            }
        )
    elif form == "md":
        say_text(compare_text.to_markdown(found, has_details, sentences))
    else:
        say_text(compare_text.to_csv(found))


def _show_verdict(found: Comparison, measure: str, form: str) -> None:
    """Print the verdict as sentences; as JSON with base and limits."""
    from app.comparison.answers.sentences import first_lines, measure_in_sentence, verdict_lines
    from app.comparison.cells.labels import names_of
    from app.comparison.texts.text import json_of_limits
    from app.comparison.verdicts.across import cross_plan_remarks

    if form == "json":
        lines = [*found.first_texts, *verdict_lines(found, measure_in_sentence(measure))]
        print_json({"base": found.base_id, "sentences": lines, "limits": json_of_limits(found.limits)})
    else:
        across = cross_plan_remarks(found, names_of(found))
        say_wrapped(*found.first_texts, *first_lines(found, measure_in_sentence(measure)), *across)


def show_result_of(plan: str) -> None:
    """Print the result of a plan of several contenders, once it is over and in the history."""
    from app.comparison.answers.sentences import largest_decided_step
    from app.history.lists.sessions import SUFFIX

    if ids := _sessions_to_compare(plan):
        say("")
        found = _compared(ids)
        _show_table(found, "value", "table")
        say(f"look at it again: dyno compare {plan[-SUFFIX:]}")
        if step := largest_decided_step(found):
            say(f"what may explain it: dyno compare {plan[-SUFFIX:]} --why {step}")
    _show_against_baseline(plan)


def _show_against_baseline(plan: str) -> None:
    """Print how a plan that is over compares with the pinned baseline of its target, if it has one."""
    from app.comparison.answers.baseline import against_baseline

    if not sessions_of_ended(plan)[1]:
        return
    with opened_history() as history:
        found = against_baseline(history, plan)
    if found:
        say_wrapped("", found.text)


def _sessions_to_compare(plan_id: str) -> list[str]:
    """The sessions of a plan of several contenders that is over, in its order; else none."""
    plan, ids = sessions_of_ended(plan_id)
    return ids if plan and len(plan.contenders) > 1 else []


def sessions_of_ended(plan_id: str) -> tuple[Plan | None, list[str]]:
    """The plan and its sessions in their order; no sessions unless it is over and in the history."""
    from app.history.lists.sessions import sessions
    from app.history.steps.figures import plans_by_session

    with opened_history() as history:
        states = {each["id"]: each["state"] for each in sessions(history, plan=plan_id)}
        plan = next(iter(plans_by_session(history, list(states)[:1]).values()), None)
    if plan is None:
        return None, []
    are_over = all(states.get(turn.session, "waiting") not in GOING_ON for turn in plan.first_turns)
    return plan, [turn.session for turn in plan.turns if turn.session in states] if are_over else []


def _show_differences(references: Sequence[str], form: str) -> None:
    from app.comparison.differences.differences import differences, is_of_the_builds
    from app.comparison.texts.differences_text import differences_csv, differences_table
    from app.core.names import unique_names
    from app.history.lists.browsing import read_session_lines
    from app.history.lists.sessions import find_all

    with opened_history() as history:
        ids = find_all(history, references)
        known = read_session_lines(history, ids)
        found = differences(history, ids)
    names = unique_names([each["name"] for each in known], [each["at"] for each in known], ids)
    if form == "json":
        print_json({"sessions": ids, "differences": found})
    elif form == "csv":
        say_text(differences_csv(names, [each for each in found if not is_of_the_builds(each)]))
    elif form == "md":
        print_tables([differences_table(names, found)], form)
    else:
        print_tables([differences_table(print_common_name_parts(names), found)], form)
