"""What a person types of a server that runs already: its address, fingerprints, names of variables."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import unquote

from app.core.errors import InputError

from .servers import CERTIFICATE, PORT, NamedServer, check_server, is_ipv6

FORM = "mysql://USER@HOST[:PORT]/SCHEMA"
_BASE64 = re.compile(r"[A-Za-z0-9+/]{43}=?")
_URL = re.compile(r"mysql://([^@/?#\[\]]*)@(\[[^\]]*\]|[^@:/?#\[\]]*)(?::([^/]*))?/([^/?#]*)")


def parse_server_url(name: str, text: str) -> NamedServer:
    """A server by its address; raises InputError, which repeats nothing of the address."""
    account, _, _ = text.removeprefix("mysql://").rpartition("@")
    if text.startswith("mysql://") and (":" in account or "@" in account):
        raise InputError(
            f"leave the password out of the address: write {FORM}; Dyno asks for the password, or reads it"
            " from the file that DYNO_PASSWORD_FILE names"
        )
    found = _URL.fullmatch(text)
    if not found:
        raise InputError(f"the address of a server must be {FORM}")
    user, host, port, schema = found.groups()
    if port is not None and not (port.isascii() and port.isdigit() and len(port) <= 5):
        raise InputError("the port of the address must be 1 to 65535")
    if host.startswith("[") and not is_ipv6(host[1:-1]):
        raise InputError("the address in brackets must be one of IPv6, such as [2001:db8::7]")
    server = NamedServer(name, host.strip("[]"), int(port or PORT), schema, unquote(user))
    return check_server(server)


def parse_fingerprint(text: str) -> str:
    """The SHA-256 of a certificate in small hex, from the forms in which programs print it."""
    plain = re.sub("^sha256:", "", text.strip(), flags=re.IGNORECASE)
    found = plain.replace(":", "").lower()
    if _BASE64.fullmatch(plain):  # as ssh has it
        found = base64.b64decode(f"{plain.rstrip('=')}=").hex()
    if not CERTIFICATE.fullmatch(found):
        raise InputError("a fingerprint must be SHA256: and 64 hexadecimal digits, with or without colons")
    return found


def setting_names(typed: Iterable[str]) -> list[str]:
    """Names of variables as a server has them: sync-binlog is sync_binlog."""
    return [each.lower().replace("-", "_") for each in typed]


def fingerprint_text(certificate: str) -> str:
    """As `openssl x509 -fingerprint -sha256` prints it."""
    pairs = (certificate[at : at + 2] for at in range(0, len(certificate), 2))
    return f"SHA256:{':'.join(pairs).upper()}"
