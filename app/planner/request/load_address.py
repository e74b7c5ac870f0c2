"""Where load targets reach the server: what a person may name, and what is wrong with it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from app.core.errors import InputError

MOST = 64  # load targets of a plan
LAST_PORT = 65_000  # those behind it are for the servers
_ADDRESS = "the address of the server's machine that load targets reach, like 10.0.0.5 or 10.0.0.5:7700"


def address_of(text: str) -> tuple[str, int]:
    """Address and port (0: any) of `10.0.0.5:7700`; raises InputError for what is no private address."""
    host, port = text, "0"
    if text.startswith("[") and "]" in text:
        host, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":") or "0"
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    try:
        address = ipaddress.ip_address(host)
        number = int(port) if port.isascii() and port.isdigit() else -1
    except ValueError:
        raise _no_address(text) from None
    if not 0 <= number <= LAST_PORT:
        raise _no_address(text)
    if not address.is_private or address.is_unspecified:
        raise InputError(
            f"{host} is no private address: the server would listen to the world", "load_address"
        )
    return str(address), number


def _no_address(text: str) -> InputError:
    error = InputError(f"must be {_ADDRESS}, not {text!r}", "load_address")
    error.window_text = f"The address {error}"  # without the name of its field
    return error


def load_targets_problem(names: Sequence[str], address: str, target: str, transport: str = "") -> str:
    """What is wrong with load targets, whatever they say; '' if nothing."""
    if not names:
        return (
            "load_address is only for plans with load targets: choose some, or leave it out"
            if address
            else ""
        )
    if not address:
        return f"load targets need load_address, {_ADDRESS}"
    if target in names:
        return f"{target} is the target of the server: a load target must be another one"
    if len(set(names)) < len(names):
        return "a load target is named twice"
    if transport:
        return "load targets come over the network: leave transport out"
    return f"a plan has at most {MOST} load targets, not {len(names)}" if len(names) > MOST else ""
