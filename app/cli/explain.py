"""`dyno explain`: measures contenders between A and B until each setting has its share of their ratio."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from typing import Any

from app.catalog import Catalog, approved_hashes
from app.core.errors import InputError
from app.core.table import Table
from app.explaining.builds import difference_search_on_target
from app.explaining.entries import ExplainedDifferenceEntry, entry_of
from app.explaining.evidence import MeasuredRounds
from app.explaining.explaining import MINUTES, DifferenceQuestion, ExplainedContenderPair, ExplanationState
from app.explaining.pair import ContenderPair
from app.explaining.text import explanation_table
from app.planner.request.request import PlanRequest
from app.protocol.my_cnf import option_key
from app.remote.reach import reached
from app.targets.store import Targets

from .answering import (
    add_so_far,
    add_start_options,
    add_time,
    add_work,
    measure_and_answer,
    minutes_of,
    with_options,
)
from .compare import add_verdict_limits, command_verdict_limits
from .parser import add_verb, split_word_list
from .plan_options import given_disturbance_limits
from .screen import ask_secret, say
from .session import opened_history


def add_words(words: Any) -> None:
    parser = add_verb(words, explain_pair, "find out by measuring which setting makes A and B differ")
    parser.add_argument(
        "a", metavar="A", help="a session, a plan of two contenders, or BUILD:ENGINE:PRESET with --sequence"
    )
    parser.add_argument("b", metavar="B", nargs="?", help="the other one, of the same engine")
    add_work(parser, "the step to explain: point-query, 'scan threads=4'")
    parser.add_argument(
        "--together", action="append", metavar="OPTION,OPTION",
        help="options that change as one; redo log size and number, and others like them, do so anyway",
    )  # fmt: skip
    add_time(parser, "repeat", f" (default: {MINUTES}min)")
    add_verdict_limits(parser)
    add_so_far(parser)
    add_start_options(parser)


def explain_pair(arguments: argparse.Namespace) -> int:
    return measure_and_answer(arguments, lambda given: _Question(_settled(given)))


@dataclass
class _Question:
    """Which setting makes the difference."""

    explaining: ExplainedContenderPair
    _state: ExplanationState = field(init=False)

    def read(self) -> MeasuredRounds:
        with opened_history() as history:
            self._state = self.explaining.state(history)
        return self._state.evidence

    def next_request(self) -> PlanRequest | None:
        request, evidence = self.explaining.next_request(self._state), self._state.evidence
        if request:
            say("", f"repeat {len(evidence.rounds) + 1}, {evidence.seconds / 60:.0f} minutes so far", "")
        return request

    def time_text(self) -> str:
        return self.explaining.time_text(self._state)

    def entry(self) -> ExplainedDifferenceEntry:
        return entry_of(self.explaining, self._state)

    def table(self) -> Table:
        return explanation_table(self.entry())


# what is asked for


def _settled(arguments: argparse.Namespace) -> ExplainedContenderPair:
    """The explanation on its target, which must be free."""
    asked = _asked(arguments)
    asked.request(Catalog())  # what is wrong on every target comes before what the target says
    target = Targets().get(asked.pair.request.target)
    with reached(target, ask_secret, arguments.directory) as agent:
        is_reader = arguments.so_far or arguments.dry_run
        return difference_search_on_target(
            agent, asked, Catalog(), approved_hashes(), target.search_paths, is_reader
        )


def _asked(arguments: argparse.Namespace) -> DifferenceQuestion:
    together = [split_word_list("together", each) for each in arguments.together or ()]
    return DifferenceQuestion(
        _pair(arguments),
        arguments.step,
        tuple(frozenset(map(option_key, each)) for each in together),
        minutes_of(arguments) or MINUTES,
        command_verdict_limits(arguments),
        given_disturbance_limits(arguments),
    )


def _pair(arguments: argparse.Namespace) -> ContenderPair:
    names = [each for each in (arguments.a, arguments.b) if each is not None]
    if any(":" in each for each in names):
        pair = ContenderPair.of_names(names, PlanRequest(target=arguments.target or "local"))
    else:
        for option in ("sequence", "target"):
            if getattr(arguments, option):
                raise InputError(f"sessions have their {option}: leave --{option} out")
        with opened_history() as history:
            pair = ContenderPair.of_sessions(history, names)
    return replace(pair, request=with_options(pair.request, arguments))
