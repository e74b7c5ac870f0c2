"""Who is let in over SSH, and by which way: keys, the SSH agent, passwords, ~/.ssh/config, jumps."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import InputError, LinkError, TargetError
from app.remote.dial import trust
from app.remote.hostkeys import HostKeyUnknownError
from app.remote.reach import connect
from app.remote.secrets import PASSWORD_FILE, forget_secrets, password_file_withheld
from app.remote.target import Target
from tests.integration.reaching import Person, nobody, says_hello
from tests.integration.sshd import Sshd, StartSshd, make_key
from tests.waiting import wait_until


def test_an_encrypted_key_is_asked_for_and_remembered(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    sshd.authorize(key)
    target = sshd.target(identity=str(key))
    person = Person("wrong", "correct horse")
    assert says_hello(target, person)
    assert person.prompts == [f"passphrase of {key}: "] * 2
    assert says_hello(target)  # a reconnect asks nobody


def test_an_encrypted_key_with_nobody_to_ask_is_wrong_input(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    with pytest.raises(InputError, match=f"needs the passphrase of {key}, and there is nobody to ask for it"):
        connect(sshd.target(identity=str(key)), nobody)


@pytest.mark.parametrize("kind", ["rsa", "ecdsa", "ed25519"])
def test_keys_of_every_kind_let_in(sshd: Sshd, tmp_path: Path, kind: str) -> None:
    sshd.trust()
    key = make_key(tmp_path / kind, kind, passphrase="secret")
    sshd.authorize(key)
    assert says_hello(sshd.target(identity=str(key)), Person("secret"))


def test_an_old_pem_key_lets_in(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = tmp_path / "pem"
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-m", "PEM", "-N", "secret", "-f", key], check=True)
    sshd.authorize(key)
    assert says_hello(sshd.target(identity=str(key)), Person("secret"))


def test_the_keys_of_the_ssh_agent_let_in(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sshd.trust()
    key = make_key(tmp_path / "in_agent")
    sshd.authorize(key)
    with ssh_agent(tmp_path / "agent.sock") as sock:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(sock))
        subprocess.run(["ssh-add", "-q", str(key)], check=True, timeout=10)
        key.unlink()
        assert says_hello(sshd.target(identity=""))


def test_the_ssh_agent_saves_the_question_for_a_passphrase(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="secret")
    sshd.authorize(key)
    with ssh_agent(tmp_path / "agent.sock") as sock:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(sock))
        subprocess.run(["ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", key], check=True)
        subprocess.run(["ssh-add", "-q", str(key)], check=True, timeout=10)
        subprocess.run(["ssh-keygen", "-q", "-p", "-N", "secret", "-f", key], check=True)
        assert says_hello(sshd.target(identity=str(key)))


@contextlib.contextmanager
def ssh_agent(path: Path) -> Iterator[Path]:
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    try:
        wait_until(path.exists, "the SSH agent has its socket")
        yield path
    finally:
        process.kill()
        process.wait()


def test_a_key_nobody_knows_is_refused_with_what_to_do(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    with pytest.raises(TargetError, match=r"does not let Dyno in.*1 keys tried.*ssh-copy-id"):
        connect(sshd.target(identity=str(make_key(tmp_path / "strange"))), nobody)


@pytest.mark.root
def test_a_password_is_asked_for_and_remembered(password_user: str, start_sshd: StartSshd) -> None:
    sshd = start_sshd("PasswordAuthentication yes")
    sshd.trust()
    target = sshd.target(user=password_user, identity="")
    with pytest.raises(InputError, match=f"needs the password of {password_user}@.*there is nobody to ask"):
        connect(target, nobody)
    person = Person("wrong", "let me in")
    assert says_hello(target, person)
    assert len(person.prompts) == 2
    assert says_hello(target)


@pytest.mark.root
def test_a_key_and_then_a_password(password_user: str, start_sshd: StartSshd) -> None:
    with tempfile.TemporaryDirectory() as folder:  # sshd reads it as that user, who cannot enter tmp_path
        Path(folder).chmod(0o755)
        sshd = start_sshd(
            "PasswordAuthentication yes",
            "AuthenticationMethods publickey,password",
            f"AuthorizedKeysFile {folder}/keys",
        )
        keys = Path(folder) / "keys"
        keys.write_text(Path(f"{sshd.key}.pub").read_text())
        keys.chmod(0o644)  # whatever the umask
        sshd.trust()
        assert says_hello(sshd.target(user=password_user), Person("let me in"))


@pytest.mark.root
def test_a_password_that_is_asked_for_by_dialogue(password_user: str, start_sshd: StartSshd) -> None:
    """As where PAM does the asking: keyboard-interactive in place of password."""
    sshd = start_sshd(
        "UsePAM yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods keyboard-interactive"
    )
    sshd.trust()
    person = Person("let me in")
    assert says_hello(sshd.target(user=password_user), person)
    assert len(person.prompts) == 1


# a password in a file


@pytest.fixture
def file_with_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private file with the password of `password_user`, for targets."""
    path = tmp_path / "password"
    path.touch(0o600)
    path.write_text("let me in\n")
    monkeypatch.setenv(PASSWORD_FILE, str(path))
    forget_secrets()
    return path


@pytest.mark.root
def test_a_password_is_read_from_a_file_for_each_connection(
    password_user: str, start_sshd: StartSshd, file_with_password: Path
) -> None:
    sshd, person = start_sshd("PasswordAuthentication yes"), Person("let me in")
    sshd.trust()
    target = sshd.target(user=password_user, identity="")
    assert says_hello(target, person) and not person.prompts
    file_with_password.write_text("wrong")
    with pytest.raises(TargetError, match=f"it refuses the password of {PASSWORD_FILE}$"):
        connect(target, person)
    assert not person.prompts and sshd.log().count("Failed password") == 1
    file_with_password.chmod(0o640)
    with pytest.raises(InputError, match=f"{PASSWORD_FILE} {file_with_password}: others may read"):
        connect(target, person)
    file_with_password.chmod(0o600)
    with password_file_withheld(), pytest.raises(InputError, match=r"needs the password .*nobody to ask"):
        connect(target, nobody)


@pytest.mark.root
def test_a_key_that_lets_in_needs_no_password_file(
    sshd: Sshd, file_with_password: Path, password_user: str
) -> None:
    sshd.trust()
    file_with_password.chmod(0o644)
    assert says_hello(sshd.target())


@pytest.mark.root
def test_no_host_on_the_way_gets_the_password_of_the_file(
    password_user: str, start_sshd: StartSshd, file_with_password: Path
) -> None:
    jump, last = start_sshd("PasswordAuthentication yes"), start_sshd("PasswordAuthentication yes")
    for each in (jump, last):
        each.trust()
    over = f"{password_user}@{jump.address}:{jump.port}"
    target = last.target(user=password_user, identity="", jump=over)
    with pytest.raises(InputError, match=f"needs the password of {password_user}@.* port {jump.port}, and"):
        connect(target, nobody)
    assert "password" not in jump.log().partition("listening")[2]
    assert says_hello(target, Person("let me in"))
    assert "Accepted password" in jump.log() and "Accepted password" in last.log()


# ~/.ssh/config


def test_the_ssh_config_is_honoured(sshd: Sshd, ssh_folder: Path) -> None:
    sshd.trust()
    (ssh_folder / "config").write_text(
        f"Host nuc\n HostName {sshd.address}\n Port {sshd.port}\n"
        f" User {sshd.user}\n IdentityFile {sshd.key}\n"
    )
    assert says_hello(Target("nuc", host="nuc", directories=["/x"]))


def test_the_usual_key_is_found_beside_the_config(sshd: Sshd, ssh_folder: Path) -> None:
    sshd.trust()
    sshd.authorize(make_key(ssh_folder / "id_ed25519"))
    assert says_hello(sshd.target(identity=""))


def test_a_target_behind_two_jumps(start_sshd: StartSshd, ssh_folder: Path) -> None:
    first, second, last = (start_sshd() for _ in range(3))
    for each in (first, second, last):
        each.authorize(last.key)
    first.trust()
    (ssh_folder / "config").write_text(
        f"Host b\n HostName {second.address}\n Port {second.port}\n IdentityFile {last.key}\n"
        f"Host a\n HostName {first.address}\n Port {first.port}\n IdentityFile {last.key}\n"
        "Host behind\n ProxyJump a,b\n"
        f" HostName {last.address}\n Port {last.port}\n IdentityFile {last.key}\n"
    )
    target = Target("behind", host="behind", directories=["/x"])
    for unknown in (second, last):  # every host on the way is checked
        with pytest.raises(HostKeyUnknownError) as caught:
            connect(target, nobody)
        assert (caught.value.port, caught.value.fingerprint) == (unknown.port, unknown.host_key.fingerprint)
        assert trust(target, caught.value.fingerprint, nobody).port == unknown.port
    assert says_hello(target)
    assert "direct-tcpip" in first.log() or "Accepted publickey" in first.log()
    assert "Accepted publickey" in last.log()


def test_a_jump_that_reaches_nothing(start_sshd: StartSshd, ssh_folder: Path) -> None:
    jump = start_sshd()
    jump.trust()
    target = jump.target(port=1, jump=f"{jump.user}@{jump.address}:{jump.port}")
    jump.authorize(make_key(ssh_folder / "id_ed25519"))
    with pytest.raises(LinkError, match=r"the host before it on the way cannot reach 127.0.0.1 port 1"):
        connect(target, nobody)
