"""What docs/ show of the command line has the heads that it has today."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.history.store.history import History
from tests import journals

DOCS = Path(__file__).parents[3] / "docs"
CONTENDERS = [replace(journals.contender(engine), name=f"duel-{engine}") for engine in ("innodb", "rocksdb")]
STEPS = [replace(each, name=each.name.replace("update-index", "read-write")) for each in journals.steps((2,))]
SHOWN = {
    "command-line.md": ("session list", "session show last", "session series last point-query"),
    "comparing.md": ("compare duel-innodb duel-rocksdb", "compare duel-innodb duel-rocksdb --why read-write"),
}


@pytest.fixture
def duel(dyno_home: Path) -> None:
    """A history of the two sessions that the pages show."""
    made = journals.plan(CONTENDERS, its_steps=STEPS)
    made = replace(made, turns=[replace(turn, name=turn.name.removesuffix("-1")) for turn in made.turns])
    with History(dyno_home) as history:
        journals.store(history, *(journals.whole(made, turn.session) for turn in made.turns))


def words(line: str) -> list[str]:
    return line.removesuffix("...").split()


def head_of(page: str, command: str) -> list[str]:
    """The words of the first line of a table that a page shows below a command."""
    _, found, below = (DOCS / page).read_text().partition(f"$ dyno {command}\n")
    assert found, f"{page} does not show dyno {command}"
    block = re.split(r"\n(?:\$ |```)", below)[0]
    return next(
        words(line) for line in block.splitlines() if len(re.findall(r"\S  +\S", line)) > 1 or " qps" in line
    )


@pytest.mark.usefixtures("duel")
@pytest.mark.parametrize(("page", "command"), [(page, each) for page, its in SHOWN.items() for each in its])
def test_the_head_of_a_table_is_that_of_today(
    page: str, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert main(shlex.split(command)) == 0
    head = head_of(page, command)
    assert head in [words(line)[: len(head)] for line in capsys.readouterr().out.splitlines()]
