"""A team's server: a million sessions in its lists, 50 readers, 5 followers, answers 1 ms late.

Readers look at pages of the list, compare, and think in between; followers store a second each second.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from app.agent.survey.builds import find_builds
from app.comparison.verdicts.compare import compare
from app.history.lists.browsing import Filter
from app.history.store.history import History
from app.protocol.answers import Build
from app.remote.secrets import Secrets
from app.team.address import TeamHistoryChoice, parse_team_address
from app.team.certificate import CertificateUnknownError
from app.team.exchange import Exchanger
from app.team.listing import PAGE, team_session_page
from app.team.login import Ask, join_team_history
from app.team.server import TeamServerStore
from tests import installed, journals
from tests.bench.figure import Figure
from tests.bench.team_filling import COLUMNS, STEPS, fill
from tests.running import builds
from tests.slow_link import slow_port
from tests.team_server import PASSWORD, READER, Database, started

SECONDS = 60
WARM_S = 45.0  # until all processes are ready
CACHE = "2G"  # of the server
LINES, WHOLE = 1_000_000, 10_000
READERS, FOLLOWERS = 50, 5
FIRST = 5  # first comparisons
THINK_S = 10.0  # mean, between two looks of a reader
COMPARED = 0.25  # share of the looks that compare
FILTERS = (
    *[Filter()] * 3, Filter("", {"target": ("target-7",)}), Filter("", {"engine": ("rocksdb",)}),
    Filter("", {"tag": ("noisy",)}),
)  # fmt: skip
SEARCHED = Filter("duel-77777")  # a word: every line is read


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
    with (
        TemporaryDirectory(prefix="dyno-") as name,
        started(build_of(arguments.server), cache=CACHE) as database,
    ):
        folder = Path(name)
        writer, reader = _choices(database, folder)
        began = time.monotonic()
        plans = fill(database, folder / "templates", arguments.lines, arguments.whole)
        filled_s = time.monotonic() - began
        with slow_port(database.port) as port:
            slow = [_at(each, database.port, port) for each in (writer, reader)]
            times = _carry_out(slow[0], slow[1], folder, plans, seconds)
            times["search"] = [_search(slow[1])]
        return _figures(database.build, times, arguments.lines, filled_s)


def build_of(name: str) -> Build:
    """A fetched build; without a name the one of the system."""
    if not name:
        return installed.BUILD
    base = builds.find(name)
    assert base is not None, f"python -m tests.running.builds {name}"
    return next(each for each in find_builds((str(base),)) if each.base != "/usr")


def _at(choice: TeamHistoryChoice, old: int, new: int) -> TeamHistoryChoice:
    """The same server behind another port."""
    return replace(choice, address=choice.address.replace(f":{old}/", f":{new}/"), fetches_all=False)


def ask(_prompt: str) -> str:
    return PASSWORD


def _choices(database: Database, folder: Path) -> tuple[TeamHistoryChoice, TeamHistoryChoice]:
    try:
        join_team_history(folder / "home", TeamHistoryChoice(database.address(), "anna"), ask)
    except CertificateUnknownError as error:
        fingerprint = error.fingerprint
    writer = TeamHistoryChoice(database.address(), "anna", certificate=fingerprint)
    join_team_history(folder / "home", writer, ask)
    return writer, TeamHistoryChoice(database.address(READER), "ben", certificate=fingerprint)


def _carry_out(
    writer: TeamHistoryChoice, reader: TeamHistoryChoice, folder: Path, plans: list[list[str]], seconds: int
) -> dict[str, list[float]]:
    """Each reader and follower is a process, as it would be a computer of its own."""
    found = {"first comparison": [_first(reader, folder / f"first-{at}", plans[at]) for at in range(FIRST)]}
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.bench.team", "app.history.store.distributions", "numpy"])
    with ProcessPoolExecutor(READERS + FOLLOWERS, mp_context=context) as pool:
        begin_at = time.time() + WARM_S
        works = [
            pool.submit(read, reader, folder / "first-0", plans[0], begin_at, seconds, at)
            for at in range(READERS)
        ]
        works += [
            pool.submit(follow, writer, folder / f"follower-{at}", begin_at, seconds, at)
            for at in range(FOLLOWERS)
        ]
        for work in works:
            for name, times in work.result().items():
                found.setdefault(name, []).extend(times)
    return found


def _first(choice: TeamHistoryChoice, home: Path, sessions: list[str]) -> float:
    """Milliseconds until sessions of which nothing is here are compared."""
    with History(home) as history, closing(Exchanger()) as exchanger:
        began = time.perf_counter()
        assert exchanger.fetch(history, choice, ask, sessions).fetched_sessions == COLUMNS
        compare(history, sessions)
        return (time.perf_counter() - began) * 1000


def read(
    choice: TeamHistoryChoice, home: Path, sessions: list[str], begin_at: float, seconds: int, seed: int
) -> dict[str, list[float]]:
    """A reader: pages of the list and comparisons, with pauses."""
    times, chance = Times(), random.Random(seed)
    with History(home) as history, closing(_Known()) as exchanger:
        lists = exchanger.lists(choice, ask)
        compare(history, sessions)  # imports what it needs
        until = _wait(begin_at) + seconds
        while time.monotonic() < until:
            time.sleep(chance.expovariate(1 / THINK_S))
            if chance.random() < COMPARED:
                with times.of("comparison"):
                    compare(history, sessions)
            else:
                wanted, first = chance.choice(FILTERS), PAGE * chance.randrange(10)
                with times.of("page"):
                    found = team_session_page(lists, wanted, first)
                assert len(found) == PAGE
    return times.found


def follow(
    choice: TeamHistoryChoice, home: Path, begin_at: float, seconds: int, number: int
) -> dict[str, list[float]]:
    """A desktop that shares a session under way, a second each second."""
    times = Times()
    maker = journals.Maker(journals.plan(number=900 + number, its_steps=journals.steps((1,), seconds=3600)))
    maker.begin()
    maker.start_step(1)
    with History(home) as history, closing(_Known()) as exchanger:
        journals.store(history, maker)
        exchanger.exchange(history, choice, ask)
        until = _wait(begin_at) + seconds
        for second in range(seconds):
            time.sleep(max(0.0, until - seconds + second + number / FOLLOWERS - time.monotonic()))
            maker.samples(1, [second])
            with times.of("second"):
                journals.store(history, maker)
                done = exchanger.exchange(history, choice, ask)
            assert done.pushed_sessions == 1, done
    return times.found


class _Known(Exchanger):
    """Its person has entered the password before."""

    def _connected(self, choice: TeamHistoryChoice, ask: Ask) -> TeamServerStore:
        Secrets(lambda _: None).accept(parse_team_address(choice.address).password_label, PASSWORD)
        return super()._connected(choice, ask)


def _search(choice: TeamHistoryChoice) -> float:
    """Milliseconds of a word among all sessions, when nobody else asks."""
    with closing(Exchanger()) as exchanger:
        lists, began = exchanger.lists(choice, ask), time.perf_counter()
        assert team_session_page(lists, SEARCHED)
        return (time.perf_counter() - began) * 1000


def _wait(moment: float) -> float:
    """Until all have imported what they need; returns the clock."""
    time.sleep(max(0.0, moment - time.time()))
    return time.monotonic()


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
    found.append(
        Figure(f"{of}: page of a word that is searched", times["search"][0], "ms", 1, "look", digits=0)
    )
    return [*found, Figure(f"{of}: made in", filled_s, "s", 1, digits=0)]


FIGURES = {"team": measure}
