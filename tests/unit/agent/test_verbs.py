"""The verbs of the agent, each declared once; the desktop asks for those there are, and for their answers."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.main import VERBS, Verb
from app.protocol import answers

DESKTOP = Path(__file__).parents[3] / "app/remote/agent.py"


def verbs_of_desktop() -> Iterator[tuple[str, str]]:
    """Each verb that the desktop asks, with the class of the answer that it expects."""
    for node in ast.walk(ast.parse(DESKTOP.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._ask":
            verb, answer = node.args[:2]
            yield ast.literal_eval(verb), ast.unparse(answer)


def answers_of(verb: Verb) -> set[str]:
    said = str(inspect.signature(verb.carry_out).return_annotation)
    return {each.removeprefix("answers.") for each in said.split(" | ")}


@pytest.mark.parametrize("name", sorted(VERBS))
def test_a_verb_is_given_what_its_function_takes(name: str) -> None:
    parameters = list(inspect.signature(VERBS[name].carry_out).parameters)
    assert parameters[1:] == list(VERBS[name].arguments)
    assert answers_of(VERBS[name]) <= {"None", *vars(answers)}


def test_the_desktop_asks_for_the_answer_that_a_verb_gives() -> None:
    pairs = list(verbs_of_desktop())
    assert len(pairs) > 20
    assert not [(verb, answer) for verb, answer in pairs if answer not in answers_of(VERBS[verb])]


def test_every_verb_is_asked() -> None:
    """The desktop opens a stream with `follow`; the agent starts `begin` for itself."""
    assert {*VERBS} == {*dict(verbs_of_desktop()), "follow", "begin"}
