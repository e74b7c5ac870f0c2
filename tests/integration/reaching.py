"""Reaching targets in tests: who is asked for secrets, whether a target answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from app.remote.connection import Connection
from app.remote.reach import connect
from app.remote.target import Ask, Target


def nobody(prompt: str) -> None:
    return None


class Person:
    """Answers prompts in their order, and keeps them."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        return self.answers.pop(0) if self.answers else None


@contextlib.contextmanager
def connected(target: Target, ask: Ask = nobody) -> Iterator[Connection]:
    connection = connect(target, ask)
    try:
        yield connection
    finally:
        connection.close()


def says_hello(target: Target, ask: Ask = nobody) -> bool:
    with connected(target, ask) as connection:
        return connection.run(["echo", "hello"]).stdout == b"hello\n"
