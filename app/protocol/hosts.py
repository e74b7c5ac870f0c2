"""Hosts as people name them."""

from __future__ import annotations

import ipaddress
from typing import Tuple


def is_loopback(host: str) -> bool:
    """Whether no network lies in between."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def place_key(host: str, port: int) -> Tuple[str, int]:
    """Where a server listens: loopback has several names."""
    return "localhost" if is_loopback(host) else host.lower(), port
