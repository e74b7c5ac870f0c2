"""Every verb of the command line with hostile text wherever text comes from: nothing of it does anything."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli_w

from app.cli import main
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import LogEvent, MomentEvent
from app.protocol.plan import Plan
from app.team.local_edits import collect_local_edits
from tests import journals
from tests.hostile import MARKUP, NAME, TEXT, HostileMaker, finds, laced, laced_plan
from tests.liar import KEY, QUEUED, Liar
from tests.plans import MARIADB
from tests.unit.cli.words import WHOLE

TRUE = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
IDS = [turn.session for turn in TRUE.turns]
STEP = f"point-query{TEXT}"
CNF = f"# title: t{TEXT}\n# purpose: p{TEXT}\n[mysqld]\ninnodb_flush_log_at_trx_commit = 1\n# {TEXT}\n"
LUA = f"-- {TEXT}\n"
SQL = f"-- {TEXT}\noption {NAME} = {TEXT};\n"
WORKLOAD = f"""\
name = "evil"
title = "evil {MARKUP}"
group = "read"
unit = "queries/s"
kind = "drive"
lua = "evil.lua"
"""
ODD_SERVER = tomli_w.dumps(
    {
        "odd": {
            "host": "127.0.0.1", "schema": "bench", "user": "measured", "tls": False, "family": "mysql",
            "version": NAME, "comment": TEXT,
        }
    }
)  # fmt: skip
SEQUENCE = f"""\
name = "evil"
title = "evil {MARKUP}"
about = "evil {MARKUP}"
[[step]]
name = "load"
workload = "load"
"""
RUN = ["--contender", f"{MARIADB}:innodb", "--sequence", "duel"]
# word and verb; what is said after them, and whether what others wrote is shown then
COMMANDS: dict[str, list[tuple[list[str], bool]]] = {
    "target add": [(["evil", "--host", "\u202ehost", "--directory", "/d"], False), ([TEXT], True)],
    "target canaries": [(["evil"], False), ([TEXT], True)],
    "target calibrate": [(["evil", "--last"], False), ([TEXT], True)],
    "target edit": [(["evil", "--user", "\x9bme"], False), ([TEXT], True)],
    "target list": [([], False), (["--json"], False)],
    "target survey": [(["local"], True), (["local", "--json"], True), ([TEXT], True)],
    "target trust": [(["evil", TEXT], True)],
    "target clean": [(["local"], True), ([TEXT], True)],
    "target remove": [(["evil"], False), ([TEXT], True)],
    "server add": [(["evil", f"mysql://{TEXT}@h/s"], False), (["worse", f"mysql://u@h/{TEXT}"], False)],
    "server edit": [(["odd", "--price", TEXT], False), ([TEXT, "--target", "local"], True)],
    "server list": [([], True), (["--json"], True)],
    "server show": [(["odd"], False), (["odd", "--json"], False), ([TEXT], True)],
    "server trust": [(["odd", TEXT], False)],
    "server clean": [(["odd"], False), ([TEXT], True)],
    "server remove": [([TEXT], True), (["odd"], False)],
    "build list": [([], True), (["--json"], True), (["--target", TEXT], True)],
    "build install": [(["TARBALL"], True), ([f"/opt/{TEXT}", "--there"], True), ([NAME], False)],
    "build note": [([MARIADB, "--text", NAME], False), ([TEXT, "--text", "x"], True)],
    "build remove": [([MARIADB], True), ([TEXT], True)],
    "preset list": [([], True), (["--json"], True)],
    "preset show": [(["innodb/evil"], True), (["innodb/evil", "--json"], True), ([f"innodb/{TEXT}"], True)],
    "plan list": [([], True), (["--json"], True), (["--target", TEXT], False)],
    "plan pin": [([], False), ([TEXT], False)],
    "plan unpin": [([TEXT], False)],
    "plan against": [([TEXT], False)],
    "preset check": [(["innodb/evil"], True), (["innodb/baseline", "--json"], True)],
    "preset diff": [(["innodb/evil", "innodb/baseline"], True)],
    "preset new": [(["innodb/evil", f"innodb/{TEXT}"], True), (["innodb/evil", "innodb/worse"], False)],
    "preset edit": [(["innodb/evil"], False)],
    "preset delete": [(["innodb/evil"], False), ([f"innodb/{TEXT}"], True)],
    "workload list": [([], True), (["--json"], True)],
    "workload show": [(["evil"], True), (["evil", "--json"], True), ([TEXT], True)],
    "workload approve": [(["evil", TEXT], True)],
    "workload check": [(["SQL"], False), ([TEXT], True)],
    "workload import": [(["SQL"], False), (["SQL", "--name", NAME], False)],
    "sequence list": [([], True), (["--json"], True)],
    "sequence show": [(["evil"], True), (["evil", "--json"], True), ([TEXT], True)],
    "snapshot list": [([], True), (["--json"], True)],
    "snapshot delete": [([KEY], False), ([TEXT], True)],
    "queue list": [([], True), (["--json"], True)],
    "queue move": [([QUEUED, "1"], True), ([TEXT, "1"], True)],
    "queue hold": [([], True)],
    "queue resume": [([], True)],
    "queue remove": [([QUEUED], True), ([TEXT], True)],
    "follow": [([], True), ([TEXT], True)],
    "run": [
        ([*RUN, "--dry-run"], True), ([*RUN, "--name", NAME], False), ([*RUN, "--name", "[/x]ev[il]"], True),
        (["--contender", f"{TEXT}:innodb", "--sequence", "duel"], True), (["--duel", "--dry-run"], True),
        ([TEXT], True),
    ],
    "work": [([TEXT], True), ([f"{TEXT}:myisam", "--dry-run", "--json"], True)],
    "status": [([], True), (["--json"], True)],
    "stop": [([], True)],
    "skip": [([], False)],
    "note": [([TEXT], False)],
    "profile": [([], False)],
    "session list": [([], True), (["--json"], True), (["--tag", TEXT], False)],
    "session show": [(["last"], True), (["last", "--json"], True), ([TEXT], True)],
    "session settings": [(["last"], True), (["last", "--json"], True)],
    "session series": [([IDS[0], STEP, "--threads", "1"], False), ([IDS[0], TEXT], True)],
    "explain": [([IDS[0], TEXT, "--step", STEP], False), ([IDS[0], IDS[1], "--step", TEXT], False)],
    "session stacks": [([IDS[0], STEP, "--threads", "1", "--json"], False), ([IDS[0], TEXT], True)],
    "session latency": [([IDS[0], STEP, "--threads", "1"], True), ([IDS[0], STEP, "--with", TEXT], True)],
    "session rename": [([IDS[0], TEXT], False)],
    "session tag": [([IDS[0], TEXT], False)],
    "session note": [([IDS[0], TEXT], False)],
    "session cut": [([IDS[0], STEP, "1", "3", "--threads", "1", "--reason", NAME], False)],
    "session export": [([IDS[0], "ZIP"], False), ([IDS[0], f"/no/{TEXT}"], True)],
    "session script": [([IDS[0], "--out", f"SCRIPT{NAME}"], False)],
    "session delete": [([IDS[3]], False), ([TEXT], True)],
    "session undelete": [([IDS[3]], False), ([TEXT], True)],
    "import": [(["ZIP"], False), (["CSV"], False), (["BROKEN"], False), (["SB"], False), ([TEXT], True)],
    "compare": [
        (IDS[:3], True), ([*IDS[:3], "--format", "csv"], True), ([*IDS[:3], "--format", "md"], True),
        ([*IDS[:3], "--format", "json"], True), ([*IDS[:2], "--setup"], True),
        ([*IDS[:2], "--setup", "--format", "json"], True), ([*IDS[:2], "--why", STEP], True),
        ([*IDS[:2], "--pre"], False), ([*IDS[:2], "--why", TEXT], True), ([TEXT], True),
    ],
    "history use": [([TEXT], False), (["local"], False)],
    "history sync": [([], False)],
    "history list": [([], False), (["--text", TEXT], False)],
    "history fetch": [([TEXT], False)],
    "history export": [(["--parquet", f"/no/{TEXT}"], True), (["--parquet", "P", TEXT], True)],
    "history show": [([], False), (["--json"], False)],
    "history edits": [([IDS[0]], True), ([TEXT], True)],
    "gate": [
        ([*IDS[:2], "--difference", "3%"], True), ([*IDS[:2], "--difference", "3%", "--groups"], False),
        ([*IDS[:2], "--difference", "3%", "--json"], True), ([TEXT, IDS[1], "--difference", "3%"], True),
        ([*IDS[:2], "--claims", f"/no/{TEXT}"], True),
    ],
    "changes": [
        ([IDS[0]], True), ([IDS[0], "--step", TEXT], True), ([IDS[0], "--json"], True), ([TEXT], True),
    ],
    "bisect": [([TEXT, "--contender", TEXT, "--step", STEP], False)],
    "chart": [(["bars", *IDS[:2]], True), (["seconds", *IDS[:2], "--step", TEXT], True)],
    "report": [([*IDS[:2], "--out", "REPORT.md", "--title", TEXT], False)],
    "doctor": [([], False), (["--rebuild"], False)],
    "completion": [(["bash"], False)],
}  # fmt: skip


def verbs(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[str]:
    inner = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for each in inner:
        for word, below in each.choices.items():
            yield from verbs(below, (*path, word))
    if not inner:
        yield " ".join(path)


class HostileLiar(Liar):
    def journal(self, session: str) -> bytes:
        return journal_of(self.plan, session)


def journal_of(its_plan: Plan, session: str) -> bytes:
    """A session of which a step has failed, with a crash and errors of server and generator."""
    maker = HostileMaker(its_plan, session)
    maker.begin()
    for at in range(len(its_plan.steps)):
        maker.step(at, *(("failed", "a reason") if at == 2 else ()), marks=("after-a-crash", "a mark"))
    maker.add(MomentEvent, name="crash", step=1, text="it died")
    for source in ("sysbench", "server", "agent"):
        maker.add(LogEvent, source=source, level="error", text="an error")
    return maker.end(reason="a reason").raw


@pytest.fixture
def hostile_home(dyno_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With hostile sessions, presets, workloads and sequences, and a hostile target as `local`."""
    HostileLiar(laced, laced_plan(journals.plan(number=2))).take_over(monkeypatch)
    its_plan = laced_plan(TRUE)
    with History(dyno_home) as history:
        for session in IDS:
            JournalStorer(history).append(its_plan.id, session, 0, journal_of(its_plan, session))
        history.connection.execute("INSERT INTO session_tag VALUES (?, ?)", (IDS[0], TEXT))
        collect_local_edits(history, TEXT)  # as a member of a team
    texts = {
        "servers.toml": ODD_SERVER,
        "presets/innodb/evil.cnf": CNF,
        "workloads/evil.toml": WORKLOAD,
        "workloads/evil.lua": LUA,
        "workloads/broken.toml": f"name = {TEXT}",
        "sequences/evil.toml": SEQUENCE,
        "sequences/broken.toml": f"{TEXT} = 1",
        "presets/innodb/broken.cnf": f"[{TEXT}\n{TEXT}\n",
    }
    for name, text in texts.items():
        (dyno_home / name).parent.mkdir(parents=True, exist_ok=True)
        (dyno_home / name).write_text(text)
    files = {
        "TARBALL": ("mysql-8.0.40-linux.tar.gz", "not looked into"),
        "SQL": ("evil.sql", SQL),
        "CSV": ("evil.csv", f"workload,threads,unit,value,contender\nx{MARKUP},1,queries/s,5,c{TEXT}\n"),
        "BROKEN": (
            "broken.csv",
            f"# author: {TEXT}\n# date: {TEXT}\nsession,step,unit,value\nx,y,z,{NAME}\n",
        ),
    }
    for name, text in files.values():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return dyno_home


def words_in(words: list[str], folder: Path) -> list[str]:
    paths = {
        "TARBALL": "mysql-8.0.40-linux.tar.gz", "SQL": "evil.sql", "CSV": "evil.csv", "BROKEN": "broken.csv",
        "ZIP": "session.zip", "SB": "sb.evil",
    }  # fmt: skip
    return [str(folder / paths[word]) if word in paths else word for word in words]


def test_every_verb_is_here() -> None:
    assert sorted([*COMMANDS, "help"]) == sorted(verbs(WHOLE))


def test_nothing_that_others_wrote_does_anything(
    hostile_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And all of it is seen as it was written."""
    wrong = []
    for command, ways in COMMANDS.items():
        for words, is_shown in ways:
            asked = [*command.split(), *words_in(words, tmp_path)]
            code = main(asked)
            said = capsys.readouterr()
            text = said.out + said.err
            problems = finds(text)
            if "did not expect" in text or (code == 0 and said.err):
                problems.append(said.err)
            if is_shown and not ("ev[il]" in text and "[/x]" in text):
                problems.append(f"what others wrote is not there: {text[:2000]}")
            wrong += [f"{asked}: {each}" for each in problems]
    assert not wrong, "\n".join(wrong)
    assert not finds((tmp_path / "REPORT.md").read_text())


def test_json_says_what_was_written(hostile_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", "show", IDS[0], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == f"innodb-default-1{TEXT}"


def test_names_are_no_markup_in_the_line_that_changes(
    hostile_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal for rich
    monkeypatch.setenv("TERM", "xterm")
    assert main(["follow"]) == 1  # a step has failed
    said = capsys.readouterr().out
    assert "\x1b[" in said and not {"\x07", "\x9b", "\u202e"} & set(said)
    assert "[/x] [red]ev[il] :smile:" in said
