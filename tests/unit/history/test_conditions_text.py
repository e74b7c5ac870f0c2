"""What came of conditions, in words."""

from __future__ import annotations

from typing import Any

from app.history.steps.conditions import conditions_text


def fact(when: str, held: int, of: int = 10, **more: str) -> dict[str, Any]:
    names = {str(at): 0.5 for at in range(held)}
    return {"when": when, "value": {"conditions": of, "seconds": 1.0, "held": names, **more}}


def test_conditions_that_held_are_one_sentence() -> None:
    loaded, ended = fact("loaded", 10), fact("ended", 10)
    assert conditions_text([]) == ""
    assert conditions_text([ended]) == "10 conditions held after the last step"
    text = "10 conditions held after the load and after the last step"
    assert conditions_text([loaded, ended]) == text
    assert conditions_text([loaded, loaded, ended]) == text
    checked = conditions_text([loaded, fact("mix threads=2", 10), ended])
    assert checked == "10 conditions held after the load, after mix threads=2 and after the last step"
    assert conditions_text([fact("loaded", 1, of=1)]) == "1 condition held after the load"


def test_conditions_that_did_not_hold_have_a_sentence_of_their_own() -> None:
    problem = "condition 2 (a is b) is violated: a=1"
    found = conditions_text([fact("loaded", 10), fact("ended", 4, problem=problem)])
    assert found == f"10 conditions held after the load; after the last step {problem}"
    found = conditions_text([fact("ended", 7, unknown="skipped by a person")])
    assert found == "after the last step 3 of 10 conditions had no answer: skipped by a person"
