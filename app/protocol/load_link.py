"""What a conductor (the agent beside the server) and the agents of load targets say to each other.

One JSON object a line. A load target has the plan from its person: the conductor names steps of it, and
sends numbers and the login of the server, but no command.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Type, Union

from .reading import Count, Few, Name, Number, ShapeError, Text, read

MAX_LINE = 1 << 20


def load_token_hash(name: str, token: str) -> str:
    """What a conductor knows of the token of a load target: no other name is let in by it."""
    key, message = (text.encode("utf-8", "backslashreplace") for text in (token, name))
    return hmac.new(key, message, "sha256").hexdigest()


# from the conductor


@dataclass(frozen=True)
class Ping:
    at: Number  # by the conductor's clock


@dataclass(frozen=True)
class StartSysbench:
    """Start sysbench for a share of a step; its clients wait for Begin, or at the gate of their slices."""

    run: Count
    step: Few  # of the plan
    contender: Few
    threads: Few
    first: Few  # the number of its first client among all
    clients: Few  # of all load targets
    rate: Count
    events: Count
    seconds: Count
    seed: Count
    address: Name  # of the server
    port: Count
    password: Name


@dataclass(frozen=True)
class BeginLoad:
    """Let the clients begin at a moment of the load target's own clock."""

    run: Count
    at: Number


@dataclass(frozen=True)
class OpenGate:
    """Open the gate for a slice; 0 seconds let the clients go for good."""

    run: Count
    clients: Few
    seconds: Number


@dataclass(frozen=True)
class EndLoadRun:
    run: Count


@dataclass(frozen=True)
class BandwidthProbe:
    """Nothing but its length, to measure the bandwidth."""

    text: Text


@dataclass(frozen=True)
class LinkTrialResult:
    """What a trial measured; it ends there."""

    rtt_ms: Number
    mbit: Number


@dataclass(frozen=True)
class Bye:
    """The plan is over."""


# from a load target


@dataclass(frozen=True)
class Hello:
    name: Name
    token: Name
    trial: bool = False


@dataclass(frozen=True)
class Pong:
    at: Number  # of the Ping
    clock: Number  # of the load target


@dataclass(frozen=True)
class SysbenchLine:
    """A line of sysbench's Lua."""

    run: Count
    line: object
    clock: Number  # when it came
    cpu_pct: Number | None = None  # of the load target, since the line before


@dataclass(frozen=True)
class GeneratorEnded:
    run: Count
    code: Number
    complaints: list[Text] = field(default_factory=list)


@dataclass(frozen=True)
class BandwidthProbeReceived:
    """The last filler is here."""


Message = Union[
    Ping, StartSysbench, BeginLoad, OpenGate, EndLoadRun, BandwidthProbe, LinkTrialResult, Bye, Hello, Pong, SysbenchLine, GeneratorEnded, BandwidthProbeReceived
]  # fmt: skip
_KINDS: Dict[str, Type[Any]] = {cls.__name__: cls for cls in Message.__args__}  # type: ignore[attr-defined]


def encode(message: Message) -> bytes:
    return json.dumps({"kind": type(message).__name__, **asdict(message)}).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message of a line; raises ShapeError if the line has none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ShapeError("it is no JSON") from None
    cls = _KINDS.get(str(data.get("kind"))) if isinstance(data, dict) else None
    if cls is None:
        raise ShapeError("it is of no known kind")
    message: Message = read(cls, data)
    return message
