"""Roles of a step: what a sequence may say of them, and what is refused with file, line and key."""

from __future__ import annotations

import tomllib

import pytest
import tomli_w

from app.catalog.sequence import Sequence, sequence_of
from app.core.errors import InputError
from app.core.toml_text import read_document

TEXT = """\
name = "own"
title = "Readers beside writers"

[[step]]
name = "qr100"
figure = "reader"
cap_s = 3600

[[step.role]]
name = "inserter"
workload = "insert"
rate = 100
arrivals = "each-second"
events = 6000
level = {rate = 95, p99_ms = 50}

[[step.role]]
name = "reader"
workload = "read-only"
threads = 2

[[step.role]]
name = "deleter"
workload = "delete"
follows = "inserter"
apart = 8
"""


def read(text: str) -> Sequence:
    return sequence_of(read_document(text, "own.toml"), "own", False, "own.toml")


def test_a_step_has_the_roles_that_it_names_that_of_the_figure_first() -> None:
    (step,) = read(TEXT).steps
    assert [role.name for role in step.role] == ["inserter", "reader", "deleter"]
    assert [role.name for role in step.roles] == ["reader", "inserter", "deleter"]
    assert step.workloads == ("insert", "read-only", "delete")
    inserter, reader, deleter = step.role
    assert (inserter.rate, inserter.arrivals, inserter.events) == (100, "each-second", 6000)
    assert inserter.level == {"rate": 95, "p99_ms": 50}
    assert (reader.threads, deleter.follows, deleter.apart) == (2, "inserter", 8)
    assert [role.is_waited_for for role in step.role] == [True, False, False]


def test_the_first_role_has_the_figure_where_the_step_names_none() -> None:
    (step,) = read(TEXT.replace('figure = "reader"\n', "")).steps
    assert [role.name for role in step.roles] == ["inserter", "reader", "deleter"]


def with_step(**keys: object) -> str:
    return _changed(lambda step: step.update(keys))


def with_role(at: int, **keys: object) -> str:
    return _changed(lambda step: step["role"][at].update(keys))


def without(at: int, *keys: str) -> str:
    return _changed(lambda step: [step["role"][at].pop(key) for key in keys])


def _changed(change) -> str:  # type: ignore[no-untyped-def]
    data = tomllib.loads(TEXT)
    change(data["step"][0])
    return tomli_w.dumps(data)


WRONG = [
    (with_step(figure="nobody"), "figure must name a role: inserter, reader, deleter, not 'nobody'"),
    (with_step(workload="insert"), "workload is not of a step with roles: give it to the roles"),
    (with_step(name=""), "name is missing: a step with roles needs one"),
    (with_step(seconds=5), "seconds is not of a step with roles: give it to the roles"),
    (with_step(limit_ms=5), "limit_ms is not of a step with roles: leave it out"),
    (with_step(count=500), "count is not of a step with roles: leave it out"),
    (with_step(kind="settle"), "kind is not of a step with roles"),
    (with_step(variation=[{"name": "a", "options": {"skew": 1}}]), "has no options: vary the server"),
    (with_step(role=[]), "role must not be empty"),
    (with_step(role=[{"name": "a", "workload": "insert"}]), "role needs another: one alone is a step with"),
    (with_role(0, name="Inserter"), "name may have 30 lower-case letters"),
    (with_role(0, name="in.serter"), "name may have 30 lower-case letters"),
    (with_role(0, name="pre"), "name means a test before the writes: choose another name"),
    (with_role(1, name="inserter"), "'inserter' is the name of an earlier role"),
    (with_role(0, rate=[1, 2]), "rate must be a whole number"),
    (with_role(0, share=0.5, seconds=5), "leave share or seconds out"),
    (with_role(0, threads=5000), "threads must be between 1 and 4,095"),
    (with_role(0, level={"rate": 101}), "rate must be between 1 and 100, not 101"),
    (with_role(0, level={"p95_ms": 1}), "p95_ms is not known here"),
    (with_role(0, options={"threads": 4}), "threads is set by the plan"),
    (with_role(1, level={"rate": 95}), "level has a share of a rate: give the role a rate"),
    (with_role(1, arrivals="even"), "arrivals are those of a rate"),
    (with_role(1, ends=True), "ends needs a bound: seconds, share or events"),
    (with_role(1, seconds=5, ends=False), "ends cannot be false for the role whose figure"),
    (with_role(0, ends=False), "role needs one with a bound that ends the step"),
    (with_role(2, follows="nobody"), "follows must name another role of the step: inserter, reader"),
    (with_role(2, follows="deleter"), "follows must name another role of the step: inserter, reader"),
    (with_role(2, seconds=5), "follows ends it behind inserter: leave seconds"),
    (with_role(2, threads=5), "threads must be those of inserter, which it follows"),
    (with_role(2, apart=0), "apart must be between 1 and"),
    (without(2, "apart"), "needs both follows and apart"),
    (without(2, "follows"), "apart needs both follows and apart"),
    (with_role(1, follows="deleter", apart=1), "names deleter, which follows inserter: follow that"),
    (with_role(1, follows="inserter", apart=1), "names inserter, which another role follows too"),
    (without(1, "workload"), "workload is missing"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert said in str(caught.value) and str(caught.value).startswith("own.toml: line ")


def test_a_wrong_key_is_found_in_its_role() -> None:
    text = TEXT.replace("apart = 8", "apart = -8")
    line = text.split("\n").index("apart = -8") + 1
    with pytest.raises(InputError, match=f"^own.toml: line {line}: apart must be between"):
        read(text)


def test_a_step_without_roles_has_no_figure() -> None:
    text = 'name = "own"\ntitle = "t"\n[[step]]\nworkload = "insert"\nfigure = "insert"\n'
    with pytest.raises(InputError, match="figure names a role, and the step has none"):
        read(text)


def test_a_step_has_at_most_eight_roles() -> None:
    more = "".join(f'[[step.role]]\nname = "more-{at}"\nworkload = "insert"\n' for at in range(6))
    with pytest.raises(InputError, match="at most 8 times in a step, not 9"):
        read(TEXT + more)


def test_clients_of_the_step_are_those_of_roles_without_their_own() -> None:
    assert read(with_step(threads=[1, 4])).steps[0].threads == (1, 4)
    text = _changed(lambda step: (step.update(threads=4), step["role"][0].update(threads=2)))
    with pytest.raises(InputError, match="threads is of roles without their own"):
        read(text)
