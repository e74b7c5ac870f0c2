"""What holds for every test: a home of its own, no warning nobody expected, and nothing skipped in CI."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.running.again import pytest_handlecrashitem
from tests.running.twentieths import (
    keep_twentieth,
    pytest_addoption,
    pytest_report_header,
    pytest_terminal_summary,
)
from tests.running.workers import (
    pytest_collection_finish,
    pytest_configure,
    pytest_xdist_setupnodes,
    share_out,
)

from .running import builds

__all__ = [
    "pytest_addoption",
    "pytest_collection_finish",
    "pytest_configure",
    "pytest_handlecrashitem",
    "pytest_report_header",
    "pytest_terminal_summary",
    "pytest_xdist_setupnodes",
]  # hooks

ON_DISK = "/var/tmp"
NUMBERS = count()  # of homes
IN_CI = os.environ.get("CI") == "true"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each command of a test would compile Dyno anew
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background: commands would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Fixtures that outlive a test do not see the person's own history either."""
    with pytest.MonkeyPatch.context() as patch:
        homes = tmp_path_factory.mktemp("homes")
        patch.setenv("DYNO_HOME", str(homes / "dyno"))
        yield homes


@pytest.fixture(autouse=True)
def _own_home(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _homes: Path
) -> Iterator[None]:
    """A test that uses no folder gets none: making and deleting one takes longer than most of these tests."""
    with ExitStack() as stack:
        folder = _homes / str(next(NUMBERS))
        if request.node.get_closest_marker("disk"):
            folder = Path(stack.enter_context(TemporaryDirectory(dir=ON_DISK, ignore_cleanup_errors=True)))
        elif {"tmp_path", "dyno_home"} & {*request.fixturenames}:
            folder = request.getfixturevalue("tmp_path")
        monkeypatch.setenv("DYNO_HOME", str(folder / "dyno-home"))
        monkeypatch.delenv("COLUMNS", raising=False)  # readline sets it
        yield


@pytest.fixture
def dyno_home() -> Path:
    """The DYNO_HOME of this test; it does not exist yet."""
    return Path(os.environ["DYNO_HOME"])


@pytest.fixture(autouse=True)
def _no_unexpected_warning(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A test that expects a warning looks at caplog and then clears it."""
    yield
    said = [
        f"{record.name}: {record.getMessage()}"
        for phase in ("setup", "call")
        for record in caplog.get_records(phase)
        if record.levelno >= logging.WARNING and record.name.split(".")[0] in ("app", "ui")
    ]
    if said:
        pytest.fail("logged, and expected by nobody: " + "; ".join(said), pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    keep_twentieth(config, items)
    share_out(items)


@pytest.fixture
def build_path(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Gives the base directory of a fetched build; the test is marked with build(name)."""
    marked = _builds_of(request.node)

    def path_of(name: str) -> Path:
        base = builds.find(name) if name in marked else None
        assert base is not None, f"this test uses the build {name} and is not marked with it"
        return base

    return path_of


def _builds_of(item: pytest.Item) -> list[str]:
    return [name for mark in item.iter_markers("build") for name in mark.args]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot be had here."""
    for name in _builds_of(item):
        if builds.find(name) is None:
            pytest.skip(f"the build {name} was not fetched: python -m tests.running.builds {name}")
    if item.get_closest_marker("root") and os.geteuid() != 0:
        pytest.skip("needs root: sudo .venv/bin/pytest -m root")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test has failed."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """In CI a skipped module has failed."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {_reason(report)}"
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
