"""Every verb that prints a table fits it to the terminal, from 80 columns on; `--wide` shows all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.cli import main
from app.cli.plan_text import show_plan
from app.core.wrapping import display_width
from app.history.store.history import History
from app.planner.estimate.estimate import estimate
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Step
from tests import comparable, journals, sliced
from tests.plans import request, survey

WIDTHS = (80, 100, 120, 200)
LONG = "\u6e2c\u8a66\u5f15\u64ce\u306e\u6bd4\u8f03" * 8 + "wide"  # 60 letters, 116 places
SWEEP = [
    Step(
        name="point-query", kind="drive", workload="point-query", group="read", threads=n, seconds=5,
        coordinates={"threads": n, "cpus": f"0-{n}", "volume_rows": 1000 * n},
    )
    for n in range(1, 31)
]  # fmt: skip
VERBS = (
    "workload list", "sequence list", "sequence show duel", "preset list", "target list", "plan list",
    "session list", "session show last", "session series last point-query --threads 1",
    "session latency last point-query --threads 1", "compare {}", "compare {} --details", "compare {} --why",
    "compare {} --why update-index", "compare {} --pre", "compare {} --differences", "compare {} --verdict",
    "gate {} --worse 3%", "gate {} --worse 3% --groups",
)  # fmt: skip
PROSE = ("session show",)  # lists below its table have one line each, as long as it is


@pytest.fixture
def two(dyno_home: Path) -> str:
    ids = comparable.keep(dyno_home, comparable.plan(2, repeats=3, names=["duel-mysql-8.0.33-innodb", LONG]))
    return " ".join(ids[:2])


def lines_of(words: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(words.split()) in (0, 1, 3)
    said = capsys.readouterr()
    assert not said.err
    return said.out.splitlines()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_table_fits(
    two: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for verb in VERBS:
        lines = lines_of(verb.format(two), capsys)
        if verb.startswith(PROSE):
            head = next(at for at, line in enumerate(lines) if line.startswith("step "))
            lines = lines[head : lines.index("", head)]
        assert lines and max(map(display_width, lines)) <= width, (verb, max(lines, key=display_width))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_dry_run_fits(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    made = resolve(request(), survey(), Catalog())
    made = replace(made, contenders=[replace(each, name=LONG) for each in made.contenders])
    show_plan(made, estimate(made, survey()))
    lines = capsys.readouterr().out.splitlines()
    tables = [line for line in lines if "  " in line]
    assert tables and max(map(display_width, tables)) <= width


@pytest.mark.parametrize("columns", [1, 2, 5, 12])
def test_any_number_of_columns_fits(
    columns: int, dyno_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contenders = [
        replace(journals.contender(), name=f"mysql-9.{at}.4-innodb", version=f"9.{at}.4", fingerprint=str(at))
        for at in range(columns)
    ]
    its_plan = journals.plan(contenders, its_steps=SWEEP)
    with History(dyno_home) as history:
        journals.store(history, *(journals.whole(its_plan, turn.session) for turn in its_plan.turns))
    words = f"compare {' '.join(turn.session for turn in its_plan.turns)}"
    for width in (40, *WIDTHS):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = lines_of(words, capsys)
        assert lines[0].startswith("No verdict (")
        assert width == 40 or max(map(display_width, lines)) <= width
        assert sum(" 9.1.4" in f" {line} " or "9.1.4" in line.split() for line in lines) >= (columns > 1)


def test_wide_and_a_pipe_have_all_of_it(
    two: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = lines_of("session list", capsys)
    monkeypatch.setenv("COLUMNS", "80")
    assert lines_of("session list --wide", capsys) == piped and max(map(display_width, piped)) > 80
    assert lines_of("session list", capsys)[0].startswith("state: completed; target: local")
    *_, last = lines_of("workload list", capsys)
    assert last.startswith("not shown: ") and last.endswith(" (--wide)")


class Terminal:
    """What stdout is of a person."""

    def __init__(self, file: object) -> None:
        self._file = file

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("on_terminal", "no_color", "has_colour"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_a_verdict_has_a_colour_on_a_terminal_only(
    dyno_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    on_terminal: bool, no_color: str, has_colour: bool,
) -> None:  # fmt: skip
    with History(dyno_home) as history:
        ids = sliced.keep(history, sliced.plan(), (1.0, 0.5))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", no_color)
    if on_terminal:
        import sys

        monkeypatch.setattr("sys.stdout", Terminal(sys.stdout))
    assert main(["compare", *ids]) == 0
    assert ("\x1b[31m0.50 worse\x1b[0m" in capsys.readouterr().out) is has_colour
