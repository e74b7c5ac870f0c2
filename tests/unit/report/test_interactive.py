"""The interactive report as text: what it may load, whose numbers it holds, what has changed in them."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.comparison.answers.sentences import verdict_sentences
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.history.lists import edits
from app.history.recorded.counting import Cut
from app.history.store.history import History
from app.report import interactive
from app.report.content import SECTIONS, read_report
from app.report.corrections import numbers_of_page
from app.report.interactive import read_interactive, to_interactive_html
from app.report.page_numbers import WIDTHS
from app.report.writing import ReportRequest, write_report
from tests import comparable

HOSTILE = "</script><!-- <script>alert(1)</script> \u202e \x85 &"


def numbers_in(html: str) -> dict[str, Any]:
    """The JSON of a page, as its script reads it."""
    (text,) = re.findall(r'<script type="application/json" id="numbers">(.*?)</script>', html, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture
def session_ids(tmp_path: Path) -> tuple[str, ...]:
    driven = [("point", "read"), ("range", "read"), ("write", "write")]
    steps = comparable.steps((1, 2), seconds=20, driven=driven)
    return comparable.keep(tmp_path / "home", comparable.plan(3, repeats=4, its_steps=steps))


@pytest.fixture
def its(tmp_path: Path, session_ids: tuple[str, ...]) -> History:
    return History(tmp_path / "home")


def page_of(its: History, session_ids: tuple[str, ...], **words: Any) -> str:
    return to_interactive_html(read_interactive(its, read_report(its, session_ids, **words)), SECTIONS)


def test_the_page_may_do_nothing_but_run_its_script(its: History, session_ids: tuple[str, ...]) -> None:
    html = page_of(its, session_ids)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    parts = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert parts["default-src"] == parts["connect-src"] == "'none'"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        hashes = [b64decode(each[8:-1]) for each in parts[name].split()]
        bodies = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert [hashlib.sha256(each.encode()).digest() for each in bodies] == hashes
    assert len(parts["script-src"].split()) == 1
    assert not re.search(r"<[^>]+ (style|src|href|on\w+)=", html.split("<script", 1)[0])


def test_each_base_has_verdicts_of_its_own_comparison(its: History, session_ids: tuple[str, ...]) -> None:
    numbers = numbers_in(page_of(its, session_ids))
    assert len(numbers["bases"]) == 3
    for at, against in enumerate(numbers["bases"]):
        found = compare(its, session_ids, numbers["columns"][at]["sessions"][0]["session"])
        assert against["sentences"] == verdict_sentences(found)
        rows = {row.workload + str(row.threads): row for row in found.rows}
        for step, its_row in zip(numbers["steps"], against["steps"], strict=True):
            name, _, threads = step["label"].partition(" threads=")
            cells = rows[name + (threads or "None")].cells
            for field in ("value", "relative", "low", "high", "verdict", "p", "n"):
                assert its_row[field] == [getattr(cell, field) for cell in cells]
    words = [against["steps"][2]["words"] for against in numbers["bases"]]
    assert len({str(each) for each in words}) == 3


def test_no_name_ends_the_block_of_numbers(its: History, session_ids: tuple[str, ...]) -> None:
    for id_ in session_ids:
        edits.rename(its, id_, HOSTILE)
    html = page_of(its, session_ids[:2], title=HOSTILE)
    assert html.count("</script>") == 2 and "<!--" not in html
    shown = "</script><!-- <script>alert(1)</script> \\u202e \\x85 &"
    assert numbers_in(html)["title"] == shown
    assert numbers_in(html)["columns"][0]["name"].startswith(shown)


def test_the_origin_has_the_hashes_of_plan_and_journal(its: History, session_ids: tuple[str, ...]) -> None:
    html = page_of(its, session_ids)
    for column in numbers_in(html)["columns"]:
        for session in column["sessions"]:
            journal = (its.journals / f"{session['session']}.jsonl").read_bytes()
            assert session["journal_sha256"] == hashlib.sha256(journal).hexdigest()
            assert session["plan_hash"] and session["journal_sha256"][:16] in html


def test_a_large_page_has_fewer_seconds_and_at_last_none(
    its: History, session_ids: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = read_interactive(its, read_report(its, session_ids))
    widths = []
    for most in (1_000_000, *range(120_000, 30_000, -2_000)):
        monkeypatch.setattr(interactive, "MOST_BYTES", most)
        try:
            html = to_interactive_html(page, SECTIONS)
        except InputError as error:
            assert "leave out sections" in str(error)
            break
        assert len(html.encode()) < most
        widths.append(numbers_in(html)["seconds_width"])
    else:
        pytest.fail("it was never too large")
    assert widths[0] == 1 and widths[-1] == 0 and set(widths) <= {0, *WIDTHS} and len(set(widths)) > 2


def test_a_report_made_again_says_what_has_changed(
    its: History, session_ids: tuple[str, ...], tmp_path: Path
) -> None:
    request = ReportRequest(session_ids, tmp_path / "report.html", is_interactive=True)
    write_report(its, request)
    assert numbers_in(request.file.read_text())["corrections"] == []
    write_report(its, request)
    (again,) = numbers_in(request.file.read_text())["corrections"]
    assert re.match(
        r"Made again on .*, in place of the report of Dyno .*: no result and no verdict changed\.", again
    )
    edits.count_only_seconds(its, session_ids[0], 2, Cut(5, 19, "a backup ran"))
    write_report(its, request)
    html = request.file.read_text()
    (corrected,) = numbers_in(html)["corrections"]
    assert corrected in html
    assert re.match(r"Corrected on .*: 1 of 24 results changed, the most in point threads=1, ", corrected)
    write_report(its, request)
    first, _ = numbers_in(request.file.read_text())["corrections"]
    assert first == corrected


def test_another_report_is_no_correction(its: History, session_ids: tuple[str, ...], tmp_path: Path) -> None:
    request = ReportRequest(session_ids[:1], tmp_path / "report.html", is_interactive=True)
    write_report(its, request)
    write_report(its, ReportRequest(session_ids[1:2], request.file, is_interactive=True))
    assert numbers_in(request.file.read_text())["corrections"] == []
    for text in ("", "<html>", '<script type="application/json" id="numbers">{"format": 1}</script>'):
        request.file.write_text(text)
        assert numbers_of_page(request.file) is None
    assert numbers_of_page(tmp_path / "none.html") is None


def test_the_command_writes_and_replaces_it(
    session_ids: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DYNO_HOME", str(tmp_path / "home"))
    out = tmp_path / "report.html"
    assert main(["report", *session_ids, "--out", str(out), "--interactive"]) == 0
    assert main(["report", *session_ids, "--out", str(out), "--interactive"]) == 2
    assert "exists already: choose another name, or --replace it" in capsys.readouterr().err
    assert main(["report", *session_ids, "--out", str(out), "--interactive", "--replace"]) == 0
    assert len(numbers_in(out.read_text())["corrections"]) == 1
    assert main(["report", *session_ids, "--out", str(tmp_path / "r.md"), "--interactive"]) == 2
    assert "must end with .html" in capsys.readouterr().err
    assert main(["report", *session_ids, "--out", str(out), "--replace"]) == 0
    assert "<script" not in out.read_text()
