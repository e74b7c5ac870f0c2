"""A report in a real browser: it is laid out, on screen and paper, and whatever names hold stays text."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.lists.sessions import find
from app.history.store.history import History
from app.report.content import read_report
from app.report.writing import render

EVIL = "</title></td><script>document.title = 'owned'</script><img src=x onerror=\"alert('owned')\">"
NAMES = ("innodb-5.6.35-default", "innodb-5.7.10-default", "myrocks-5.6.35-default")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    with History(tmp_path / "home") as history:
        import_shipped(history)
        ids = [find(history, name) for name in NAMES]
        edits.rename(history, ids[1], EVIL)
        edits.note(history, ids[1], EVIL)
        found = read_report(history, ids, title=f"Mine {EVIL}", own_text=f"**own** {EVIL}")
        file = tmp_path / "report.html"
        file.write_text(render(found, ".html"), encoding="utf-8")
    return file


def browse(profile: Path, *words: str) -> str:
    line = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
    done = subprocess.run([*line, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(180)
def test_a_browser_shows_it(report: Path, tmp_path: Path) -> None:
    dom = browse(tmp_path / "profile", "--dump-dom", report.as_uri())
    assert NAMES[0] in dom and "update-index threads=4" in dom
    assert dom.count("<svg") == 3 + dom.count("<polyline") // len(NAMES)
    assert "<title>Mine &lt;/title&gt;" in dom and "<script" not in dom and "<img" not in dom
    assert "<strong>own</strong>" in dom
    picture = tmp_path / "report.png"
    browse(tmp_path / "profile", "--window-size=1000,1400", f"--screenshot={picture}", report.as_uri())
    assert picture.stat().st_size > 50_000
    paper = tmp_path / "report.pdf"
    browse(tmp_path / "profile", "--no-pdf-header-footer", f"--print-to-pdf={paper}", report.as_uri())
    sizes = set(re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)", paper.read_bytes()))
    assert sizes == {(b"594", b"841")}, "points of A4"
