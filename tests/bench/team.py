"""A team's server: a million sessions in its lists, 50 readers, 5 followers, answers 1 ms late.

Readers look at pages of the list, compare, and think in between; followers store a second each second.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from app.agent.survey.builds import find_builds
from app.comparison.compare import compare
from app.history.browsing import Filter
from app.history.history import History
from app.protocol.answers import Build
from app.remote.secrets import Secrets
from app.team.address import Choice, parse_address
from app.team.certificate import CertificateUnknownError
from app.team.exchange import Exchanger
from app.team.listing import PAGE, page
from app.team.login import begin
from tests import builds, installed, journals
from tests.bench.figure import Figure
from tests.bench.team_filling import COLUMNS, STEPS, fill
from tests.slow_link import slow_port
from tests.team_server import PASSWORD, READER, Database, started

SECONDS = 60
WARM_S = 20.0  # until all processes are ready
LINES, WHOLE = 1_000_000, 10_000
READERS, FOLLOWERS = 50, 5
PROCESSES = 5  # of the readers: each is a desktop's interpreter for ten of them
THINK_S = 3.0  # mean, between two looks of a reader
COMPARED = 0.1  # share of the looks that compare
FILTERS = (
    Filter(),
    Filter(),
    Filter(),
    Filter("", {"target": ("target-7",)}),
    Filter("", {"engine": ("rocksdb",)}),
)


@dataclass
class Times:
    """Milliseconds of what was done, by name."""

    found: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.found.setdefault(name, []).append((time.perf_counter() - began) * 1000)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", default="", help="a fetched build, such as mysql-9.7 (MariaDB of the system)"
    )
    parser.add_argument("--lines", type=int, default=LINES, help="sessions in the lists (1,000,000)")
    parser.add_argument("--whole", type=int, default=WHOLE, help="whole sessions (10,000)")


def measure(arguments: argparse.Namespace) -> list[Figure]:
    seconds = arguments.seconds or SECONDS
    with TemporaryDirectory(prefix="dyno-") as name, started(_build(arguments.server)) as database:
        folder = Path(name)
        writer, reader = _choices(database, folder)
        began = time.monotonic()
        plans = fill(database, folder / "templates", arguments.lines, arguments.whole)
        filled_s = time.monotonic() - began
        with slow_port(database.port) as port:
            slow = [_at(each, database.port, port) for each in (writer, reader)]
            times = _carry_out(slow[0], slow[1], folder, plans, seconds)
        return _figures(database.build, times, arguments.lines, filled_s)


def _build(name: str) -> Build:
    if not name:
        return installed.BUILD
    base = builds.find(name)
    assert base is not None, f"python -m tests.builds {name}"
    return next(each for each in find_builds((str(base),)) if each.base != "/usr")


def _at(choice: Choice, old: int, new: int) -> Choice:
    """The same server behind another port."""
    return replace(choice, address=choice.address.replace(f":{old}/", f":{new}/"), fetches_all=False)


def ask(_prompt: str) -> str:
    return PASSWORD


def _choices(database: Database, folder: Path) -> tuple[Choice, Choice]:
    try:
        begin(folder / "home", Choice(database.address(), "anna"), ask)
    except CertificateUnknownError as error:
        fingerprint = error.fingerprint
    writer = Choice(database.address(), "anna", certificate=fingerprint)
    begin(folder / "home", writer, ask)
    return writer, Choice(database.address(READER), "ben", certificate=fingerprint)


def _carry_out(
    writer: Choice, reader: Choice, folder: Path, plans: list[list[str]], seconds: int
) -> dict[str, list[float]]:
    spawn, begin_at = get_context("spawn"), time.time() + WARM_S
    with ProcessPoolExecutor(PROCESSES + 1, mp_context=spawn) as pool:
        works = [
            pool.submit(readers, reader, folder / f"reader-{at}", plans, begin_at, seconds, at)
            for at in range(PROCESSES)
        ]
        works.append(pool.submit(followers, writer, folder, begin_at, seconds))
        found: dict[str, list[float]] = {}
        for work in works:
            for name, times in work.result().items():
                found.setdefault(name, []).extend(times)
    return found


def _beside(works: Sequence[Callable[[], None]]) -> None:
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def readers(
    choice: Choice, home: Path, plans: list[list[str]], begin_at: float, seconds: int, seed: int
) -> dict[str, list[float]]:
    """Ten readers of one process; its history gets six whole sessions before."""
    Secrets(lambda _: None).accept(parse_address(choice.address).password_label, PASSWORD)
    times, chance = Times(), random.Random(seed)
    sessions = chance.choice(plans)
    with History(home) as history, closing(Exchanger()) as exchanger:
        began = time.perf_counter()
        assert exchanger.fetch(history, choice, ask, sessions).fetched_sessions == COLUMNS
        compare(history, sessions)
        times.found["first comparison"] = [(time.perf_counter() - began) * 1000]
        compare(history, sessions)
    until = _wait(begin_at) + seconds
    _beside([lambda at=at: _read(choice, home, sessions, times, until, 100 * seed + at)
             for at in range(READERS // PROCESSES)])  # type: ignore[misc]  # fmt: skip
    return times.found


def _wait(moment: float) -> float:
    """Until all have imported what they need; returns the clock."""
    time.sleep(max(0.0, moment - time.time()))
    return time.monotonic()


def _read(choice: Choice, home: Path, sessions: list[str], times: Times, until: float, seed: int) -> None:
    chance = random.Random(seed)
    with History(home) as history, closing(Exchanger()) as exchanger:
        lists = exchanger.lists(choice, ask)
        while time.monotonic() < until:
            time.sleep(chance.expovariate(1 / THINK_S))
            if chance.random() < COMPARED:
                with times.of("comparison"):
                    compare(history, sessions)
            else:
                wanted, begin_at = chance.choice(FILTERS), PAGE * chance.randrange(10)
                with times.of("page"):
                    found = page(lists, wanted, begin_at)
                assert len(found) == PAGE


def followers(choice: Choice, folder: Path, begin_at: float, seconds: int) -> dict[str, list[float]]:
    """Five desktops that share a session under way, a second each second."""
    Secrets(lambda _: None).accept(parse_address(choice.address).password_label, PASSWORD)
    times, until = Times(), _wait(begin_at) + seconds
    _beside([lambda at=at: _follow(choice, folder / f"follower-{at}", times, until, at)
             for at in range(FOLLOWERS)])  # type: ignore[misc]  # fmt: skip
    return times.found


def _follow(choice: Choice, home: Path, times: Times, until: float, number: int) -> None:
    maker = journals.Maker(journals.plan(number=900 + number, its_steps=journals.steps((1,), seconds=3600)))
    maker.begin()
    maker.start_step(1)
    with History(home) as history, closing(Exchanger()) as exchanger:
        journals.store(history, maker)
        exchanger.exchange(history, choice, ask)
        second = 0
        while time.monotonic() < until:
            time.sleep(1)
            maker.samples(1, [second])
            with times.of("second"):
                journals.store(history, maker)
                done = exchanger.exchange(history, choice, ask)
            assert done.pushed_sessions == 1, done
            second += 1


def _figures(build: Build, times: dict[str, list[float]], lines: int, filled_s: float) -> list[Figure]:
    of = f"{build.name}, {lines:,} sessions"
    what = {
        "page": (f"page of {PAGE} lines", 200.0),
        "comparison": (f"comparison {COLUMNS} x {STEPS}, sessions are here", 200.0),
        "second": ("a live second stored and shared", 50.0),
    }
    found = []
    for name, (text, goal) in what.items():
        values = sorted(times[name])
        for share, at_most in ((0.5, None), (0.99, goal)):
            value = values[min(len(values) - 1, int(share * len(values)))]
            found.append(Figure(f"{of}: {text}, p{share * 100:.0f}", value, "ms", len(values), "looks" if
                                name != "second" else "seconds", at_most=at_most, digits=0))  # fmt: skip
    first = times["first comparison"]
    found.append(Figure(f"{of}: first comparison, sessions come from the server, slowest", max(first), "ms",
                        len(first), "comparisons", digits=0))  # fmt: skip
    return [*found, Figure(f"{of}: made in", filled_s, "s", 1, digits=0)]


FIGURES = {"team": measure}
