"""Reports: sentences that the figures carry, sections, and nothing of a name that becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.core.errors import InputError
from app.core.settings import Settings, keep_settings
from app.core.units import figure_text
from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.recorded.writing import JournalStorer
from app.history.steps.written_rows import WrittenRows
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import Step
from app.report.caveats import caveats
from app.report.content import Report, read_report, sections_without
from app.report.curves import curve_charts
from app.report.svg import column_styles
from app.report.writing import render
from app.report.written_rows import WrittenStep, written_chart
from app.stats import VerdictLimits
from tests import comparable, journals, written
from tests.plans import MARIADB
from tests.unit.comparison.cells import beside

EVIL = '<script>alert("x")</script>'
REPEATS = 6
FACTORS = (1.0, 1.5, 0.5, 1.011, 1.2)
CONTENDERS = [journals.contender("innodb"), journals.contender("rocksdb")]


def keep(history: History, repeats: int = REPEATS, name: str = "rocksdb-default") -> list[str]:
    """Repeats within 1 %; of the second contender each step times its factor."""
    its_plan = journals.plan([CONTENDERS[0], replace(CONTENDERS[1], name=name)], repeats=repeats)
    for at, turn in enumerate(its_plan.turns):
        maker = journals.Maker(its_plan, turn.session).begin()
        for step, factor in enumerate(FACTORS):
            maker.step(step, value=(100 + at // 2 / 5) * (factor if turn.contender else 1.0))
        maker.end()
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.raw)
    return [turn.session for turn in its_plan.turns]


def test_the_summary_counts_what_is_better_and_worse(history: History) -> None:
    report = read_report(history, keep(history))
    verdicts, told = report.summary
    assert (
        "point-query threads=1: MyRocks at 1.50 of InnoDB's rate (95% sure: 1.49 to 1.51): faster."
        in verdicts
    )
    assert (
        f"Of 5 steps, {MARIADB}-rocksdb-default is better than"
        f" {MARIADB}-innodb-default in 2, worse in 1 and the same in 2." in told
    )
    assert told.endswith("A query costs 1.00 times the CPU (1.00 to 1.00), the geometric mean over 4 steps.")
    assert "furthest ahead in point-query threads=1 (1.50) and furthest behind in" in told
    assert re.search(r"0\.87 \(0\.86 to 0\.87\) over the 2 steps of read", told)
    assert report.title == f"{MARIADB}-rocksdb-default against {MARIADB}-innodb-default"


def test_what_matters_is_as_the_person_has_set_it(dyno_home: Path, tmp_path: Path) -> None:
    """In the window, for the command line too; what the command says goes before."""
    with History(dyno_home) as own:
        ids = keep(own)
    keep_settings(Settings(matters_pct=30.0), dyno_home)
    for number, (words, told) in enumerate(
        (([], "in 1, worse in 1"), (["--difference", "1"], "in 3, worse in 1"))
    ):
        out = tmp_path / f"{number}.md"
        assert main(["report", *ids, "--out", str(out), *words]) == 0
        assert f"is better than {MARIADB}-innodb-default {told}" in out.read_text().replace("\\", "")


@pytest.mark.parametrize(
    ("matters", "told"),
    [
        (0.4, "It is furthest ahead in point-query threads=1 (1.50) and furthest behind in"),
        (0.6, "It is furthest behind in point-query threads=2 (0.50)."),
        (3.0, ""),
    ],
)
def test_a_step_stands_out_only_where_it_is_better_or_worse(
    history: History, matters: float, told: str
) -> None:
    _, summary = read_report(history, keep(history), limits=VerdictLimits(matters=matters)).summary
    assert told in summary and ("furthest" in summary) == bool(told)


def test_single_sessions_are_not_judged_in_words_either(history: History) -> None:
    why, told = read_report(history, keep(history, repeats=1)).summary
    assert why.startswith("MyRocks measured at ") and why.endswith(
        " none of these is judged (measured once: the noise is unknown)."
    )
    assert "have 5 steps in common." in told and "better" not in told and "worse" not in told


def test_that_there_are_too_few_repeats_is_said_once(history: History) -> None:
    why, told = read_report(history, keep(history, repeats=2)).summary
    assert why.startswith("MyRocks measured at ") and why.endswith(
        ": none of these is judged (fewer than 3 repeats)."
    )
    assert "have 5 steps in common." in told


def test_words_that_count_nothing_are_left_out(history: History) -> None:
    ids = comparable.keep(history.directory, comparable.plan(2, repeats=5))
    _, told = read_report(history, ids).summary
    assert re.match(
        rf"Of 9 steps, {MARIADB}-rocksdb-preset0 is worse than"
        rf" {MARIADB}-innodb-preset0 in 9\.",
        told,
    )


def test_of_single_sessions_it_is_told_how_steady_they_were(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2, its_steps=comparable.steps((1,), seconds=40)))
    with History(tmp_path) as history:
        told = read_report(history, ids).caveats
    (line,) = [each for each in told if each.startswith(f"{MARIADB}-rocksdb-preset0-1: 1 repeat")]
    assert re.search(
        r"; blocks of its seconds are within \d+\.\d% of their median in half of the steps", line
    )


def test_one_session_is_a_report_too(history: History) -> None:
    report = read_report(history, keep(history, repeats=1)[:1])
    assert report.summary == () and report.differences.lines == () and len(report.groups) == 3
    html = render(report, ".html")
    assert "the base" not in html and "geometric mean" not in html and html.count("<polyline ") == 2
    assert "<code>dyno session script SESSION --out FOLDER</code>" in html
    assert "`dyno session script SESSION --out FOLDER`" in render(report, ".md")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.addresses += [f"{name}={value}" for name, value in attrs if name in ("src", "href")]


def tags_of(html: str) -> _Tags:
    found = _Tags()
    found.feed(html)
    return found


def test_whatever_names_and_texts_hold_is_escaped(history: History) -> None:
    ids = keep(history, repeats=1, name=EVIL)
    edits.rename(history, ids[0], f"a | b {EVIL}")
    edits.note(history, ids[0], f"heard {EVIL}")
    own = f"**mine** {EVIL} ![x](http://example.org/x.png) [link](javascript:alert(1))"
    report = read_report(history, ids, title=EVIL, own_text=own)
    html = render(report, ".html")
    found = tags_of(html)
    assert f"note on a | b {EVIL}: heard {EVIL}" in report.caveats
    assert not found.seen & {"script", "img", "iframe", "link"} and "<strong>mine</strong>" in html
    assert found.addresses == ["href=http://example.org/x.png"]  # a link to click on: nothing is fetched
    markdown = render(replace(report, own_text=""), ".md")
    assert "<script>" not in markdown and "\\<script\\>" in markdown and "a \\| b" in markdown


def test_nothing_is_fetched(history: History) -> None:
    html = render(read_report(history, keep(history)), ".html")
    assert not re.search(r"https?://|@import|url\(", html)
    assert "default-src 'none'" in html


def test_sections_are_left_out(history: History) -> None:
    report = read_report(history, keep(history))
    whole, less = render(report, ".html"), render(report, ".html", sections_without(["cost", "caveats"]))
    assert 'id="cost"' in whole and 'id="caveats"' in whole
    assert 'id="cost"' not in less and 'id="caveats"' not in less and 'id="results"' in less
    assert "## What a query costs" not in render(report, ".md", sections_without(["cost"]))
    with pytest.raises(InputError, match="no section 'costs': choose one of summary,"):
        sections_without(["costs"])


def test_charts_have_a_bar_for_each_figure(history: History) -> None:
    html = render(read_report(history, keep(history)), ".html")
    assert html.count("<rect ") == 5 and html.count('class="spread"') == 5
    assert html.count(f"<title>{MARIADB}-rocksdb-default: 1.50</title>") == 1
    assert html.count('<p class="legend">') == html.count(f">1: {MARIADB}-innodb-default</text>") == 3, (
        "a group each"
    )


def test_headings_say_a_unit_once_and_which_way_is_better(history: History) -> None:
    html = render(read_report(history, keep(history)), ".html")
    assert "<h3>CPU per query, us/query (less is better)</h3>" in html
    assert "<h3>Context switches of the machine per query (less is better)</h3>" in html


def test_a_step_that_is_marked_has_its_sign_explained(history: History) -> None:
    ids = comparable.keep(history.directory, comparable.plan(2), marked=[(1, "read-only")])
    explained = (
        "\N{CIRCLED DIVISION SLASH} is not judged: something went wrong, here or in the base; where n = 1 "
    )
    assert explained in render(read_report(history, ids), ".html")


def test_what_was_swept_is_drawn_as_curves(history: History) -> None:
    """Two steps over two numbers of threads, two columns of six sessions each."""
    html = render(read_report(history, keep(history)), ".html")
    assert html.count("<polyline ") == 4 and html.count("<circle ") == 8 and html.count(" reach") == 8
    assert 'aria-label="update-index over threads, queries/s"' in html


def test_a_missing_point_breaks_its_curve_and_no_other(history: History) -> None:
    its_plan = journals.plan(CONTENDERS, its_steps=journals.steps((1, 2, 4)))
    for turn in its_plan.turns:
        raw = journals.whole(its_plan, turn.session, failed=2 if turn.contender else None).raw
        JournalStorer(history).append(its_plan.id, turn.session, 0, raw)
    report = read_report(history, [turn.session for turn in its_plan.turns])
    (chart, _) = curve_charts(report.comparison.rows, report.names, column_styles((0, 1)))
    assert chart.count("<circle ") == 5 and chart.count("<polyline ") == 1
    (told,) = [each for each in report.caveats if each.startswith("no result")]
    assert (
        told == f"no result: failed: sysbench: FATAL: error 1205:"
        f" {MARIADB}-rocksdb-default-1 in point-query threads=2"
    )


def test_a_colour_that_is_there_already_is_dashed() -> None:
    assert [each.classes for each in column_styles((0, 1, 0))] == ["c0", "c1", "c0 second"]


def test_latencies_come_first_where_they_are_the_figure(history: History) -> None:
    steps = [replace(journals.steps((1,))[1], unit="ms", figure="latency")]
    its_plan = journals.plan(CONTENDERS, its_steps=steps)
    for turn in its_plan.turns:
        JournalStorer(history).append(
            its_plan.id, turn.session, 0, journals.whole(its_plan, turn.session).raw
        )
    report = read_report(history, [turn.session for turn in its_plan.turns])
    assert [table.title.split(",")[0] for table in report.latencies] == [
        f"Latency p{share}" for share in (50, 95, 99)
    ]
    assert "### Latency p99, ms/query" in render(report, ".md")


def test_tests_before_and_after_the_writes_stand_beside_one_another(history: History) -> None:
    ids = comparable.keep(history.directory, comparable.plan(2, repeats=3))
    report = read_report(history, ids)
    (table,) = report.before_and_after
    assert [line[0] for line in table.lines] == ["point-query threads=1", "point-query threads=4"]
    first = next(row for row in report.comparison.rows if row.workload == "point-query.pre")
    before = first.cells[0].value
    assert before is not None
    assert beside(table.lines[0])[0].startswith(f"{figure_text(before)} to ")
    assert "Before and after the writes" in render(report, ".html") and "after / before" in render(
        report, ".md"
    )


def test_a_cost_stands_beside_the_base(history: History) -> None:
    report = read_report(history, keep(history))
    cpu = report.costs[0]
    assert cpu.title.startswith("CPU per query, us/query")
    assert cpu.lines[0][1:] == ("35.50", "35.50") and beside(cpu.lines[0]) == ["", "1.00"]


def test_queries_for_a_price_are_told_where_a_server_has_one(history: History) -> None:
    its_plan = journals.plan(CONTENDERS)
    for turn in its_plan.turns:
        maker = journals.Maker(its_plan, turn.session).begin()
        for at, step in enumerate(its_plan.steps):
            if turn.contender == 0 and step.kind == "drive":
                maker.add(Fact, name="existing", value={"price": 0.5}, when=step.label)
            maker.step(at, value=1000.0)
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.end().raw)
    report = read_report(history, [turn.session for turn in its_plan.turns])
    (table,) = [each for each in report.costs if each.title.startswith("Queries for one unit of money")]
    assert {line[1:] for line in table.lines} == {("7,200,000", "-")}


def test_what_has_to_be_known(history: History) -> None:
    told = read_report(history, keep(history)).caveats
    assert any(": 6 repeats; the highest is at most 1.01 times the lowest in half" in each for each in told)
    assert "doublewrite" not in " ".join(told)  # only one of them has any
    assert any(
        each.startswith(f"commit: {MARIADB}-innodb-default: ") or each.startswith("file access: ")
        for each in told
    )
    assert "Welch's test over 5 results" in told[-1]


def test_marks_are_told_once_with_where_they_stand(history: History) -> None:
    its_plan = journals.plan(CONTENDERS)
    for turn in its_plan.turns:
        maker = journals.Maker(its_plan, turn.session).begin()
        for at in range(len(its_plan.steps)):
            maker.step(at, marks=["indebted"] if turn.contender and at > 1 else [])
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.end().raw)
    report = read_report(history, [turn.session for turn in its_plan.turns])
    (told,) = [each for each in report.caveats if each.startswith("indebted")]
    assert told.endswith(
        f": {MARIADB}-rocksdb-default-1 in point-query threads=2, update-index"
        " threads=1, update-index threads=2"
    )


def test_why_a_figure_was_not_steady_is_told(history: History) -> None:
    report = read_report(history, keep(history))
    row = next(row for row in report.comparison.rows if row.workload == "update-index")
    text = "throughput falls 18% over the step"
    row.cells[1].steadiness = [None, {"word": "unsteady", "text": text}, *[None] * 4]
    row.cells[1].marks = ["unsteady"]
    told = caveats(history, report.comparison, report.names)
    assert f"update-index threads=1, {MARIADB}-rocksdb-default: session 2 of 6: unsteady: {text}" in told
    assert not any("its throughput changed" in each for each in told), "said once"


def test_presets_are_shown_once_and_the_way_to_the_script(history: History) -> None:
    report = read_report(history, keep(history))
    assert [preset.names for preset in report.presets] == [
        (f"{MARIADB}-innodb-default",),
        (f"{MARIADB}-rocksdb-default",),
    ]
    html = render(report, ".html")
    assert "# innodb default" in html and "dyno session script" in html
    assert "```\n[mysqld]\n# rocksdb default\n```" in render(report, ".md")


def test_a_table_for_spreadsheets(history: History) -> None:
    lines = render(read_report(history, keep(history)), ".csv").splitlines()
    assert lines[0].startswith("workload,group,threads") and len(lines) == 6


def test_published_results_name_their_source(history: History) -> None:
    import_shipped(history)
    names = ["innodb-5.6.35-default", "myrocks-5.6.35-default"]
    report: Report = read_report(history, names)
    assert next(line for line in report.setups.lines if line[0] == "Published")[1].startswith(
        "Mark Callaghan, 2017-03"
    )
    assert report.repeat == (
        "Dyno did not measure innodb-5.6.35-default, myrocks-5.6.35-default: the source is named above.",
    )
    assert report.presets == () and report.script is None
    assert "4.26 over the 13 steps of write-heavy" in report.summary[1]


def test_groups_of_one_name_are_told_apart_by_their_units(history: History) -> None:
    import_shipped(history)
    report = read_report(history, ["innodb-5.0.96-i3", "innodb-8.0.3-i3"])
    assert "1.26 over the 5 of scan-heavy in queries/s" in report.summary[1]
    assert "0.79 over the 2 of scan-heavy in rows/s" in report.summary[1]
    html = render(report, ".html")
    assert "<small>the base, published</small>" in html and "<small>published</small>" in html
    assert html.count("Mark Callaghan, 2017-11, InnoDB from") == 1, "what all share stands once"
    assert html.count("note on innodb-5.0.96-i3, innodb-8.0.3-i3: published by Mark") == 1
    assert "<li>innodb-5.0.96-i3, innodb-8.0.3-i3: 1 repeat</li>" in html


def test_published_results_beside_ones_own(history: History) -> None:
    """A mean is over the steps of both, from half of a group on; what is not known is no difference."""
    import_shipped(history)
    ids = keep(history, repeats=1)
    report = read_report(history, ["innodb-5.6.35-default", ids[0]])
    assert "have 4 steps in common" in report.summary[1]
    assert "is 0.01 over the 2 steps of point-query" in report.summary[1]
    assert "write-heavy" not in report.summary[1]  # 2 of 6
    (mean,) = [group.table.mean for group in report.groups if group.table.mean]
    assert mean[0] == "geometric mean of 3 steps"
    assert beside(mean) == ["", "of 2 of 3"]
    told = {line[1] for line in report.differences.lines}
    assert {"build", "family", "version", "sequence"} < told and {each[:5] for each in told} == {
        "build", "famil", "versi", "seque", "step ", "prese",
    }  # fmt: skip
    assert any("one of them is imported, so little is known" in each for each in report.caveats)
    assert report.repeat[0] == ("Dyno did not measure innodb-5.6.35-default: the source is named above.")
    assert f"{MARIADB}-innodb-default-1 0000" in report.repeat[2]


def test_a_mean_of_fewer_steps_than_others_says_of_how_many(history: History) -> None:
    """Of three columns one lacks two of four figures."""
    lacking = comparable.plan(3, its_steps=comparable.steps((1, 2, 4), driven=[("a", "g"), ("b", "g")]))
    ids = comparable.keep(history.directory, lacking, failed=[(2, "b")])
    (mean,) = [group.table.mean for group in read_report(history, ids).groups if group.name == "g"]
    assert mean is not None and mean[0] == "geometric mean of 6 steps"
    assert beside(mean) == ["", "", "of 3 of 6"]


def test_the_command_writes_a_file_once(
    history: History, dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with History(dyno_home) as own:
        ids = keep(own)
    out, latin = tmp_path / "report.html", tmp_path / "latin.md"
    latin.write_bytes(b"caf\xe9")
    assert main(["report", *ids, "--out", str(out), "--title", "Mine"]) == 0
    assert "<title>Mine</title>" in out.read_text()
    for words, said in (
        ([*ids, "--out", str(out)], "exists already"),
        ([*ids, "--out", str(tmp_path / "report.pdf")], "must end with .html, .md or .csv"),
        ([*ids, "--out", str(tmp_path / "none" / "r.html")], "cannot be written"),
        ([*ids, "--out", str(tmp_path / "r.md"), "--without", "costs"], "no section 'costs'"),
        ([*ids, "--out", str(tmp_path / "r.md"), "--text", str(tmp_path / "none.md")], "cannot be read"),
        ([*ids, "--out", str(tmp_path / "r.md"), "--text", str(latin)], "is not UTF-8 text"),
        (["nobody", "--out", str(tmp_path / "r.md")], "no session 'nobody'"),
    ):
        assert main(["report", *words]) == 2
        assert said in capsys.readouterr().err
    assert not list(tmp_path.glob(".*part")) and not (tmp_path / "r.md").exists()


def test_the_file_may_be_the_last_word_or_left_out(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(dyno_home) as own:
        ids = keep(own)
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["report", *ids, "night.md"]) == main(["report", *ids]) == main(["report", *ids]) == 0
    names = {each.name for each in folder.iterdir()}
    assert names == {"night.md", f"{ids[0]}.html", f"{ids[0]}-2.html"}
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == sorted(names, reverse=True)
    assert main(["report", "night.md"]) == 2, "a file alone is no session"


def test_the_results_say_what_their_signs_mean(history: History) -> None:
    text = render(read_report(history, keep(history)), ".html")
    assert "below it the ratio to the base; better and worse are beyond the noise (Welch&#39;s test" in text


def test_nothing_stands_out_where_nothing_is_judged(history: History) -> None:
    _why, told = read_report(history, keep(history, repeats=2)).summary
    assert "furthest" not in told and "[" not in told and " to 1" not in told


# rows that are written


def written_sessions(history: History, repeats: int = 1) -> list[str]:
    """Two contenders; the second hangs in l.i1."""
    its_plan = written.plan(["innodb", "rocksdb"], repeats)
    for turn in its_plan.turns:
        maker = written.Writes(its_plan, turn.session)
        maker.hangs = written.HANGS if turn.contender else ()
        journals.store(history, maker.carried_out())
    return [turn.session for turn in its_plan.turns]


def test_what_writes_rows_is_drawn_second_by_second_with_its_stalls_by_name(history: History) -> None:
    html = render(read_report(history, written_sessions(history)), ".html")
    charts = re.findall(r"<svg[^>]*rows a second, and the longest response.*?</svg>", html)
    assert [re.findall(r'class="title">([^<]*)', each) for each in charts] == [
        ["l.i0"], ["l.i1 threads=1"], ["qr100.inserter threads=1"],
    ]  # fmt: skip
    assert [each.count('class="stall') for each in charts] == [0, 1, 0]
    for said in ("stall 4 s: table locks", "longest response, ms", "rows/s"):
        assert said in charts[1]
    assert charts[1].count("<polyline") >= 4  # of each column, in both parts
    note = "stall of 4 s from second 12 on, longest response 4,210 ms; table locks took 95%"
    assert f"rocksdb-default-1: {note}" in html
    assert "10 seconds or more without any" in html


def test_stalls_of_all_repeats_are_listed(history: History) -> None:
    html = render(read_report(history, written_sessions(history, repeats=2)), ".html")
    assert "Drawn is the first session of each column." in html
    for repeat in (1, 2):
        assert f", repeat {repeat}: stall of 4 s" in html


def test_markdown_names_the_stalls_that_charts_draw(history: History) -> None:
    text = render(read_report(history, written_sessions(history, repeats=2)), ".md")
    _, stalls = text.split("### Stalls of steps that write rows\n\n")
    assert "repeat 2: stall of 4 s from second 12 on" in stalls and "10 seconds or more" in stalls
    assert "Drawn is" not in text


def test_markdown_names_no_stalls_where_no_rows_were_written(history: History) -> None:
    assert "### Stalls" not in render(read_report(history, keep(history)), ".md")


def test_tables_that_are_only_loaded_are_not_drawn(history: History) -> None:
    assert read_report(history, keep(history)).written == ()


def test_long_curves_keep_their_dips(history: History) -> None:
    """Of many seconds each point is the least and the largest of some."""
    seconds = np.arange(3600.0)
    rows = np.where(seconds == 1801, 0.0, 1000.0)
    quiet = np.full(3600, 10.0)
    step = WrittenStep("l", (WrittenRows(written.ALONE, seconds, seconds, rows, quiet, ()),), (), False)
    svg = written_chart(step, ["a"], column_styles([0]))
    points = [each.split(",")[1] for each in re.findall(r'points="([^"]*)"', svg)[0].split()]
    assert len(points) < 450
    assert max(map(float, points)) == 150.0  # the bottom of the part with the rows


def test_what_roles_cost_each_other_is_a_table_of_the_report(history: History) -> None:
    alone = Step("alone", "drive", "range", "reads", coordinates={"threads": 1})
    ids = comparable.keep(
        history.path.parent, comparable.plan(2, 3, its_steps=[alone, written.READER, written.INSERTER])
    )
    report = read_report(history, ids)
    html, markdown = (render(report, ending) for ending in (".html", ".md"))
    assert "<h3>roles beside each other, in parts of what each does alone</h3>" in html
    assert '<td class="left">qr100 threads=1</td><td class="left">alone threads=1</td>' in html
    assert "roles beside each other" in markdown and "alone threads=1" in markdown
