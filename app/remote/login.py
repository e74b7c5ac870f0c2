"""Logging in to a host whose key is trusted: SSH agent, key files, passphrases, passwords."""

from __future__ import annotations

import base64
import binascii
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import paramiko
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from app.core.errors import InputError, LinkError, TargetError

from .bounded import bounded
from .route import Hop, passphrase_label
from .secrets import PASSWORD_FILE, SecretNeededError, Secrets

ANSWER_S = 30.0  # of a server that checks a password or waits for a key to be touched
AGENT_S = 5.0
PASSWORD_METHODS = {"password", "keyboard-interactive"}


def log_in(transport: paramiko.Transport, hop: Hop, secrets: Secrets) -> None:
    """Log in; raises TargetError if refused, InputError if a secret is needed and nobody can enter it."""
    transport.auth_timeout = ANSWER_S
    login = _Login(transport, hop, secrets)
    try:
        login.run()
    except paramiko.AuthenticationException as error:
        raise TargetError(f"{hop.text} did not let Dyno in: {error}") from None
    except (paramiko.SSHException, EOFError, OSError) as error:
        raise LinkError(f"{hop.text} hung up while logging in: {error or 'no word'}") from None
    finally:
        login.close()


class _Login:
    def __init__(self, transport: paramiko.Transport, hop: Hop, secrets: Secrets) -> None:
        self._transport = transport
        self._hop = hop
        self._secrets = secrets
        self._methods: set[str] = set()  # what the server still takes
        self._offered = 0  # keys
        self._unusable: list[str] = []  # key files, and why
        self._agent = _ssh_agent()  # signs as long as it is open

    def run(self) -> None:
        if self._attempt(lambda: self._transport.auth_none(self._hop.user)):
            return
        if "publickey" in self._methods and any(self._try_key(key) for key in self._keys()):
            return
        if self._methods & PASSWORD_METHODS and self._try_passwords():
            return
        raise self._refused()

    def close(self) -> None:
        if self._agent:
            self._agent.close()

    def _attempt(self, log_in: Callable[[], Sequence[str]]) -> bool:
        """Try a method; True if it let us in. After a partial success the remaining methods are stored."""
        try:
            left = log_in()
        except paramiko.BadAuthenticationType as error:
            self._methods = set(error.allowed_types)
            return False
        except paramiko.AuthenticationException:
            if self._transport.is_active():
                return False
            raise self._refused(
                "it hung up: too many keys or attempts; choose the private key for this target"
            ) from None
        self._methods = set(left)
        return not left

    def _try_key(self, key: paramiko.PKey) -> bool:
        if "publickey" not in self._methods:  # a key was the first of two steps
            return False
        self._offered += 1
        return self._attempt(lambda: self._transport.auth_publickey(self._hop.user, key))

    def _keys(self) -> Iterator[paramiko.PKey]:
        """The keys to try, those without a question first."""
        public = [blob for path in self._hop.identities if (blob := _public_blob(path))]
        agent = self._agent.get_keys() if self._agent else ()
        named = [key for key in agent if key.asbytes() in public]
        yield from named
        encrypted: list[Path] = []
        done = {key.asbytes() for key in named}
        for path in self._hop.identities:
            try:
                key = load_key(path)
            except PassphraseNeededError:
                encrypted.append(path)
                continue
            except InputError as error:
                self._unusable.append(str(error))
                continue
            if key.asbytes() not in done:
                yield key
        if not self._hop.identities_only:
            yield from (key for key in agent if key.asbytes() not in public)
        for path in encrypted:
            if _public_blob(path) not in done:
                yield from self._decrypted(path)

    def _decrypted(self, path: Path) -> Iterator[paramiko.PKey]:
        label = passphrase_label(path)
        for passphrase in self._secrets.candidates(label):
            try:
                key = load_key(path, passphrase)
            except PassphraseNeededError:
                continue
            self._secrets.accept(label, passphrase)
            yield key
            return

    def _try_passwords(self) -> bool:
        label = self._hop.password_label
        for password in self._secrets.candidates(label):
            if self._attempt(lambda word=password: self._send_password(word)):  # type: ignore[misc]
                self._secrets.accept(label, password)
                return True
        return False

    def _send_password(self, password: str) -> Sequence[str]:
        if "password" in self._methods:
            return self._transport.auth_password(self._hop.user, password, fallback=False)

        def answer(_title: str, _instructions: str, prompts: list[tuple[str, bool]]) -> list[str]:
            return [password] * len(prompts)

        return self._transport.auth_interactive(self._hop.user, answer)

    def _refused(self, why: str = "") -> Exception:
        if self._methods & PASSWORD_METHODS and self._secrets.of_file == self._hop.password_label:
            why = why or f"it refuses the password of {PASSWORD_FILE}"
        elif self._secrets.missing:
            what = " or the ".join(dict.fromkeys(self._secrets.missing))
            return SecretNeededError(self._hop.text, what)
        taken = ", ".join(sorted(self._methods)) or "nothing more"
        tried = "; ".join([f"{self._offered} keys tried", f"it takes {taken}", *self._unusable])
        return TargetError(
            f"{self._hop.text} does not let Dyno in ({tried}):"
            f" {why or f'put a key there: ssh-copy-id -p {self._hop.port} {self._hop.user}@{self._hop.host}'}"
        )


class PassphraseNeededError(Exception):
    """A key file needs a passphrase, and not this one."""


def load_key(path: Path, passphrase: str | None = None) -> paramiko.PKey:
    """The private key of a file, with the certificate next to it; raises InputError without a key."""
    try:
        loaded = _decode(path.read_bytes(), None if passphrase is None else passphrase.encode())
    except (OSError, ValueError) as error:
        raise InputError(f"the key {path} cannot be read: {error}") from None
    plain = loaded.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    key = _key_class(loaded).from_private_key(io.StringIO(plain.decode()))
    certificate = Path(f"{path}-cert.pub")
    if certificate.is_file():
        key.load_certificate(str(certificate))
    return key


_PrivateKey = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def _decode(content: bytes, passphrase: bytes | None) -> _PrivateKey:
    """OpenSSH's format, else PEM; raises PassphraseNeededError, ValueError."""
    is_openssh = b"BEGIN OPENSSH PRIVATE KEY" in content
    load = serialization.load_ssh_private_key if is_openssh else serialization.load_pem_private_key
    try:
        loaded = load(content, passphrase)
    except TypeError:  # none given and one needed, or the other way round
        if passphrase is not None:
            return _decode(content, None)
        raise PassphraseNeededError from None
    except ValueError:
        if passphrase is not None:
            raise PassphraseNeededError from None
        raise
    if not isinstance(loaded, _PrivateKey):
        raise ValueError("neither an ed25519, an ecdsa nor an rsa key")
    return loaded


def _key_class(key: _PrivateKey) -> type[paramiko.PKey]:
    match key:
        case ed25519.Ed25519PrivateKey():
            return paramiko.Ed25519Key
        case ec.EllipticCurvePrivateKey():
            return paramiko.ECDSAKey
        case _:
            return paramiko.RSAKey


def _public_blob(path: Path) -> bytes:
    """The public part, from the .pub file next to a key; empty without one."""
    try:
        return base64.b64decode(Path(f"{path}.pub").read_text().split()[1])
    except (OSError, UnicodeDecodeError, IndexError, binascii.Error):
        return b""


def _ssh_agent() -> paramiko.Agent | None:
    """The person's SSH agent; None if it does not answer."""
    if not os.environ.get("SSH_AUTH_SOCK"):
        return None
    try:
        return bounded(paramiko.Agent, AGENT_S)
    except (TimeoutError, paramiko.SSHException, OSError):
        return None
