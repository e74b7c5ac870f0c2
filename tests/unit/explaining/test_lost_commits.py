"""Which setting loses answered commits, by the tries of a ledger; what tries cannot tell apart."""

from __future__ import annotations

import pytest

from app.explaining.entries import entry_of
from app.explaining.explaining import DifferenceQuestion
from app.explaining.lost_commits import Try, lost_commits, lost_commits_sentences
from app.explaining.text import explanation_table
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import StepEnded
from app.protocol.plan import Plan
from app.protocol.step_parts import OperationResult
from tests import journals
from tests.unit.explaining.pairs import COMMIT, REDO, asked, explaining, next_plan

NONE, X, Y, BOTH = map(frozenset, ((), "x", "y", "xy"))


@pytest.mark.parametrize(
    ("tries", "sentences"),
    [
        ([], []),
        ([(NONE, False), (X, False)], ["No answered commit was gone in 2 tries."]),
        (
            [(NONE, False), (X, True), (Y, False), (BOTH, True), (BOTH, False)],
            ["Answered commits were gone in 2 of 3 tries with B's x, in none of 2 with A's."],
        ),
        (
            [(NONE, True), (BOTH, False)],
            [
                "Answered commits were gone in 1 of 1 try with A's x, in none of 1 with B's.",
                "Answered commits were gone in 1 of 1 try with A's y, in none of 1 with B's.",
                "Which of these loses them is not told apart: the search goes by the result.",
            ],
        ),
        (
            [(NONE, True), (BOTH, True)],
            ["Answered commits were gone in 2 of 2 tries, with both values of each setting."],
        ),
        (
            [(NONE, False), (X, True), (Y, True)],
            ["Answered commits were gone in 2 of 3 tries, with both values of each setting."],
        ),
    ],
)
def test_a_setting_is_named_where_commits_were_gone_only_with_it(
    tries: list[Try], sentences: list[str]
) -> None:
    assert lost_commits_sentences(lost_commits("xy", tries)) == sentences


def measured(history: History, its_plan: Plan, losing: frozenset[str], question: DifferenceQuestion) -> None:
    """Each session with its kill: what has these settings loses a row in it."""
    found = explaining(question)
    for turn in its_plan.turns:
        group = found.between.group_of(its_plan.contenders[turn.contender])
        maker = journals.Maker(its_plan, turn.session).begin()
        for at, step in enumerate(its_plan.steps):
            if step.beside:
                continue
            maker.start_step(at)
            kept = OperationResult(
                at_s=1.0, first_answer_s=2.0, acknowledged=90, missing=int(group >= losing)
            )
            if step.is_operation:
                maker.add(
                    StepEnded, step=at, outcome="completed", value=2.0, seconds=60.0, operation=vars(kept)
                )
            else:
                maker.end_step(at)
            for other in its_plan.other_roles(at):
                maker.end_step(other)
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.end().raw)


def test_explain_names_it_whatever_the_seconds_say(history: History) -> None:
    question = asked(step="kill threads=2", sequence="recovery")
    found = explaining(question)
    assert found.work.step == "kill threads=2"
    measured(history, next_plan(found, found.state(history)), frozenset([COMMIT]), question)
    entry = entry_of(found, found.state(history))
    lost = entry["lost_commits"]
    assert lost is not None and (lost["tries"], lost["lost"]) == (16, 8)
    assert COMMIT in [each["name"] for each in lost["settings"]]
    assert REDO in [each.name for each in found.between.settings]
    sentence = f"Answered commits were gone in 8 of 8 tries with B's {COMMIT}, in none of 8 with A's."
    assert sentence in explanation_table(entry).remarks and entry["unit"] == "s"
