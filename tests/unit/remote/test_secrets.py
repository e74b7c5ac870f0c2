"""Where secrets come from and where they stay."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import InputError
from app.remote.route import Hop
from app.remote.secrets import (
    PASSWORD_FILE,
    TRIES,
    Secrets,
    forget_secrets,
    gives_back,
    label_of_file,
    password_file_withheld,
    password_of_file,
    system_keyring,
)
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


@pytest.fixture
def password_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the variable names: a private file, still empty."""
    path = tmp_path / "password"
    path.touch(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(path))
    return path


@pytest.mark.parametrize("content", [b"p\xc3\xa4ss word", b"p\xc3\xa4ss word\n", b"p\xc3\xa4ss word\r\n"])
def test_a_password_file_has_the_password_on_its_only_line(password_file: Path, content: bytes) -> None:
    password_file.write_bytes(content)
    assert password_of_file(PASSWORD_FILE) == "päss word"


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n", b"\r\n", b"secret\n\n", b"secret\nmore", b"\nsecret", b"sec\0ret", b"sec\x1b[1mret"),
        *(b"secret\xff", b"\xff\xfes\0e\0", b"\xef\xbb\xbfsecret", b"secret" * 1000),
    ],
)  # fmt: skip
def test_another_content_is_refused_in_one_line_without_it(password_file: Path, content: bytes) -> None:
    password_file.write_bytes(content)
    with pytest.raises(InputError, match=f"^{PASSWORD_FILE} {password_file}: ") as caught:
        password_of_file(PASSWORD_FILE)
    assert "\n" not in str(caught.value) and "secret" not in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622, 0o700 | 0o010])
def test_a_password_file_for_others_is_refused_through_a_link_too(password_file: Path, mode: int) -> None:
    password_file.write_text("secret")
    link = password_file.with_name("link")
    link.symlink_to(password_file)
    os.environ[PASSWORD_FILE] = str(link)
    assert password_of_file(PASSWORD_FILE) == "secret"
    password_file.chmod(mode)
    with pytest.raises(InputError, match=f"^{PASSWORD_FILE} {link}: others may read or change it: chmod 600"):
        password_of_file(PASSWORD_FILE)
    password_file.unlink()
    with pytest.raises(InputError, match="it is not a file"):
        password_of_file(PASSWORD_FILE)


@pytest.mark.root
def test_a_link_to_the_password_of_another_user_is_refused(password_file: Path) -> None:
    theirs = password_file.with_name("theirs")
    theirs.touch(0o600)
    os.chown(theirs, 12345, 12345)
    password_file.unlink()
    password_file.symlink_to(theirs)
    with pytest.raises(InputError, match="it belongs to another user"):
        password_of_file(PASSWORD_FILE)


def test_without_a_name_there_is_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_FILE, raising=False)
    assert password_of_file(PASSWORD_FILE) is None
    monkeypatch.setenv(PASSWORD_FILE, "")
    assert password_of_file(PASSWORD_FILE) is None and label_of_file([Hop("nuc", 22, "me")]) == ""


def test_that_of_a_file_is_offered_once_and_stays_there(password_file: Path) -> None:
    password_file.write_text("secret")
    asked, keyring = list[str](), MemoryKeyring()
    keyring.set_password("dyno", LABEL, "another")
    secrets = Secrets(asked.append, keyring, LABEL)
    assert list(secrets.candidates(LABEL)) == ["secret"] and not secrets.missing and not asked
    secrets.accept(LABEL, "secret")
    assert list(Secrets(nobody, keyring).candidates(LABEL)) == ["another"]
    assert list(secrets.candidates("passphrase of key")) == [] and secrets.missing == ["passphrase of key"]


def test_a_password_file_is_for_the_target_alone(password_file: Path) -> None:
    jump, target = Hop("jump", 22, "me"), Hop("nuc", 22, "me")
    assert label_of_file([jump, target]) == LABEL == target.password_label
    with password_file_withheld():
        assert label_of_file([jump, target]) == ""
    assert label_of_file([target]) == LABEL
