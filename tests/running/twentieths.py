"""The long tests (marked `full`) in twenty parts of like length: CI carries out another part each day.

The cases of each test are shuffled, always in the same way, and dealt out in turn: so each part has a
twentieth of every test, and what takes long, such as one sequence on five builds, is spread. Twenty days
see all.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

PARTS = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "the ordinary tests and this twentieth of the long ones"
    parser.addoption("--twentieth", type=int, choices=range(PARTS), help=text)


def pytest_report_header(config: pytest.Config) -> str | None:
    twentieth = config.option.twentieth
    if twentieth is not None:
        return (
            f"long tests: part {twentieth} of 0 to {PARTS - 1}; to repeat it: TWENTIETH={twentieth} .ci/run"
        )
    is_all = config.option.markexpr in ("", "not alone")
    return "all tests, the long ones too: unit, integration, window" if is_all else None


def keep_twentieth(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the other nineteen twentieths of the long tests away."""
    twentieth = config.option.twentieth
    if twentieth is None:
        return
    alone = {item.nodeid for item in items if item.get_closest_marker("alone")}
    full = [item for item in items if item.get_closest_marker("full") and item.nodeid not in alone]
    long = sorted(full, key=_shuffled)
    others = alone | {item.nodeid for at, item in enumerate(long) if at % PARTS != twentieth}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in others])
    items[:] = [item for item in items if item.nodeid not in others]


def _shuffled(item: pytest.Item) -> tuple[str, str]:
    """Tests in order, the cases of each in an order that names do not tell."""
    return item.nodeid.partition("[")[0], hashlib.sha256(item.nodeid.encode()).hexdigest()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which of the long tests were carried out."""
    done = [
        report.nodeid.partition("[")[0]
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        if report.when == "call" and "full" in report.keywords
    ]
    if done:
        terminalreporter.section(f"{len(done)} long tests")
        for name, cases in sorted(Counter(done).items()):
            terminalreporter.line(f"{cases:4}  {name}")
