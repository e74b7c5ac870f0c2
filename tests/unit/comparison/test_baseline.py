"""A pinned baseline: each plan of the same work against it, in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.cli import main
from app.cli.compare import show_result_of
from app.comparison.answers.baseline import against_baseline, pin, pinned, unpin
from app.comparison.answers.tally import tally_text
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.core.settings import Settings, keep_settings, read_settings, read_settings_table
from app.history.lists import edits
from app.history.store.history import History
from app.protocol.plan import Plan
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, keep, plan

BUSY = Odd(["disturbed"], others={"cpus": 2, "cpu_pct": 70.0, "steal_pct": 0.0, "causes": ["cpu"]})


def alone(number: int, name: str = "good") -> Plan:
    """Five repeats of one contender."""
    return replace(plan((INNODB,), rounds=5, number=number, order="interleaved"), name=name)


def two(history: History, factor: float = 1.0) -> tuple[Plan, Plan]:
    """The pinned plan, and one of the same work and contender later."""
    good, later = alone(1), alone(2, "later")
    keep(history, good)
    keep(history, later, (factor,))
    pin(history, good.id)
    return good, later


def test_a_plan_of_the_same_work_is_compared_with_the_pinned_one(history: History) -> None:
    good, later = two(history, 0.1)
    found = against_baseline(history, later.id)
    assert found and found.text == "against good: all 3 slower"
    assert found.sessions[0] in {turn.session for turn in good.turns} and len(found.sessions) == 10
    assert "slower" in found.sentences[0]


def test_the_same_build_again_is_a_column_of_its_own(history: History) -> None:
    _, later = two(history)
    found = against_baseline(history, later.id)
    assert found and found.tally.endswith((" undecided", " the same"))


def test_each_contender_of_a_plan_counts(history: History) -> None:
    keep(history, plan((INNODB, MYISAM), rounds=5, number=1, order="interleaved"), (1.0, 1.0))
    later = plan((ROCKSDB, MYISAM), rounds=5, number=2, order="interleaved")
    keep(history, later, (0.1, 8.0))
    first = plan((INNODB, MYISAM), rounds=5, number=1, order="interleaved").turns[0].session
    pin(history, first)
    found = against_baseline(history, later.id)
    assert found and found.tally == "3 slower, 3 faster of 6 results"


def test_other_work_and_the_pinned_plan_itself_have_no_answer(history: History) -> None:
    good, _ = two(history)
    other = replace(alone(3), rows=77)
    keep(history, other)
    assert against_baseline(history, good.id) is None and against_baseline(history, other.id) is None
    assert against_baseline(history, "nobody") is None


def test_a_baseline_is_of_one_target_and_one_contender(history: History) -> None:
    keep(history, plan(number=1))
    with pytest.raises(InputError, match="several contenders"):
        pin(history, plan(number=1).id)
    keep(history, replace(alone(2), target="xeon"))
    assert pin(history, alone(2).id).target == "xeon"
    keep(history, alone(3))
    pin(history, alone(3).id)
    assert set(pinned(history)) == {"xeon", "local"}
    unpin("xeon")
    assert set(pinned(history)) == {"local"}
    with pytest.raises(InputError, match="targets with one: local"):
        unpin("xeon")


def test_pins_stay_with_the_settings_of_a_person(history: History) -> None:
    two(history)
    keep_settings(Settings(appearance="dark"))
    assert read_settings().appearance == "dark" and set(pinned(history)) == {"local"}
    assert list(read_settings_table()["baselines"]) == ["local"]


def test_a_deleted_baseline_is_none(history: History) -> None:
    good, later = two(history)
    for turn in good.turns:
        edits.delete(history, turn.session)
    assert pinned(history) == {} and against_baseline(history, later.id) is None


def test_what_did_not_complete_is_no_baseline(history: History) -> None:
    its_plan = alone(1)
    keep(history, its_plan, until=0)
    with pytest.raises(InputError, match="no completed session"):
        pin(history, its_plan.id)


def test_a_tally_tells_what_is_not_judged(history: History) -> None:
    odd = {(1, repeat, 2): BUSY for repeat in range(1, 6)}
    found = compare(history, keep(history, plan((INNODB, ROCKSDB), order="interleaved"), (1.0, 9.0), odd))
    assert tally_text(found) == "2 faster, 1 not judged of 3 steps"


def test_the_same_is_what_no_difference_that_matters_is_left_of(history: History) -> None:
    found = compare(history, keep(history, plan(), (1.0, 1.0)))
    assert tally_text(found) == "all 3 the same"


def test_what_is_not_judged_at_all_has_no_verdict(history: History) -> None:
    assert tally_text(compare(history, keep(history, plan(rounds=1), (1.0, 0.5)))) == "not judged"


def test_a_column_alone_has_no_tally(history: History) -> None:
    assert tally_text(compare(history, keep(history, plan((INNODB,))))) == ""


def test_the_end_of_a_run_tells_it(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    good, later = two(history, 0.1)
    show_result_of(good.id)
    assert capsys.readouterr().out == ""
    show_result_of(later.id)
    assert "against good: all 3 slower" in capsys.readouterr().out


def test_the_command_line_pins_and_answers(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    keep(history, alone(1))
    keep(history, alone(2, "later"), (0.1,))
    assert main(["plan", "pin", alone(1).id]) in (0, None)
    assert main(["plan", "pin"]) in (0, None)
    assert main(["plan", "against", alone(2).id]) in (0, None)
    out = capsys.readouterr().out
    assert out.count("local: good, 5 sessions") == 2 and "against good: all 3 slower" in out
    assert main(["plan", "unpin", "local"]) in (0, None)
    assert main(["plan", "against", alone(2).id]) == 2
