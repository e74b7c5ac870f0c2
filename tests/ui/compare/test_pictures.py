"""`dyno chart --out`: every chart as a picture, on a machine without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.comparison.charts import CHARTS
from app.history.store.history import History
from app.protocol.plan import Step
from tests import comparable, counted
from ui.core.theme import Theme

ROOT = Path(__file__).parents[3]
SMALLEST = (1920, 1080)  # pixels
LIMIT_S = 60.0
STEPS = {
    "sweep": "update-index",
    "rates": "reads",
    "seconds": "point-query threads=4",
    "heat": "point-query threads=4",
    "latency": "load",
    "size": "load",
}
RATED = [
    Step("reads", "drive", "reads", rate=rate, seconds=2, coordinates={"threads": 2, "rate": rate})
    for rate in (100, 400)
]


def dyno(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("QT_QPA_PLATFORM", "DISPLAY")}
    code = "import sys; from ui.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *words], env={**kept, "DYNO_HOME": str(home)},
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S,
    )  # fmt: skip


DAILY = ("bars", "seconds", "versions")  # the others are long tests


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("charts") / "dyno-home"


@pytest.fixture(scope="module")
def usual(home: Path) -> tuple[str, ...]:
    """The ids of sessions with every kind of step but rates."""
    return comparable.keep(home, comparable.plan(8, repeats=2), {(1, "read-only")})


@pytest.fixture(scope="module")
def rated(home: Path, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a plan with rates, in the same history."""
    assert usual
    return comparable.keep(home, comparable.plan(8, repeats=2, number=2, its_steps=RATED))


@pytest.fixture(scope="module")
def counts(home: Path, usual: tuple[str, ...]) -> list[str]:
    """Those of two versions whose instructions were counted, in the same history."""
    assert usual
    with History(home) as history:
        return counted.keep(history, {"mysql-5.6.24": [(1, 1), (2, 2)], "mysql-9.7.4": [(2, 2), (3, 3)]}, 3)


@pytest.mark.parametrize(
    "chart", [pytest.param(each, marks=[] if each in DAILY else pytest.mark.full) for each in CHARTS]
)
def test_a_chart_is_drawn(
    home: Path, usual: tuple[str, ...], rated: tuple[str, ...], counts: list[str], tmp_path: Path,
    theme: Theme, chart: str,
) -> None:  # fmt: skip
    ids = {"rates": rated, "versions": counts}.get(chart, usual)
    form = "svg" if chart in ("bars", "latency") else "png"
    of_step = ["--step", STEPS[chart]] if chart in STEPS else []
    words = ["chart", chart, *ids, *of_step, "--out", str(tmp_path / f"c.{form}")]
    done = dyno(*words, home=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{words[-1]}\n", "")
    assert _has_colours(tmp_path / f"c.{form}", _colours(theme, chart))
    assert not (home / "window.ini").exists()


def _colours(theme: Theme, chart: str) -> list[str]:
    if chart == "size":
        return [theme.part(part).name() for part in ("tables", "redo")]
    return [theme.contender(at).name() for at in range(2 if chart == "versions" else 8)]


def _has_colours(path: Path, colours: Sequence[str]) -> bool:
    if path.suffix == ".svg":
        text = path.read_text()
        return all(colour in text for colour in colours)
    image = QImage(str(path))
    seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 3)}
    return image.width() >= SMALLEST[0] and image.height() >= SMALLEST[1] and seen >= set(colours)


def test_what_is_no_chart_is_told_in_one_line(home: Path, usual: tuple[str, ...], tmp_path: Path) -> None:
    ids = usual[:2]
    done = dyno("chart", "sweep", *ids, "--step", "load", "--out", str(tmp_path / "c.png"), home=home)
    assert (done.returncode, done.stderr) == (2, "dyno: load has no sweep over threads\n")
    path = str(tmp_path / "missing" / "c.png")
    done = dyno("chart", "bars", *ids, "--out", path, home=home)
    assert done.returncode == 1 and done.stderr.startswith(f"dyno: {path} cannot be written: no such folder")
