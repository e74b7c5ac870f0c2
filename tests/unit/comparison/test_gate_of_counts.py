"""The gate over counted sessions: the same exit codes, and words for work."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.cli import main
from app.history.store.history import History
from tests import counted

OLD, NEW = "mysql-9.7.8", "mysql-9.7.9"


def kept(home: Path, *other: tuple[float, ...]) -> list[str]:
    """One session of each build; of the old one all steps take 50,000 instructions."""
    with History(home) as history:
        base = [tuple(50_000.0 + at for at in range(len(each))) for each in other]
        ids = counted.keep(history, {OLD: base, NEW: other})
    return [ids[0], ids[1]]


@pytest.mark.parametrize(
    ("other", "code", "said"),
    [
        ((51_000, 51_001), 1, "takes over 0.5% more instructions than mysql-9.7.8-innodb in 1 of 1 step"),
        ((49_000, 49_001), 0, "0.5% more instructions are ruled out for mysql-9.7.9-innodb"),
        ((50_000, 50_001), 0, "0.5% more instructions are ruled out"),
        ((50_000, 50_900), 3, "0.5% more instructions are not ruled out"),
        ((51_000,), 3, "measured once: the noise is unknown"),
    ],
)
def test_exit_codes_and_words(
    dyno_home: Path, capsys: pytest.CaptureFixture[str], other: tuple[float, ...], code: int, said: str
) -> None:
    words = ["gate", *kept(dyno_home, other), "--difference", "0.5%"]
    assert main(words) == code
    shown = " ".join(capsys.readouterr().out.split())
    assert said in shown and "work, not speed" in shown
    assert not any(word in shown for word in ("loses", "a loss", "faster", "slower"))


def test_markdown_and_junit_say_work(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gate.xml"
    words = ["gate", *kept(dyno_home, (51_000, 51_001), (50_000, 50_001)), "--difference", "0.5%"]
    assert main([*words, "--markdown", "--junit", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "more instructions" in shown.splitlines()[0] and "instructions (less is better)" in shown
    text = file.read_text()
    assert "work, not speed" in text and ElementTree.fromstring(text)[0].get("failures") == "2"


def test_counts_of_several_steps_have_no_mean(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gate", *kept(dyno_home, (51_000, 51_001), (50_000, 50_001)), "--difference", "1%", "--groups"]
    assert main(words) == 3
    assert "instructions of several steps have no mean: leave --groups out" in capsys.readouterr().out


def test_claims_on_counts_are_on_instructions(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids, file = kept(dyno_home, (51_000, 51_001)), tmp_path / "claims.txt"
    for claim, code in ((f"{NEW} > 1.01 x {OLD}", 0), (f"{NEW} < {OLD}", 1), (f"{OLD} < .99 x {NEW}", 0)):
        file.write_text(f"point-query: {claim}\n")
        assert main(["gate", *ids, "--claims", str(file)]) == code
        shown = " ".join(capsys.readouterr().out.split())
        assert "instructions (less is better)" in shown and shown.endswith(
            "contention and I/O are not in them"
        )
