"""The interactive report in a real browser: what it shows is Dyno's, and what names hold stays text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.history.lists import edits
from app.history.store.history import History
from app.report.content import SECTIONS, read_report
from app.report.interactive import read_interactive, to_interactive_html
from app.report.page_numbers import PageNumbers
from tests import comparable
from tests.ui.browser import Browser, browser

HOSTILE = (
    "</script><img src=x onerror=\"document.title='owned'\">",
    "<!--<script>document.title='owned'</script> \" ' & &lt;",
    "\u202eevil " + "x" * 200,
)
STEPS = comparable.steps(
    (1, 2), driven=[("point", "read"), ("range", "read"), ("write", "write")], seconds=20
)
REPEATS = 4


@pytest.fixture(scope="module")
def interactive_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PageNumbers]:
    folder = tmp_path_factory.mktemp("report")
    plan = comparable.plan(3, repeats=REPEATS, its_steps=STEPS)
    contenders = [replace(each, name=name) for each, name in zip(plan.contenders, HOSTILE, strict=True)]
    ids = comparable.keep(folder, replace(plan, contenders=contenders))
    with History(folder) as history:
        edits.note(history, ids[0], HOSTILE[0])
        report = read_report(history, ids, title=f"Mine {HOSTILE[0]}", own_text="|a|\n|-:|\n|1|\n")
        page = read_interactive(history, report)
    file = folder / "report.html"
    file.write_text(to_interactive_html(page, SECTIONS), encoding="utf-8")
    return file, page.numbers


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def texts(reader: Browser, selector: str) -> list[str]:
    found: list[str] = reader.value(f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)")
    return found


def choose(reader: Browser, control: str, value: str) -> None:
    reader.value(
        f"(() => {{ const e = document.getElementById({control!r}); e.value = {value!r};"
        " e.dispatchEvent(new Event('change')); })()"
    )


@pytest.mark.timeout(120)
def test_each_base_has_its_own_sentences_and_verdicts(
    reader: Browser, interactive_file: tuple[Path, PageNumbers]
) -> None:
    file, numbers = interactive_file
    reader.open(file.as_uri())
    for base in (0, 2):
        choose(reader, "base", str(base))
        reader.wait_for(lambda base=base: reader.value("document.getElementById('base').value") == str(base))
        against = numbers.document["bases"][base]
        assert len(texts(reader, "#explore .sentence")) == len(against["sentences"]) > 0
        (words,) = texts(reader, "#cell-2-1 small")
        assert words == against["steps"][2]["words"][1] != ""
        assert f"base={base}" in reader.value("location.hash") or base == 0
    assert not reader.complaints and reader.requests == [file.as_uri()]


@pytest.mark.timeout(120)
def test_names_stay_text(reader: Browser, interactive_file: tuple[Path, PageNumbers]) -> None:
    reader.open(f"{interactive_file[0].as_uri()}#cell=2.1")
    assert reader.value("document.title").startswith("Mine </script><img")
    assert reader.value("document.querySelectorAll('img, a, iframe, link').length") == 0
    assert reader.value("document.scripts.length") == 2
    shown = " ".join(texts(reader, "#explore"))
    assert HOSTILE[0] in shown and HOSTILE[1] in shown and "\\u202eevil" in shown and "\u202e" not in shown
    assert not reader.complaints


@pytest.mark.timeout(120)
def test_a_cell_opens_and_the_keyboard_gets_everywhere(
    reader: Browser, interactive_file: tuple[Path, PageNumbers]
) -> None:
    reader.open(interactive_file[0].as_uri())
    reader.value("document.getElementById('cell-2-1').focus()")
    reader.press("ArrowRight")
    assert reader.value("document.activeElement.id") == "cell-2-2"
    reader.press("ArrowDown")
    assert reader.value("document.activeElement.id") == "cell-3-2"
    reader.press("Enter")
    reader.wait_for(lambda: reader.value("location.hash") == "#cell=3.2")
    reader.wait_for(lambda: texts(reader, ".detail h3"))
    assert reader.value("document.querySelectorAll('.detail polyline').length") == 2 * REPEATS
    assert "Latency p95, ms/query (less is better)" in texts(reader, ".detail th")
    assert reader.value("document.activeElement.id") == "cell-3-2"
    reader.press("Escape")
    reader.wait_for(lambda: not texts(reader, ".detail"))
    assert reader.value("document.activeElement.id") == "cell-3-2"


@pytest.mark.timeout(120)
def test_an_address_shows_what_was_shown(reader: Browser, interactive_file: tuple[Path, PageNumbers]) -> None:
    file, numbers = interactive_file
    reader.open(f"{file.as_uri()}#base=1&hide=2&sort=effect&cell=2.0")
    heads = texts(reader, "table.cells > thead th")
    assert len(heads) == 4, "step, plot, the base and one other"
    assert not texts(reader, "tr.group") and texts(reader, ".detail h3")
    assert "also of hidden ones" in " ".join(texts(reader, "#explore .muted"))
    for wrong in ("#base=9&hide=x.77&cell=3", "#<img src=x>", "#cell=999.999&base=-1"):
        reader.open(file.as_uri() + wrong)
        assert len(texts(reader, "table.cells > thead th")) == 5 and not reader.complaints
    assert len(numbers.document["steps"]) == len(texts(reader, "table.cells tbody button")) / 3


@pytest.mark.timeout(120)
def test_csv_and_json_are_saved_without_fetching(
    reader: Browser, interactive_file: tuple[Path, PageNumbers], tmp_path: Path
) -> None:
    file, numbers = interactive_file
    reader.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    reader.open(f"{file.as_uri()}#base=1")
    for kind in ("csv", "json"):
        reader.value(f"document.getElementById({kind!r}).click()")
        saved = tmp_path / f"dyno-report.{kind}"
        reader.wait_for(saved.exists)
    assert (tmp_path / "dyno-report.csv").read_text().splitlines()[0].startswith("workload,group,threads")
    read = json.loads((tmp_path / "dyno-report.json").read_text())
    assert read["bases"][1]["steps"][2]["low"] == numbers.document["bases"][1]["steps"][2]["low"]


@pytest.mark.timeout(120)
def test_without_script_and_on_paper_it_is_the_static_page(
    reader: Browser, interactive_file: tuple[Path, PageNumbers]
) -> None:
    reader.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        reader.open(interactive_file[0].as_uri())
        assert texts(reader, "#explore") == [""] and len(texts(reader, "#results table")) > 1
    finally:
        reader.ask("Emulation.setScriptExecutionDisabled", value=False)
    reader.open(interactive_file[0].as_uri())
    reader.ask("Emulation.setEmulatedMedia", media="print")
    display = "getComputedStyle(document.getElementById('explore')).display"
    assert reader.value(display) == "none"
    reader.ask("Emulation.setEmulatedMedia", media="")
    assert reader.value(display) == "block"
