"""What somebody may put into a text to take over a terminal or a window, and finding what came through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.protocol.events import Fact, SeriesDeclared, SessionPlanned
from app.protocol.plan import Plan
from tests.journals import Maker

CONTROLS = (
    *"\x00\x01\x07\x08\x0b\x0c\r\x1b\x1f\x7f\x80\x85\x9b\x9d\x9f",
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\U000e0041",
)
MARKUP = "[/x] [red]ev[il] :smile: <b>bold</b> <img src=x> &lt;i&gt;"
TEXT = f"{MARKUP} \x1b]0;owned\x07 \x1b[2J \x9b31m \u202egpj.exe\u2066\u200f \x7f\x08\U000e0041"
NAME = "[/x]ev[il]\x1b[2J\x9b\u202e"  # as short as the names that people give
_FOUND = re.compile(f"[{re.escape(''.join(CONTROLS))}\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def finds(text: str) -> list[str]:
    """What of a text would steer a terminal or turn a line around."""
    return [repr(found[0]) for found in _FOUND.finditer(text)]


def laced(value: Any, but: tuple[str, ...] = ()) -> Any:
    """The same with hostile text behind every text, but behind those under the keys named."""
    match value:
        case str():
            return f"{value}{TEXT}"
        case dict():
            return {key: each if key in but else laced(each, but) for key, each in value.items()}
        case list() | tuple():
            return [laced(each, but) for each in value]
    return value


# what the keys of a plan and of events say is one of a few words, or leads to something else
EXACT = (
    *(
        "id",
        "session",
        "protocol",
        "kind",
        "outcome",
        "level",
        "source",
        "order",
        "transport",
        "start",
        "when",
    ),
    *(
        "load_method",
        "cores",
        "load_cores",
        "files",
        "group",
        "direction",
        "unit",
        "state",
        "fingerprint",
        "machine_key",
        "lua",
    ),
)


def laced_plan(true: Plan) -> Plan:
    """Its presets are what they were: a server reads them."""
    plan = laced(true.to_json(), (*EXACT, "cnf"))
    for contender in plan["contenders"]:
        contender["cnf"] += f"# {TEXT}\n"
    return Plan.from_json(plan)


class HostileMaker(Maker):
    """Every text of its events is hostile; series and facts have the names that lead to them."""

    def add(self, kind: Any, **fields: Any) -> None:
        if kind is SessionPlanned:  # of a plan that was laced
            super().add(kind, **fields)
        elif kind is SeriesDeclared:
            series = [{**laced(each, EXACT), "name": each["name"]} for each in fields["series"]]
            super().add(kind, series=series)
        else:
            super().add(kind, **laced(fields, (*EXACT, "name") if kind is Fact else EXACT))

    def declare(self, series: Sequence[dict[str, Any]]) -> None:
        super().declare([*series, laced(series[-1], EXACT)])
