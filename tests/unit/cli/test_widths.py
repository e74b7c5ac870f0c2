"""Every verb that prints a table fits it to the terminal, from 80 columns on; `--wide` shows all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.cli import main
from app.cli.plan_text import show_plan
from app.comparison.stacks.stacks import merge_profiles
from app.comparison.texts.canary_text import canary_table
from app.comparison.texts.stacks_text import function_changes_table, functions_table
from app.core.table import Table, to_text
from app.core.wrapping import display_width
from app.explaining.bisect_text import bisect_table
from app.explaining.text import explanation_table
from app.history.lists.edits import note, tag
from app.history.lists.sessions import sessions
from app.history.machines.canaries import CanaryRun
from app.history.store.history import History
from app.planner.estimate.estimate import estimate
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Step
from app.protocol.stacks import Stacks, pack
from app.team.local_edits import collect_local_edits
from tests import comparable, journals, sliced
from tests.liar import Liar
from tests.plans import request, survey
from tests.unit.comparison.test_over_time import keep as keep_plan
from tests.unit.explaining.pairs import shown

WIDTHS = (80, 100, 120, 200)
LONG = "\u6e2c\u8a66\u5f15\u64ce\u306e\u6bd4\u8f03" * 8 + "wide"  # 60 letters, 116 places
NAMES = ["duel-mysql-8.0.33-innodb", LONG]
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
    "compare {} --why update-index", "compare {} --pre", "compare {} --setup", "compare {} --verdict",
    "gate {} --difference 3%", "gate {} --difference 3% --groups", "gate {} --claims {claims}",
    "target canaries local",
    "history edits last", "history show", "changes last", "stop",
    "target survey local", "build list", "queue list", "queue hold", "snapshot list", "status",
)  # fmt: skip
PROSE = ("session show",)  # lists below its table have one line each, as long as it is


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that has much to say."""
    Liar(longer, comparable.plan(2, repeats=3, names=NAMES)).take_over(monkeypatch)


@pytest.fixture
def two(dyno_home: Path) -> str:
    ids = comparable.keep(dyno_home, comparable.plan(2, repeats=3, names=NAMES))
    with History(dyno_home) as history:
        tag(history, ids[-1], LONG)
        note(history, ids[-1], f"{LONG} is what {LONG} means")
        collect_local_edits(history, "somebody of the team")
    return " ".join(ids[:2])


@pytest.fixture
def claims_of_long_names(tmp_path: Path) -> Path:
    file = tmp_path / "claims.txt"
    file.write_text(f"point-query: {LONG} > 1.1 x {NAMES[0]}\nupdate-index: {NAMES[0]} < {LONG}\n")
    return file


def longer(value: Any) -> Any:
    """The same with much text behind every text."""
    match value:
        case str():
            return f"{value} and what somebody has written of it"
        case dict():
            return {key: longer(each) for key, each in value.items()}
        case list():
            return [longer(each) for each in value]
    return value


def lines_of(words: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(words.split()) in (0, 1, 3)
    said = capsys.readouterr()
    assert not said.err
    return said.out.splitlines()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_table_fits(
    two: str,
    talkative: None,
    claims_of_long_names: Path,
    width: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for verb in VERBS:
        lines = lines_of(verb.format(two, claims=claims_of_long_names), capsys)
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
        once = "none of these is judged (" if columns > 1 else "nothing to compare it with"
        assert " ".join(" ".join(lines).split()).count(once) == 1
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


def tables() -> dict[str, Table]:
    """Those that take hours to measure, as they are shown."""
    builds = [f"mysql-{version}-release-with-a-long-name" for version in ("8.0.33", "8.0.40", "9.7.4")]
    look = {"verdict": "as before", "ratio": 0.9876, "low": 0.95, "high": 1.02, "n": 8}
    answer: Any = {
        "step": "point-query threads=4", "unit": "queries/s", "verdict": "found", "build": builds[2],
        "before": builds[1], "builds": 12, "skipped": [], "passed_over": [f"{builds[0]}: it has no InnoDB"],
        "looks": [{**look, "build": build, "against": builds[0]} for build in builds],
        "sentence": f"{builds[2]} is the first build in which point-query threads=4 is slower: {LONG}",
        "remarks": ["a remark of which there is much to say, and which goes on and on until it ends at last"],
    }  # fmt: skip
    folded = {
        f"t;main;dispatch_command_of_the_server_{LONG};row_search_mvcc_{at}": 60 - at for at in range(9)
    }
    profile = merge_profiles([Stacks("perf", "cpu-clock", on_cpu=pack(folded)[0])])
    canary = CanaryRun(
        LONG, 1.0, builds[0], "key", 12_345.0, 2345.0, "other programs took 41 % of the CPUs", False
    )
    return {
        "explain": explanation_table(shown()),
        "bisect": bisect_table(answer),
        "stacks": functions_table(profile, "point-query threads=4"),
        "compare --stacks": function_changes_table(profile, profile, NAMES, "point-query threads=4"),
        "target canaries": canary_table([canary, replace(canary, disturbed="")]),
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_of_long_measurements_fit(width: int) -> None:
    for name, table in tables().items():
        lines = to_text(table, width).splitlines()
        assert lines and max(map(display_width, lines)) <= width, (name, max(lines, key=display_width))


@pytest.mark.parametrize("width", WIDTHS)
def test_changes_over_time_fit(
    dyno_home: Path, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(dyno_home) as history:
        first, *_ = (keep_plan(history, n, 1.0 if n < 8 else 0.7, build=LONG)[0] for n in range(1, 14))
    monkeypatch.setenv("COLUMNS", str(width))
    lines = lines_of(f"changes {first}", capsys)
    assert len(lines) > 3 and max(map(display_width, lines)) <= width, max(lines, key=display_width)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_of_a_team_fits(
    two: str, dyno_home: Path, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(dyno_home) as history:
        found = [{**each, "person": "somebody of the team"} for each in sessions(history)]
    monkeypatch.setattr("app.team.exchange.chosen_team_history", lambda _: None)
    monkeypatch.setattr("app.team.exchange.Exchanger.lists", lambda *_: None)
    monkeypatch.setattr("app.team.listing.team_session_page", lambda *_: found)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = lines_of("history list", capsys)
    assert len(lines) > 3 and max(map(display_width, lines)) <= width, max(lines, key=display_width)
