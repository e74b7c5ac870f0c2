"""Plans until decided: rounds, limits, what they refuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InputError
from app.core.settings import Settings, keep_settings
from app.planner.estimate.estimate import estimate
from app.protocol.plan import Plan
from tests.plans import MARIADB, contenders, plan, survey

UNTIL = {"repeats": "until decided", "contenders": contenders(f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")}


def test_until_decided_is_three_to_eight_rounds() -> None:
    found = plan(**UNTIL, time_limit=900)
    assert (found.repeats, found.until_decided, found.time_limit, len(found.turns)) == (8, True, 900, 16)
    assert Plan.from_json(found.to_json()) == found
    took = estimate(found, survey())
    assert took.fewest_s == pytest.approx(took.seconds * 3 / 8)
    assert took.time_text.count(" to ") == 1


def test_a_time_limit_bounds_what_a_plan_takes() -> None:
    whole = estimate(plan(**UNTIL), survey())
    rounds = whole.seconds / 8
    five = estimate(plan(**UNTIL, time_limit=int(rounds * 5)), survey())
    assert (five.longest_s, five.fewest_s) == (int(rounds * 5), whole.fewest_s)
    assert five.seconds_text == f"all repeats: {whole.seconds_text}"
    short = estimate(plan(**UNTIL, time_limit=int(rounds * 2)), survey())
    assert short.longest_s == int(rounds * 2) and " to " not in short.time_text
    least = estimate(plan(**UNTIL, time_limit=1), survey())
    assert least.longest_s == pytest.approx(rounds)  # the first one is always carried out
    long = estimate(plan(**UNTIL, time_limit=86_400), survey())
    assert (long.longest_s, long.time_text) == (whole.longest_s, whole.time_text)


def test_it_carries_the_limits_that_are_set_where_it_says_no_other(dyno_home: Path) -> None:
    assert (plan(**UNTIL).matters_pct, plan(**UNTIL).false_share_pct) == (2.0, 5.0)
    keep_settings(Settings(matters_pct=3.0, false_share_pct=1.0), dyno_home)
    own = plan(**UNTIL, matters_pct=4)
    assert (own.matters_pct, own.false_share_pct) == (4, 1.0) and Plan.from_json(own.to_json()) == own
    assert own.work_key == plan(**UNTIL).work_key and own.hash != plan(**UNTIL).hash
    fixed = plan(**{**UNTIL, "repeats": 8})
    assert (fixed.matters_pct, fixed.false_share_pct) == (2.0, 5.0)  # which nobody reads


def test_nothing_is_decided_of_one_contender() -> None:
    found = plan(repeats="until decided")
    assert (found.repeats, found.until_decided, found.time_limit) == (3, False, 0)
    assert " to " not in estimate(found, survey()).time_text


def test_plans_of_a_fixed_number_have_the_keys_and_hashes_they_had() -> None:
    found = plan(repeats=2, contenders=UNTIL["contenders"])
    assert replace(found, until_decided=True).hash != found.hash
    assert replace(found, until_decided=True).work_key == found.work_key


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"repeats": "for ever"}, "must be a whole number or \"until decided\", not 'for ever'"),
        ({"repeats": 101}, "must be between 1 and 100"),
        ({**UNTIL, "order": "grouped"}, "which the order grouped lacks"),
        ({"repeats": 5, "matters_pct": 3}, "matters and false share need repeats"),
        ({**UNTIL, "false_share_pct": 51}, "--false-share must be between 0 and 50"),
        ({"repeats": 5, "time_limit": 60}, 'a time limit needs repeats "until decided"'),
    ],
)
def test_repeats_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(**options)
    assert complaint in str(caught.value)
