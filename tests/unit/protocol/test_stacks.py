"""Stacks as a journal has them: packed, bounded, and refused if they are damaged."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import pytest

from app.protocol.checked import ShapeError
from app.protocol.checked.facts import check_fact
from app.protocol.events import Fact
from app.protocol.stacks import MOST_UNPACKED, Stacks, pack, unpack

FOLDED = {f"mysqld;main;f{at}": at + 1 for at in range(2000)}


def test_stacks_that_are_packed_come_back() -> None:
    assert pack({}) == ("", 0) and unpack("") == {}
    text, cut = pack(FOLDED)
    assert cut == 0 and unpack(text) == FOLDED


def test_the_rarest_stacks_are_cut_and_their_samples_counted() -> None:
    text, cut = pack(FOLDED, 2000)
    left = unpack(text)
    assert len(text) <= 2000 and 0 < len(left) < len(FOLDED)
    assert cut == sum(FOLDED.values()) - sum(left.values())
    assert min(left.values()) >= max(count for stack, count in FOLDED.items() if stack not in left)


def test_what_is_packed_can_be_unpacked_however_well_it_is_compressed() -> None:
    deep = {f"{'a_function;' * 2000}{at}": 1 for at in range(1000)}  # 22 MB
    text, cut = pack(deep)
    assert len(unpack(text)) == len(deep) - cut and 0 < cut < len(deep)


def packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 9)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "!!!!",
        "AAAA",
        packed(b"no number here"),
        packed(b"a -5"),
        packed(bytes(MOST_UNPACKED + 1)),
        packed(b"a 1")[:-8],
    ],
)
def test_damaged_or_huge_stacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(text)


@pytest.mark.parametrize(
    "wrong", [{"on_cpu": "\x1b"}, {"on_cpu": "A" * (1 << 19)}, {"on_samples": -1}, {"stopped_s": "long"}]
)
def test_the_fact_has_bounds(wrong: dict[str, Any]) -> None:
    value = Stacks("perf", on_cpu=pack(FOLDED)[0], on_samples=9).to_json()
    check_fact(Fact(1, 0.0, 0.0, "stacks", value))
    with pytest.raises(ShapeError):
        check_fact(Fact(1, 0.0, 0.0, "stacks", {**value, **wrong}))
