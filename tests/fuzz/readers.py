"""The readers of what comes from elsewhere, each with damaged input: it is read, or refused in one line."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from app.agent.profiling.callgrind_dump import CallgrindDump
from app.catalog import Catalog
from app.catalog.custom_sql import custom_sql_problems
from app.catalog.mydbtest import mydbtest_to_sql
from app.catalog.sequence import sequence_of
from app.catalog.workload import workload_of
from app.comparison.answers.claims_file import read_claims
from app.core.errors import DynoError
from app.core.settings import read_settings
from app.core.toml_text import read_document
from app.following.frames import FollowStreamSplitter
from app.history.exchange.exporting import export
from app.history.exchange.importing import import_session
from app.history.recorded.writing import JournalStorer
from app.history.store.decoding import decode_events
from app.history.store.history import History
from app.imported.outputs import read_output
from app.imported.session import foreign_journal_of
from app.imported.table import read_foreign_sessions
from app.planner.checks.checks import check_plan
from app.planner.checks.parity import check_contender_parity
from app.planner.estimate.estimate import estimate
from app.planner.request.plan_file import plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.protocol.answers import RehearsalResult, Survey, to_json
from app.protocol.stacks import pack, unpack
from app.remote.agent import RemoteAgent
from app.remote.connection import CommandResult
from app.targets.server_address import parse_server_url
from app.targets.servers import NamedServer, Servers
from app.targets.store import Targets
from app.team.answers import announcement_from_row, checked, edit_from_row
from app.team.edit_text import edit_text
from app.team.edits import check_team_edit
from app.variables.mycnf import parse_preset
from app.variables.render import MachineSize, option_values, render
from tests import journals, plans
from tests.existing import PROD
from tests.fakes import FakeExistingServer, ScriptedConnection
from tests.fuzz.inputs import files, line_of, values

from . import reading

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Reader:
    """What is given to it, and what it does with it; DynoError is an answer."""

    inputs: st.SearchStrategy[Any]
    read: Callable[[Any], object]

    def try_(self, given: Any) -> None:
        """Raises where the input was neither read nor refused in one line."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                self.read(given)
            except DynoError as error:
                if len(str(error).splitlines()) > 1:
                    raise AssertionError(f"an error of several lines: {error!r}") from error


def seeds(folder: str, pattern: str) -> list[bytes]:
    found = [path.read_bytes() for path in sorted((ROOT / folder).rglob(pattern))]
    assert found, f"no {pattern} below {folder}"
    return found


@lru_cache(maxsize=1)
def room() -> Path:
    """A folder for the files that readers want; gone with the machine's temporary files."""
    return Path(tempfile.mkdtemp(prefix="dyno-fuzz-"))


def file_with(content: bytes, name: str) -> Path:
    path = room() / name
    path.write_bytes(content)
    return path


def decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


# journals and frames


@lru_cache(maxsize=1)
def intact_home() -> Path:
    return reading.home_with_intact(room() / "intact")


def made_journal() -> list[Any]:
    return [json.loads(line) for line in journals.whole(reading.ITS_PLAN, failed=2).raw.splitlines()]


@st.composite
def journal_inputs(draw: st.DrawFn) -> bytes:
    """Events with damages that the gate lets through, so that what is stored is as odd as it can be."""
    events = made_journal()
    for at in draw(st.lists(st.integers(0, len(events) - 1), max_size=12)):
        changed = draw(values([events[at]], most=6))
        try:
            decode_events(line_of(changed))
        except ValueError:
            if draw(st.integers(0, 9)):
                continue
        events[at] = changed
    return b"".join(map(line_of, events))


def read_journal(raw: bytes) -> None:
    session = reading.ITS_PLAN.turns[0].session
    found = reading.complaints(intact_home(), room() / "home", session, raw)
    assert not found, found


def whole_frames() -> list[bytes]:
    raw = journals.whole(reading.ITS_PLAN).raw[:4000]
    head = line_of({"session": "S" * 26, "offset": 0, "bytes": len(raw)})
    beat = line_of({"beat": 1, "at": 1.5, "locked": True})
    return [beat + head + raw + beat + line_of({"end": True}), beat * 3, b"welcome\n" + beat]


def read_frames(raw: bytes) -> None:
    frames = FollowStreamSplitter()
    for at in range(0, len(raw), 700):
        list(frames.feed(raw[at : at + 700]))


# answers


def answers() -> list[Any]:
    told = {"plan": "P" * 26, "name": "n", "agent": "f0", "locked": True}
    session = {"session": "S" * 26, "size": 1, "ended": False}
    check = {"name": "options", "state": "pass", "text": "t", "todo": "", "contender": "c"}
    snapshot = {
        "key": "k", "problem": "", "made_at": 1.0, "session": "S", "size_bytes": 1, "tables": 1, "rows": 1,
        "contender": {"build": "b"}, "load_method": "ordered",
    }  # fmt: skip
    waiting = {
        "plan": "P" * 26, "name": "n", "sha256": "0" * 64, "agent": "f0", "sessions": 1, "at": 1.0, "held": ""
    }  # fmt: skip
    return [
        ["survey", plans.surveyed(snapshots=[snapshot], topology=[[[0, 1]]])],
        ["list", {"plans": [{**told, "sessions": [session]}]}],
        ["check", {"checks": [{**check, "answers": [{"state": "x", "option": "o", "text": "t"}]}]}],
        ["rehearse", {"checks": [check], "variables": {"innodb_io_capacity": "200"}, "compression": "x"}],
        ["ask", {"checks": [{**check, "answers": [{"state": "x", "option": "o", "text": "t"}]}]}],
        ["options", {"options": {"/usr/sbin/mysqld": ["innodb_io_capacity"]}}],
        ["snapshots", {"snapshots": [snapshot]}],
        ["status", {"locked": True, "plan": None, "pid": 1}],
        ["queue", {"plans": [waiting], "held": "t", "at_work": "t", "now": 1.0}],
        ["clean", {"removed": ["x"]}],
        ["reach-server", to_json(FakeExistingServer().found)],
    ]


def read_answer(said: Any) -> None:
    verb, answer = said
    there = CommandResult(0, b'{"directory": "/d", "there": true}\n', b"")
    agent = RemoteAgent(ScriptedConnection(there, CommandResult(0, line_of(answer), b"")), "~/dyno")
    if verb == "check":
        agent.check("0" * 64)
    elif verb == "ask":
        agent.ask("0" * 64)
    elif verb == "rehearse":
        _compare_in_force(agent.rehearse("0" * 64, 0))
    elif verb == "reach-server":
        found = PROD.as_found(agent.reach_server(PROD.asked("x")), 1.0)
        Servers(room()).keep(found)
        assert Servers(room()).all() == [found] and set(option_values_of(found)) <= {"sync_binlog"}
    else:
        found = getattr(agent, verb)()
        if verb == "survey":
            _use(found)


def option_values_of(server: NamedServer) -> dict[str, str]:
    """As the history reads the settings of a contender."""
    return option_values("\n".join(("[mysqld]", *server.found_settings)))


def _use(survey: Survey) -> None:
    """As the Bench page and `dyno run` do."""
    from app.cli import target

    target._show("far", survey)
    plan = resolve(plans.request(), survey, Catalog())
    check_plan(plan, survey, estimate(plan, survey))


def _compare_in_force(found: RehearsalResult) -> None:
    """As a launch does it with an answer beside another one."""
    survey = plans.survey()
    plan = resolve(plans.request("mysql-5.6.24:innodb", "mysql-9.7.4:innodb"), survey, Catalog())
    sizes = estimate(plan, survey).contenders
    check_contender_parity(
        plan.contenders, sizes, [found, RehearsalResult([], {"innodb_io_capacity": "1", "a": "1"})]
    )


@st.composite
def answer_inputs(draw: st.DrawFn) -> Any:
    verb, answer = draw(st.sampled_from(answers()))
    return [verb, draw(values([answer], most=5))]


# files of people


def read_plan(content: bytes) -> None:
    request = plan_request_of_text(decoded(content), "plan.toml")
    resolve(request, plans.survey(), Catalog())


def read_preset(content: bytes) -> None:
    preset = parse_preset(decoded(content), "x", "innodb", "x.cnf", shipped=False)
    for family, version in (("MariaDB", plans.VERSION), ("MySQL", "5.6.24"), ("FB MySQL", "8.0")):
        render(preset, family, version, MachineSize(16 << 30, 4))


def read_workload(content: bytes) -> None:
    workload_of(read_document(decoded(content), "x.toml"), "x", False, "x.toml")


def read_sequence(content: bytes) -> None:
    sequence = sequence_of(read_document(decoded(content), "x.toml"), "x", False, "x.toml")
    str(sequence)


def named_x(found: list[bytes]) -> list[bytes]:
    """Files say their own name in the line `name = `."""
    return [b'name = "x"\n' + content.split(b"\n", 1)[1] for content in found if content[:4] == b"name"]


def read_sql(content: bytes) -> None:
    for kind in ("drive", "load"):
        custom_sql_problems(decoded(content), kind)


MYDBTEST = (
    b"option name mysql_test loop 25000 user u/p@1.2.3.4:3306:db declare a int 1 1000; b char 10 20; begin\n"
    b"select * from t1 where id = :a;\nupdate t1 set c = :b where id = :a;\nend\n"
)


def read_mydbtest(content: bytes) -> None:
    mydbtest_to_sql(decoded(content), "x")


def read_csv(content: bytes) -> None:
    for session in read_foreign_sessions(file_with(content, "x.csv")):
        decode_events(foreign_journal_of(session).raw)


def read_sysbench(content: bytes) -> None:
    session = read_output(file_with(content, "x.txt"))
    decode_events(foreign_journal_of(session).raw)


@lru_cache(maxsize=1)
def exported() -> bytes:
    maker = journals.whole(reading.ITS_PLAN)
    with History(room() / "exporting") as history:
        JournalStorer(history).append(reading.ITS_PLAN.id, maker.session, 0, maker.raw)
        return export(history, maker.session, room() / "whole.zip").read_bytes()


@st.composite
def zip_inputs(draw: st.DrawFn) -> bytes:
    """The bytes of an archive damaged, or one of its members, packed anew."""
    if draw(st.booleans()):
        return draw(files([exported()]))
    with zipfile.ZipFile(io.BytesIO(exported())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw(st.sampled_from(sorted(members)))
    if name != "journal.jsonl" and draw(st.booleans()):
        members[name] = line_of(draw(values([json.loads(members[name])])))
    else:
        members[name] = draw(files([members[name]]))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return packed.getvalue()


def read_zip(content: bytes) -> None:
    shutil.rmtree(room() / "importing", ignore_errors=True)
    with History(room() / "importing") as history:
        import_session(history, file_with(content, "x.zip"))


SETTINGS = b'appearance = "dark"\nmatters_pct = 2.0\nfalse_pct = 5.0\n'
SERVERS = (
    b'[prod]\nhost = "db.example"\nport = 3307\nschema = "bench"\nuser = "dyno"\nconfirmed = true\n'
    b'settings = ["sync_binlog"]\nfound_settings = ["sync_binlog=1"]\nprice = "0.52 USD"\nfound_at = 1.5\n'
    b'\n[own]\nhost = "::1"\nschema = "x"\nuser = "a@b"\ntls = false\nengines = ["innodb"]\n'
)
TARGETS = (
    b'[far]\nhost = "far.lan"\nuser = "me"\nport = 22\ndirectories = ["/data/dyno"]\n'
    b'search_paths = ["/opt/*"]\n'
)


CLAIMS = b"# c\nload: a < 0.6 x b\ngroup read: a:b:c > 1.5 b\nscan threads=4: a > b\n"


def read_claims_file(content: bytes) -> None:
    for claim in read_claims(file_with(content, "claims.txt")):
        assert claim.factor > 0 and claim.text_of(claim.step).isprintable()


def read_settings_toml(content: bytes) -> None:
    file_with(content, "settings.toml")
    read_settings(room())


def read_targets_toml(content: bytes) -> None:
    file_with(content, "targets.toml")
    Targets(room()).all()


def read_servers_toml(content: bytes) -> None:
    file_with(content, "servers.toml")
    for server in Servers(room()).all():
        assert parse_server_url(server.name, server.url).place == server.place


PLAN_TOML = (
    b'name = "x"\ntarget = "local"\nsequence = "duel"\ntables = 2\nrows = 1000\nseconds = 5\n'
    b"threads = [1, 2]\n"
    + b'[[contender]]\nbuild = "%s"\nengine = "innodb"\npreset = "baseline"\ncores = "0-1"\n'
    % plans.MARIADB.encode()
)

TEAM_EDIT = ["A" * 26, 1, 1, 1.7e9, "Anna", "S" * 26, "cut", "1", '[2, 20, "the disk was full"]', "", 0]
TEAM_SESSION = ["S" * 26, "P" * 26, "A" * 26, 1, "Anna", 5000, -1]


def read_team(row: Any) -> None:
    """A row of a team's server, as it may answer it."""
    if isinstance(row, list) and len(row) == len(TEAM_EDIT):
        for found in checked(edit_from_row, [row]):
            edit_text(check_team_edit(found))
    else:
        checked(announcement_from_row, [row])


def read_callgrind(content: bytes) -> None:
    """The agent takes a ValueError as a reason for no stacks."""
    try:
        folded, _ = CallgrindDump(decoded(content).splitlines()).folded()
    except ValueError as error:
        raise DynoError(str(error)) from None
    unpack(pack(folded)[0])


READERS: Mapping[str, Reader] = {
    "journals": Reader(journal_inputs(), read_journal),
    "frames": Reader(files(whole_frames()), read_frames),
    "answers": Reader(answer_inputs(), read_answer),
    "plan": Reader(files([PLAN_TOML]), read_plan),
    "preset": Reader(files(seeds("cnf_presets", "*.cnf")), read_preset),
    "workload": Reader(files(named_x(seeds("workloads", "*.toml"))), read_workload),
    "sequence": Reader(files(named_x(seeds("workloads/sequences", "*.toml"))), read_sequence),
    "sql": Reader(files(seeds("workloads", "*.sql")), read_sql),
    "mydbtest": Reader(files([MYDBTEST]), read_mydbtest),
    "csv": Reader(files([each[:3000] for each in seeds("resources/published", "*.csv")]), read_csv),
    "sysbench": Reader(files(seeds("tests/data/sysbench", "*.txt")), read_sysbench),
    "exports": Reader(zip_inputs(), read_zip),
    "claims": Reader(files([CLAIMS]), read_claims_file),
    "settings": Reader(files([SETTINGS]), read_settings_toml),
    "targets": Reader(files([TARGETS]), read_targets_toml),
    "servers": Reader(files([SERVERS]), read_servers_toml),
    "callgrind": Reader(files(seeds("tests/data", "callgrind_dump")), read_callgrind),
    "team": Reader(values([TEAM_EDIT, TEAM_SESSION]), read_team),
}
