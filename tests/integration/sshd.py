"""A real sshd of the test's own: host keys, one user key that it lets in, a port of loopback.

    def test_something(sshd):
        target = sshd.target()            # a Target: this sshd, its user key; not trusted yet
        sshd.trust()                      # its host key is in DYNO_HOME/known_hosts now
        sshd.add_target("far", "~/dyno")  # or both at once, kept in targets.toml, for `dyno … --target far`
        sshd.cut()                        # ends every connection, as `kill -9` of sshd does; it lets in again
        sshd.stop(); sshd.start()         # nobody lets in; on the same port again

`start_sshd` is the fixture for more than one, or one with other lines in its sshd_config:
    old = start_sshd("HostKeyAlgorithms ssh-rsa", host_keys=["rsa"])
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.remote.hostkeys import HostKey, KnownHosts, OfferedHostKey
from app.remote.secrets import forget_secrets
from app.remote.target import Target
from app.targets.store import Targets
from tests.waiting import DEADLINE_S, wait_until

CONFIG = """\
Port {port}
ListenAddress {address}
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
LogLevel VERBOSE
SetEnv SHLVL=1 "PATH={python}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
"""  # SHLVL: bash reads no ~/.bashrc, in which somebody's tools may take a second of CPU for each command
PYTHON = Path(sys.executable).resolve().parent


class Sshd:
    """One sshd; `python` and `directory` are those of the targets made from it."""

    def __init__(
        self,
        folder: Path,
        lines: Sequence[str] = (),
        host_keys: Sequence[str] = ("ed25519",),
        address: str = "127.0.0.1",
        prefix: Sequence[str] = (),
    ) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.address = address
        self.port = free_port()
        self.user = getpass.getuser()
        self.key = make_key(folder / "user_key")
        self.authorize(self.key)
        self.directory = str(folder / "dyno")
        self._prefix = list(prefix)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = list(lines)
        self.make_host_keys(host_keys)
        self.start()

    # the server

    def make_host_keys(self, types: Sequence[str] = ("ed25519",)) -> None:
        """New host keys; a running sshd takes them after stop() and start()."""
        self.host_keys = [make_key(self.folder / f"host_{kind}", kind) for kind in types]
        usual = CONFIG.format(port=self.port, address=self.address, folder=self.folder, python=PYTHON)
        keys = [f"HostKey {path}" for path in self.host_keys]
        text = "\n".join([*self._lines, *keys, usual])  # the first value of a keyword counts
        (self.folder / "sshd_config").write_text(text)

    def start(self) -> None:
        sshd = shutil.which("sshd") or "/usr/sbin/sshd"
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._prefix, sshd, "-D", "-e", "-f", str(self.folder / "sshd_config")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            wait_until(self._answers, "sshd answers")
        except AssertionError:
            self.stop()
            raise AssertionError(f"sshd does not answer; its log:\n{self.log()}") from None

    def stop(self) -> None:
        """End sshd and every connection through it; what it has started goes on."""
        if self._process is None:
            return
        connections = _sshd_children(self._process.pid)  # asked before: orphans have another parent
        self._process.kill()
        _kill(connections)
        self._process.wait(DEADLINE_S)
        self._process = None

    def cut(self) -> None:
        """Kill the processes that carry the connections; new ones are let in."""
        if self._process is not None:
            _kill(_sshd_children(self._process.pid))

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def _answers(self) -> bool:
        try:
            with socket.create_connection((self.address, self.port), timeout=1) as sock:
                return sock.recv(4) == b"SSH-"
        except OSError:
            return False

    # who is let in

    def authorize(self, *keys: Path) -> None:
        """Let in whoever has one of these keys, and nobody else."""
        (self.folder / "authorized_keys").write_text("".join(Path(f"{key}.pub").read_text() for key in keys))

    # as Dyno sees it

    def target(self, name: str = "far", **changes: object) -> Target:
        target = Target(
            name,
            host=self.address,
            user=self.user,
            port=self.port,
            identity=str(self.key),
            directories=[self.directory],
        )
        return replace(target, **changes)  # type: ignore[arg-type]

    @property
    def host_key(self) -> HostKey:
        """The first of its host keys."""
        return read_host_key(self.host_keys[0])

    def trust(self) -> None:
        """Put the host key into DYNO_HOME/known_hosts."""
        known = KnownHosts(Path(os.environ["DYNO_HOME"]) / "known_hosts")
        known.trust(OfferedHostKey("far", self.address, self.port, self.host_key))

    def add_target(self, name: str = "far", directory: str = "", **changes: object) -> Target:
        """A trusted target in the targets.toml of DYNO_HOME."""
        target = self.target(name, **changes)
        if directory:
            target = replace(target, directories=[directory])
        Targets().add(target)
        self.trust()
        return target


@pytest.fixture
def ssh_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """In place of the person's ~/.ssh and SSH agent, for commands started too; it may get a file `config`."""
    forget_secrets()
    folder = tmp_path / "dot-ssh"
    folder.mkdir()
    monkeypatch.setenv("DYNO_SSH_CONFIG", str(folder / "config"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    yield folder
    forget_secrets()


StartSshd = Callable[..., Sshd]


@pytest.fixture
def start_sshd(tmp_path: Path, ssh_folder: Path) -> Iterator[StartSshd]:
    """Start any number of sshd: start_sshd(*lines of sshd_config, host_keys=["ed25519"])."""
    started: list[Sshd] = []

    def start(*lines: str, host_keys: Sequence[str] = ("ed25519",)) -> Sshd:
        started.append(Sshd(tmp_path / f"sshd{len(started)}", lines, host_keys))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def sshd(start_sshd: StartSshd) -> Sshd:
    """One running sshd."""
    return start_sshd()


@pytest.fixture
def password_user() -> Iterator[str]:
    """A throw-away user of this system, who has the password `let me in`."""
    name = f"dynotest{secrets.token_hex(4)}"
    subprocess.run(["useradd", "-M", "-d", "/", "-s", "/bin/sh", name], check=True)
    try:
        subprocess.run(["chpasswd"], input=f"{name}:let me in\n".encode(), check=True)
        yield name
    finally:
        subprocess.run(["userdel", "-f", name], check=True, stderr=subprocess.DEVNULL)


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """A new key pair."""
    path.unlink(missing_ok=True)
    command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", str(path)]
    subprocess.run([*command, "-a", "4"], check=True, stdin=subprocess.DEVNULL, timeout=60)
    return path


def read_host_key(path: Path) -> HostKey:
    import base64

    kind, blob, *_ = Path(f"{path}.pub").read_text().split()
    return HostKey(kind, base64.b64decode(blob))


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port


def _kill(pids: Sequence[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _sshd_children(pid: int) -> list[int]:
    """The sshd processes that this one has forked, for all generations."""
    found = []
    for child in _children(pid):
        try:
            name = Path(f"/proc/{child}/comm").read_text().strip()
        except OSError:
            continue
        if name.startswith("sshd"):
            found += [child, *_sshd_children(child)]
    return found


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
