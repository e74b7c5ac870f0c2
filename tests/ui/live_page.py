"""The Live page as tests read it."""

from __future__ import annotations

from collections.abc import Callable

from tests.journals import Maker, contender
from ui.pages.live import LivePage
from ui.pages.live.curves import QPS

TWO = [contender(), contender("rocksdb")]


Follow = Callable[[Maker], LivePage]


def shown(page: LivePage) -> str:
    """The session whose curves are drawn."""
    seen = page.watching.loaded
    return seen.curves.session if seen else ""


def samples(page: LivePage) -> int:
    return len(page.body.charts.qps.track(QPS))


def cells(page: LivePage, column: int) -> list[str]:
    model = page.body.results
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def started(maker: Maker, step: int, seconds: int = 2) -> Maker:
    """Steps up to this one, which is at hand."""
    maker.begin()
    for at in range(step):
        maker.step(at)
    maker.start_step(step)
    maker.samples(step, range(-2, seconds))
    return maker
