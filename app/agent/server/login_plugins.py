"""Plugins of accounts by which Dyno does not log in, in place of those of PyMySQL."""

from __future__ import annotations

from typing import Any, Dict

from .login_socket import NO_PLUGIN, LoginError

# they send a password as it is, or in a form that is as good, or encrypt it by another library
_NEED_TLS = (
    "mysql_clear_password", "dialog", "sha256_password", "caching_sha2_password", "mysql_old_password",
)  # fmt: skip


class _NeedsTls:
    problem = "this account can log in over TLS only"

    def __init__(self, connection: Any) -> None:
        pass

    def authenticate(self, _packet: Any) -> None:
        raise LoginError(NO_PLUGIN, self.problem)


class _NoEd25519(_NeedsTls):
    """PyMySQL would need another library."""

    problem = "this account logs in by ed25519, which Dyno cannot: let it log in by mysql_native_password"


def refused_plugins(is_plain_text: bool) -> Dict[str, Any]:
    """By the names that servers send."""
    plain = dict.fromkeys(_NEED_TLS, _NeedsTls) if is_plain_text else {}
    return {"client_ed25519": _NoEd25519, **plain}
