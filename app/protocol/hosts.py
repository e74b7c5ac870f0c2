"""Hosts as people name them."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether no network lies in between."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
