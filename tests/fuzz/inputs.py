"""Strategies: real files with pieces cut, doubled, swapped and replaced by what readers stumble over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.damage import BAD, damaged, paths

ODD = (
    b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\r", b"\n\n", b"\x1b[31m", "\u202e".encode(), b"'", b'"',
    b"\\", b"`", b"{", b"}", b"[", b"]", b"(", b")", b"=", b";", b"#", b"--", b"/*", b",", b"%s", b"{0}",
    b"$(x)", b"..", b"/", b"nan", b"inf", b"-inf", b"1e308", b"1e999", b"-1", b"0", b"1_000", b"9" * 400,
    b"9" * 5000, b"0x10", "\u0665".encode(), b"x" * 5000, b"[" * 3000, b"(" * 3000, b"true", b"null",
    b"1979-05-27",
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds after a few cuts, insertions and repetitions."""
    text = draw(st.sampled_from(list(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.sampled_from((0, 0, 1, 2, 5, 20, 200))))
        odd = draw(st.sampled_from(ODD) | st.binary(max_size=4) | st.just(text[at:end] * 2))
        text = text[:at] + odd + text[end:]
    return text


@st.composite
def lines(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """The same, of whole words: a file that is nearly right goes further into its reader."""
    rows = draw(st.sampled_from(list(seeds))).split(b"\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(rows) - 1))
        words = rows[at].replace(b",", b" , ").replace(b"=", b" = ").split(b" ")
        place = draw(st.integers(0, len(words) - 1))
        words[place] = draw(st.sampled_from(ODD) | st.just(words[place] * 2))
        change = draw(st.sampled_from(("word", "word", "word", "gone", "twice")))
        rows[at : at + 1] = {"word": [b" ".join(words)], "gone": [], "twice": [rows[at]] * 2}[change]
        rows = rows or [b""]
    return b"\n".join(rows)


def files(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    return texts(seeds) | lines(seeds) | st.binary(max_size=200)


@st.composite
def values(draw: st.DrawFn, seeds: Sequence[Any], most: int = 3) -> Any:
    """A JSON value with up to `most` of its places damaged."""
    value = draw(st.sampled_from(list(seeds)))
    for _ in range(draw(st.integers(1, most))):
        there = list(paths(value))
        if there:
            value = damaged(value, draw(st.sampled_from(there)), draw(st.sampled_from(sorted(BAD))))
    return value


def line_of(value: Any) -> bytes:
    """As json of the standard library writes it: also what is no JSON, such as NaN."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
