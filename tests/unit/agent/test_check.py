"""What the checks of the target say of a build's answers about its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.agent import check
from tests.plans import plan


def said(option: str, state: str) -> dict[str, str]:
    return {"option": option, "state": state, "text": f"about {option}"}


def test_what_loose_lets_be_ignored_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [said("loose_a", "ignored"), said("b", "ignored"), said("loose_c", "rejected")]
    answers += [said("loose_d", "ignored"), said("e", "rejected")]
    monkeypatch.setattr(check, "check_options", lambda _build, _cnf: answers)
    found: list[dict[str, Any]] = check._check_options(plan().contenders[0], str(tmp_path))
    assert [(each["state"], each["text"]) for each in found] == [
        ("warn", "about b"),
        ("fail", "about loose_c"),
        ("fail", "about e"),
        ("warn", "mariadb-10.11.19 ignores loose_a, loose_d"),
    ]
