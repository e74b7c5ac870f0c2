"""The seconds of a session as OpenMetrics text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from app.cli import main
from app.history.steps.series import series
from app.history.store.history import History
from tests import comparable

SHOWN = ("load.queries", "load.latency_p95_ms", "server.cpu_pct", "disk.write_kb")  # of developers/json.md
LINE = re.compile(r'dyno_[a-z0-9_]+\{([a-z_]+="(\\.|[^"\\])*",?)+\} \S+ \d+\.\d{3}')


def test_the_seconds_of_a_session_with_their_time_stamps(dyno_home: Path, tmp_path: Path) -> None:
    plan = comparable.plan(1, 1)
    comparable.keep(dyno_home, plan)
    id_, file = plan.turns[0].session, tmp_path / "session.om"
    assert main(["session", "export", "--openmetrics", id_, str(file)]) == 0
    *lines, end = file.read_text().splitlines()
    assert end == "# EOF" and all(LINE.fullmatch(each) for each in lines if not each.startswith("# TYPE "))
    found = [
        float(each.split()[-2])
        for each in lines
        if each.startswith("dyno_load_queries{") and 'step="point-query",at_threads="4"' in each
    ]
    with History(dyno_home) as history:
        kept = series(history, id_, "point-query", threads=4)["values"]
    assert found == [each for each in kept if each is not None] and found
    assert main(["session", "export", "--openmetrics", id_, str(file)]) == 2
    if promtool := shutil.which("promtool"):
        words = [promtool, "tsdb", "create-blocks-from", "openmetrics", str(file), str(tmp_path / "tsdb")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_dashboard_shows_series_that_a_session_has() -> None:
    page = json.loads((Path(__file__).parents[3] / "docs" / "grafana.json").read_text())
    shown = [target["expr"] for panel in page["panels"] for target in panel["targets"]]
    assert len(shown) == 4 and all(each.endswith('{session=~"$session"}') for each in shown)
    made = {f"dyno_{name.replace('.', '_')}" for name in SHOWN}
    assert {each.partition("{")[0] for each in shown} == made
