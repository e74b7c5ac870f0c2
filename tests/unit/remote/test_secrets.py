"""Where secrets come from and where they stay."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.remote.secrets import TRIES, Secrets, forget_secrets, gives_back, system_keyring
from tests.fakes import DroppingKeyring, LockedKeyring, MemoryKeyring

LABEL = "password of me@nuc port 22"


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    forget_secrets()
    yield
    forget_secrets()


def nobody(prompt: str) -> None:
    return None


def test_a_person_is_asked_as_often_as_sense_has_it() -> None:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return f"answer {len(prompts)}"

    assert list(Secrets(ask).candidates(LABEL)) == [f"answer {n + 1}" for n in range(TRIES)]
    assert prompts == [f"{LABEL}: "] * TRIES


def test_nobody_there_is_noted() -> None:
    secrets = Secrets(nobody)
    assert list(secrets.candidates(LABEL)) == []
    assert secrets.missing == [LABEL]


def test_a_person_may_go_on_without() -> None:
    secrets = Secrets(lambda prompt: "")
    assert list(secrets.candidates(LABEL)) == []
    assert secrets.missing == []
    assert list(secrets.candidates(LABEL, may_be_empty=True)) == [""]  # an account without a password


def test_an_accepted_one_is_remembered_for_reconnects_by_this_process_alone() -> None:
    Secrets(nobody).accept(LABEL, "word")
    assert list(Secrets(nobody).candidates(LABEL)) == ["word"]
    assert list(Secrets(nobody).candidates("another")) == []
    forget_secrets()
    assert list(Secrets(nobody).candidates(LABEL)) == []


def test_a_keyring_keeps_what_was_right() -> None:
    keyring = MemoryKeyring()
    Secrets(nobody, keyring).accept(LABEL, "word")
    forget_secrets()
    assert list(Secrets(nobody, keyring).candidates(LABEL)) == ["word"]
    assert keyring.kept == {("dyno", LABEL): "word"}


def test_a_keyring_that_locks_itself_is_gone_without() -> None:
    secrets = Secrets(nobody, LockedKeyring())
    secrets.accept(LABEL, "word")
    assert list(secrets.candidates(LABEL)) == ["word"]


def test_a_keyring_must_give_back_what_it_was_given() -> None:
    keyring = MemoryKeyring()
    assert gives_back(keyring) and keyring.kept == {}
    assert not gives_back(DroppingKeyring())
    assert not gives_back(LockedKeyring())


def test_a_system_without_a_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    assert system_keyring() is None
