"""What others wrote, as it is shown."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.harmless import LONGEST, harmless, harmless_text, terminal_safe_json
from tests.hostile import CONTROLS, finds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("\x9b31mred\x7f", r"\x9b31mred\x7f"),
        ("user\u202egpj.exe", r"user\u202egpj.exe"),
        ("half \ud800", r"half \ud800"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("one\ntwo\ttabbed\r\n", r"one\ntwo tabbed\r"),
        ("two\u2028lines", r"two\u2028lines"),
        ("Füße 日本語 👩\u200d💻 a\u00a0b", "Füße 日本語 👩\u200d💻 a\u00a0b"),
        ("[/x] <b>bold</b>", "[/x] <b>bold</b>"),
    ],
)
def test_a_line(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless(shown) == shown


def test_a_text_has_its_lines_and_tabs() -> None:
    assert harmless_text("a\tb\n\x1b[2Jc\r\n") == "a\tb\n\\x1b[2Jc\\r\n"


def test_a_line_is_not_longer_than_a_person_reads() -> None:
    shown = harmless("x" * 1_000_000)
    assert len(shown) < LONGEST + 50 and shown.endswith("x… (990,000 characters more)")


@given(st.text())
def test_json_says_the_same(text: str) -> None:
    plain = json.dumps([text], indent=2, ensure_ascii=False)
    shown = terminal_safe_json(plain)
    assert json.loads(shown) == [text]
    assert not finds(shown)


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "L"))))
def test_nothing_is_left(text: str) -> None:
    """But joiners, which emoji and some scripts are made with, and the soft hyphen."""
    for shown in (harmless(text), harmless_text(text)):
        assert not finds(shown)
        seen = {each for each in shown if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        assert all(each in "\n\t\u200c\u200d\u00ad" or ord(each) > 0x5FF for each in seen)


def test_the_test_finds_them() -> None:
    assert all(finds(f"a{each}b") for each in CONTROLS)
    assert not finds("a\nb")
