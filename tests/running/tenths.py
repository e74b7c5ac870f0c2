"""The long tests (marked `full`) in ten parts of like length: CI carries out another part each day.

The cases of each test are shuffled, always in the same way, and dealt out in turn: so each part has a tenth
of every test, and what takes long, such as one sequence on five builds, is spread. Ten days see all.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

PARTS = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "the ordinary tests and this tenth of the long ones"
    parser.addoption("--tenth", type=int, choices=range(PARTS), help=text)


def pytest_report_header(config: pytest.Config) -> str | None:
    tenth = config.option.tenth
    if tenth is not None:
        return f"long tests: tenth {tenth} of 0 to {PARTS - 1}; to repeat it: TENTH={tenth} .ci/run"
    is_all = config.option.markexpr in ("", "not alone")
    return "all tests, the long ones too: unit, integration, window" if is_all else None


def keep_tenth(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the other nine tenths of the long tests away."""
    tenth = config.option.tenth
    if tenth is None:
        return
    alone = {item.nodeid for item in items if item.get_closest_marker("alone")}
    full = [item for item in items if item.get_closest_marker("full") and item.nodeid not in alone]
    long = sorted(full, key=_shuffled)
    others = alone | {item.nodeid for at, item in enumerate(long) if at % PARTS != tenth}
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
