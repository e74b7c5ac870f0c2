"""Servers that run already as contenders: how they are asked for, what they become, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.checks.checks import check_plan
from app.planner.checks.existing import LookedAtServers
from app.planner.checks.parity import check_contender_parity
from app.planner.estimate.estimate import estimate
from app.planner.kinds.canary import CANARY_S, estimated_with_canary
from app.planner.kinds.chosen import sliced_or_interleaved
from app.planner.request.command_line import command_line
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.choices import lacking
from app.planner.starting.draft import Draft, carried_over, names_of
from app.planner.starting.launch import (
    CHECKED,
    STARTED,
    CheckInputFirst,
    Launch,
    LaunchStage,
    QueueInstead,
)
from app.protocol.answers import FAIL, INFO, WARN, Check, RehearsalResult
from app.protocol.machine_checks import IN_USE_TODO, WITH_QUEUE
from app.protocol.plan import Plan
from app.remote.secrets import NO_PASSWORDS, PASSWORD_FILE, forget_secrets
from app.targets.server_login import LoggedInServer
from app.targets.servers import NamedServer, Servers
from tests.fakes import CERTIFICATE, PASSWORD, FakeExistingServer, ScriptedAgent
from tests.plans import MARIADB, plan, request, survey, unresolved, write

PROD = NamedServer("prod", "db.example", 3306, "bench", "dyno", CERTIFICATE, confirmed=True, max_queries=500)
READS = ("load", "index", "point-query", "read-only.range100")  # of the sequence quick, with what they need


def keep(*servers: NamedServer) -> None:
    for each in servers:
        Servers().keep(each.as_found(FakeExistingServer().found, 5.0))


@pytest.fixture(autouse=True)
def kept_servers() -> None:
    keep(
        PROD,
        replace(PROD, name="other", schema="second", settings=["sync_binlog"]),
        replace(PROD, name="replica", host="replica.example"),
        NamedServer("own", "localhost", 3306, "bench", "dyno", tls=False),
        NamedServer("own-too", "127.0.0.1", 3306, "bench", "dyno", tls=False),
    )


def checks_of(made: Plan) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in check_plan(made, survey(), estimate(made, survey())):
        found.setdefault(each.name, []).append(each.text)
    return found


# how they are asked for


@pytest.mark.parametrize(
    ("text", "server", "engine"),
    [("@prod", "prod", ""), ("@prod:innodb", "prod", "innodb"), ("@a.b-1:InnoDB", "a.b-1", "innodb")],
)
def test_a_server_is_typed_with_an_at_sign(text: str, server: str, engine: str) -> None:
    asked = ContenderRequest.from_text(text)
    assert (asked.server, asked.engine, asked.build, asked.preset) == (server, engine, "", "")
    assert asked.problem() == ("", "") and ContenderRequest.from_text(asked.text) == asked


@pytest.mark.parametrize("text", ["@", "@:innodb", "@prod:", "@prod:innodb:baseline", "@a:b:c"])
def test_a_server_has_no_preset(text: str) -> None:
    with pytest.raises(InputError, match="must be @SERVER or @SERVER:ENGINE, not "):
        ContenderRequest.from_text(text)


def test_a_plan_file_names_a_server() -> None:
    text = 'sequence = "duel"\n[[contender]]\nserver = "prod"\n[[contender]]\nserver = "replica"\n'
    text += 'engine = "innodb"\nname = "second"\ntable_options = "ROW_FORMAT=DYNAMIC"\n'
    found = plan_request_of_text(text)
    assert [each.text for each in found.contenders] == ["@prod", "@replica:innodb"]
    assert plan_request_of_text(plan_file_text(found)) == found
    assert 'server = "prod"' in command_line(found)
    assert "--contender @prod --contender @replica:innodb" in command_line(
        request("@prod", "@replica:innodb")
    )


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('build = "x"', "build"),
        ('preset = "baseline"', "preset"),
        ('preset = "mine"\nsettings = "sync_binlog=1"', "preset"),
        ('cores = "0-1"', "cores"),
        ('allocator = "jemalloc"', "allocator"),
        ('numa = "interleave=all"', "numa"),
        ('memory_limit = "4G"', "memory_limit"),
        ('settings = "sync_binlog=1"', "settings"),
        ('based_on = "x"', "based_on"),
    ],
)
def test_what_only_builds_have_is_refused_with_its_line(line: str, key: str) -> None:
    text = f'sequence = "duel"\n[[contender]]\nserver = "prod"\n{line}\n'
    with pytest.raises(InputError) as caught:
        plan_request_of_text(text)
    said = f"{key} is not for a server that runs already, which Dyno does not start: leave it out"
    assert said in str(caught.value) and "line 4" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('engine = "innodb"', "build is missing"),
        ('build = "x"', "engine is missing"),
        ('server = "Prod; x"', "server must be a name of dyno server list, not 'Prod; x'"),
        ("server = 1", "server must be a text"),
    ],
)
def test_a_contender_is_a_build_or_a_server(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan_request_of_text(f'sequence = "duel"\n[[contender]]\n{text}\n')


def test_options_for_all_servers_are_not_for_those_that_run() -> None:
    asked = ContenderRequest.from_text("@prod")
    with pytest.raises(InputError, match="contender @prod: cores is not for a server that runs already"):
        request().with_options(contenders=(replace(asked, cores="0-1"),))


# what they become


def test_the_contender_of_a_server_has_its_address_and_no_build() -> None:
    made = plan("@prod", "@other:myisam")
    first, second = made.contenders
    assert first.is_existing and (first.build, first.engine) == ("prod", "innodb")  # its default
    assert (first.host, first.port, first.schema, first.user) == ("db.example", 3306, "bench", "dyno")
    assert (first.certificate, first.max_queries) == (CERTIFICATE, 500)
    assert (first.family, first.version) == ("MySQL", "8.0.36")
    assert not any((first.base, first.server, first.preset, first.fingerprint, first.cnf, first.cores))
    assert second.cnf == "[mysqld]\nsync_binlog=1\n" and second.engine == "myisam" and first.key != second.key
    assert [each.name for each in made.contenders] == ["prod-innodb", "other-myisam"]
    assert not any(name.startswith("presets/") for name in made.files)
    assert Plan.from_json(made.to_json()) == made


def test_servers_and_builds_are_contenders_of_one_plan() -> None:
    made = plan("@prod", f"{MARIADB}:innodb", f"{MARIADB}:innodb:stock")
    assert [each.name for each in made.contenders] == [
        "prod-innodb", f"{MARIADB}-innodb-baseline", f"{MARIADB}-innodb-stock",
    ]  # fmt: skip
    assert [each.is_existing for each in made.contenders] == [True, False, False]
    assert len(made.started_contenders) == 2


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (("@nobody",), "no server 'nobody': choose one of other, own, own-too, prod, replica, or add it"),
        (("@prd",), "(did you mean prod?)"),
        (("@prod:rocksdb",), "server prod lacks the engine rocksdb; it has innodb, memory, myisam"),
        (("@prod:inodb",), "(did you mean innodb?)"),
        (("@prod", "@prod"), "differ only in their names"),
    ],
)
def test_servers_that_cannot_be_contenders(texts: tuple[str, ...], says: str) -> None:
    assert says in unresolved(*texts)


def changed(path: str) -> ContenderRequest:
    return replace(ContenderRequest.of_server("own"), change_by=path)


def test_a_server_is_compared_with_itself_after_a_change() -> None:
    asked = (ContenderRequest.of_server("own"), changed("/srv/flush-2.sh"), changed("/srv/pool.sh"))
    made = resolve(replace(request("@own"), contenders=asked), survey(), Catalog())
    own, flush, pool = made.contenders
    assert [each.name for each in made.contenders] == ["own-innodb", "own-innodb-flush-2", "own-innodb-pool"]
    assert len({own.key, flush.key, pool.key}) == 3
    assert ContenderRequest.of(flush, "").change_by == "/srv/flush-2.sh"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            changed("flush.sh"),
            "must be the path of a program on the target, without arguments, not 'flush.sh'",
        ),
        (changed("/srv/flush.sh 2"), "without arguments, not '/srv/flush.sh 2'"),
        (changed("/srv/x;reboot"), "without arguments"),
        (
            ContenderRequest(MARIADB, "innodb", change_by="/srv/x"),
            "is only for a server that runs already: a build has presets",
        ),
    ],
)
def test_what_cannot_make_a_change(asked: ContenderRequest, says: str) -> None:
    key, why = asked.problem()
    assert key == "change_by" and says in why


def test_a_draft_keeps_servers_and_their_names() -> None:
    wanted = request("@prod", "@replica:innodb", f"{MARIADB}:innodb")
    assert names_of(wanted) == ["prod", "replica-innodb", f"{MARIADB}-innodb"]
    wanted = replace(wanted, repeats=3)  # by hand
    carried = carried_over(Draft(wanted), survey(builds=[]), "nuc")
    assert [each.text for each in carried.request.contenders] == ["@prod", "@replica:innodb"]


def test_a_server_that_nobody_looked_at_is_refused() -> None:
    Servers().keep(replace(PROD, name="new"))
    assert unresolved("@new") == "server new is not looked at yet: dyno server show new"
    keep(replace(PROD, name="far", target="nuc"))
    assert "server far is driven by nuc, not by local: choose this target" in unresolved("@far")
    found = replace(FakeExistingServer().found, default_engine="")
    Servers().keep(replace(PROD, name="odd").as_found(found, 1.0))
    assert "server odd names no engine; it has innodb" in unresolved("@odd")


def test_what_a_draft_lacks() -> None:
    wanted = request("@nobody", "@prod")
    (said,) = lacking(wanted, survey(), Catalog())
    assert said.startswith("no server 'nobody'") and said.endswith("or add it on the Bench page")
    assert not lacking(request("@prod"), survey(), Catalog())


# what is refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"start": "snapshot"}, "and Dyno does not start it: leave start out"),
        ({"start": "restarted"}, "leave start out"),
        ({"instruments": "waits"}, "and Dyno sets none of its instruments: leave instruments out"),
        ({"transport": "loopback"}, "leave transport out"),
        ({"transport": "socket"}, "leave transport out"),
        ({"load": ("c1",), "load_address": "10.0.0.5"}, "and only the target drives it: leave load out"),
        ({"cores": (2,)}, "leave cores out"),
        ({"cpus": "own"}, "leave cpus out"),
        ({"vary": "innodb_spin_wait_delay=6,96"}, "and Dyno sets none of its variables: leave vary out"),
        ({"profile": ("insert",)}, "leave profile out"),
        ({"rows": "3x memory"}, "its memory is not known: give a number of rows, not 3x memory"),
        ({"order": "slices"}, "the order slices cannot mix builds and servers that run already"),
    ],
)
def test_options_that_need_a_server_of_dyno(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        plan("@prod", f"{MARIADB}:innodb", **options)
    assert says in str(caught.value) and "\n" not in str(caught.value) and caught.value.field


STEP = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "index"\n'
ROLES = '[[step.role]]\nname = "reader"\nworkload = "point-query"\n'


@pytest.mark.parametrize(
    ("sequence", "says"),
    [
        (
            '[[step]]\nkind = "restart"\n',
            "step restart is of kind restart, which needs a server that Dyno starts",
        ),
        (f'[[step]]\nkind = "kill"\nname = "crash"\nseconds = 5\n{ROLES}', "step crash is of kind kill"),
        (
            f'[[step]]\nkind = "power-cut"\nname = "cut"\nseconds = 5\n{ROLES}',
            "step cut is of kind power-cut",
        ),
        (f'[[step]]\nkind = "backup"\nname = "copy"\nseconds = 5\n{ROLES}', "step copy is of kind backup"),
        (
            '[[step]]\nkind = "ddl"\nname = "alter"\nseconds = 5\nstatement = "ALTER TABLE {table} FORCE"\n'
            + ROLES,
            "step alter is of kind ddl",
        ),
        ('[[step]]\nworkload = "point-query"\ncount = 100\n', "step point-query is of kind count"),
        (
            '[[step]]\nworkload = "point-query"\n[[step.variation]]\nname = "x"\n'
            "variables = {sync_binlog = 1}\n",
            "step point-query sets variables of the server",
        ),
        (
            '[[step]]\nworkload = "point-query"\n[[step.variation]]\nname = "x"\n'
            "restart_with = {sync_binlog = 1}\n",
            "starts the server anew",
        ),
        ('[[step]]\nworkload = "point-query"\nprofile = true\n', "samples the stacks of the server"),
    ],
)
def test_steps_that_need_a_server_of_dyno(dyno_home: Path, sequence: str, says: str) -> None:
    text = f'name = "mine"\ntitle = "Mine"\n{STEP}{sequence}'
    write(dyno_home / "sequences" / "mine.toml", text)
    assert says in unresolved("@prod", sequence="mine")
    if "count" not in says:
        assert plan(f"{MARIADB}:innodb", sequence="mine").steps


def test_steps_have_no_core_sets(dyno_home: Path) -> None:
    text = f'name = "mine"\ntitle = "Mine"\n{STEP}[[step]]\nworkload = "point-query"\ncores = [1]\n'
    write(dyno_home / "sequences" / "mine.toml", text)
    known = survey(topology=[[[0, 2], [1, 3]]])
    with pytest.raises(InputError, match="step point-query sets the CPUs of the server"):
        resolve(request("@prod", sequence="mine"), known, Catalog())


def test_steps_that_search_a_limit_are_allowed(dyno_home: Path) -> None:
    text = f'name = "mine"\ntitle = "Mine"\n{STEP}[[step]]\nworkload = "point-query"\nlimit_ms = 5\n'
    write(dyno_home / "sequences" / "mine.toml", text)
    assert plan("@prod", sequence="mine").steps[-1].kind == "limit"
    write(dyno_home / "sequences" / "mine.toml", text.replace('"Mine"', '"Mine"\ntransport = "loopback"'))
    assert "choose a sequence without transport, not mine" in unresolved("@prod", sequence="mine")
    write(dyno_home / "sequences" / "mine.toml", text.replace('"Mine"', '"Mine"\nrows = "2x memory"'))
    assert "give a number of rows, not 2x memory" in unresolved("@prod", sequence="mine")


def test_lua_of_a_person_is_not_sent_to_a_server_that_runs(dyno_home: Path) -> None:
    about = 'title = "Mine"\nkind = "drive"\nwrites = false\n'
    write(dyno_home / "workloads" / "mine.toml", f'name = "mine"\nlua = "mine.lua"\n{about}')
    write(dyno_home / "workloads" / "mine.lua", "function event() end\n")
    write(
        dyno_home / "sequences" / "mine.toml",
        f'name = "mine"\ntitle = "M"\n{STEP}[[step]]\nworkload = "mine"\n',
    )
    with pytest.raises(InputError, match="approve"):
        plan("@prod", sequence="mine")
    with pytest.raises(InputError, match="workload mine has Lua that does not come with Dyno"):
        approved_plan("@prod")
    assert approved_plan(f"{MARIADB}:innodb").steps


def approved_plan(*texts: str) -> Plan:
    from app.planner.resolve.resolve import resolve_before_approval

    return resolve_before_approval(request(*texts, sequence="mine"), survey(), Catalog())[0]


@pytest.mark.parametrize("name", ["other.t", "mine.people"])
def test_custom_sql_stays_in_its_schema(dyno_home: Path, name: str) -> None:
    sql = "begin\n  select c from {} where id = 1;\nend\n"
    write(dyno_home / "workloads" / "mine.sql", sql.format("sbtest1"))
    write(
        dyno_home / "workloads" / "mine.toml",
        'name = "mine"\ntitle = "M"\nkind = "drive"\nsql = "mine.sql"\n',
    )
    write(
        dyno_home / "sequences" / "mine.toml",
        f'name = "mine"\ntitle = "M"\n{STEP}[[step]]\nworkload = "mine"\n',
    )
    assert plan("@prod", sequence="mine").contenders[0].is_existing
    write(dyno_home / "workloads" / "mine.sql", sql.format(name))
    assert f"the SQL of mine names {name}, which may be in another schema" in unresolved(
        "@prod", sequence="mine"
    )


# slices


def test_two_schemas_of_one_server_alternate_within_steps_that_only_read() -> None:
    made = plan("@prod", "@other", order="slices", sequence="quick", steps=READS)
    assert {each.name for each in made.steps if each.sliced} == {*READS[2:]}
    assert all(map(made.shares_server, made.contenders))
    said = unresolved("@prod", "@other", order="slices")
    assert "2 contenders are on db.example port 3306, and what step update-index of one leaves is" in said
    apart = plan("@prod", "@replica", order="slices")
    assert apart.order == "slices" and not any(map(apart.shares_server, apart.contenders))
    found, why = sliced_or_interleaved(request("@prod", "@other"), survey(), Catalog())
    assert found.order == "interleaved" and "are on db.example port 3306" in why


def test_one_schema_and_a_change_of_the_server_are_of_one_contender_at_a_time() -> None:
    reading = {"order": "slices", "sequence": "quick", "steps": READS}
    assert "only one at a time can use a schema" in unresolved("@own", "@own-too", **reading)
    asked = request("@prod", "@other", **reading)
    changed = replace(asked.contenders[1], change_by="/bin/true")
    asked = replace(asked, contenders=[asked.contenders[0], changed])
    with pytest.raises(InputError, match="a change of one changes the others too: choose the order inter"):
        resolve(asked, survey(), Catalog())


@pytest.mark.parametrize(("order", "said"), [("slices", True), ("interleaved", False)])
def test_one_server_by_two_addresses_is_suspected_where_that_matters(order: str, said: bool) -> None:
    found = FakeExistingServer(called="db1:3306 with server_id 1").found
    servers = [LoggedInServer(Servers().get(name), found, "") for name in ("prod", "other", "replica")]
    made = plan("@prod", "@replica", order=order, sequence="quick", steps=READS)
    texts = [each.text for each in LookedAtServers(servers).checks(made) if each.state == WARN]
    assert texts == ["prod and replica may be one server: each calls itself db1:3306 with server_id 1"] * said
    shared = plan("@prod", "@other", order=order, sequence="quick", steps=READS)
    assert [each for each in LookedAtServers(servers).checks(shared) if each.state == WARN] == []


# checks and estimate


def test_nothing_is_estimated_or_checked_of_a_machine_that_is_not_known() -> None:
    made = plan("@prod", "@replica", repeats=3)
    found = estimate(made, survey())
    assert found.contenders == [] and found.noise is None
    assert found.disk_text.endswith("the data lie on the servers") and found.seconds > 0
    checks = checks_of(made)
    assert "disk" not in checks and "build" not in checks and "cpus" not in checks
    assert checks["memory"][0].endswith("GiB available") and "for the clients" in checks["memory"][0]
    assert checks["repeats"] == [
        "which difference 3 of each find is not known here yet: the first plan will tell"
    ]
    mixed = checks_of(plan("@prod", f"{MARIADB}:innodb"))
    assert "disk" in mixed and "and its clients" in mixed["memory"][0]


def test_a_server_is_its_own_canary_unless_its_rate_is_bounded() -> None:
    made = plan("@own", "@prod", f"{MARIADB}:innodb", seconds=600, repeats=2)
    made, found = estimated_with_canary(made, survey())
    own, bounded, build = made.contenders
    assert made.canary_of(own) == own and made.canary_of(bounded) is None
    assert (small := made.canary_of(build)) and (small.name, small.build) == ("canary", MARIADB)
    assert found.canary_s == CANARY_S * 4
    assert estimated_with_canary(plan("@prod", seconds=600), survey())[0].canary == []


def test_settings_in_force_are_compared_where_a_server_shows_them() -> None:
    made = plan("@prod", f"{MARIADB}:innodb", "@replica")
    shown = {"sync_binlog": "1", "log_bin": "ON", "innodb_flush_log_at_trx_commit": "1"}
    found = [
        RehearsalResult([], {**shown, "innodb_flush_log_at_trx_commit": "2"}),
        RehearsalResult([], shown, "", "", "/lib/libjemalloc.so"),
        RehearsalResult([]),
    ]
    sizes = estimate(made, survey()).contenders
    texts = [each.text for each in check_contender_parity(made.contenders, sizes, found)]
    assert any("prod-innodb" in each and f"{MARIADB}-innodb" in each for each in texts)
    assert not any("replica" in each or "allocator" in each or "cores" in each for each in texts)


# launch


@pytest.fixture
def login_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password-of-servers"
    file.write_text(PASSWORD)
    file.chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(file))
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()


def launch(agent: ScriptedAgent, *texts: str, later: QueueInstead | None = None) -> LaunchStage:
    wanted = request(*texts)
    return list(Launch(lambda _: wanted, agent.reached(), later=later).stages())[-1]


def test_a_launch_looks_at_each_server_and_sends_passwords_along(login_file: None) -> None:
    agent = ScriptedAgent()
    agent.running = FakeExistingServer(version="8.0.37", settings={"sync_binlog": "0"})
    stage = launch(agent, "@prod", "@other", f"{MARIADB}:innodb")
    assert stage.name == STARTED and stage.plan and not stage.failed
    assert agent.asked[:5] == ["reach", "survey", "reach dyno@db.example", "reach dyno@db.example", "upload"]
    made = stage.plan.contenders
    assert [each.version for each in made[:2]] == ["8.0.37", "8.0.37"] and made[
        1
    ].cnf == "[mysqld]\nsync_binlog=0\n"
    sent: Mapping[str, str] = {"prod-innodb": PASSWORD, "other-innodb": PASSWORD}
    assert agent.passwords == [sent] * 5  # the check, three rehearsals and the start
    notes = [each for each in stage.checks if each.name == "server"]
    assert {(each.state, each.contender) for each in notes} == {(INFO, "prod-innodb"), (INFO, "other-innodb")}
    assert notes[0].text == "CPU and memory of its machine"
    assert Servers().get("prod").version == "8.0.37"
    assert PASSWORD not in str(stage.plan.to_json()) and PASSWORD not in Servers().path.read_text()


def test_what_speaks_against_a_server_fails_before_anything_starts(login_file: None) -> None:
    agent = ScriptedAgent()
    agent.running = FakeExistingServer(
        problems=["the account may not create tables"], schema_state="the schema bench has tables of others"
    )
    stage = launch(agent, "@prod")
    assert [(each.name, each.text) for each in stage.failed] == [
        ("server", "the account may not create tables"),
        ("schema", "the schema bench has tables of others"),
    ]
    assert stage.name == CHECKED and "start" not in agent.asked
    assert all(each.contender == "prod-innodb" and each.todo for each in stage.failed)


def test_plain_text_beyond_loopback_is_shown(login_file: None) -> None:
    plain = replace(PROD, name="plain", certificate="", tls=False)
    keep(plain)
    agent = ScriptedAgent()
    agent.running = FakeExistingServer(certificate="", tls="")
    warned = [each for each in launch(agent, "@plain").checks if each.name == "server" and each.state == WARN]
    assert [each.text for each in warned] == [
        "passwords and rows cross the network in plain text, as you allowed"
    ]
    own = [each for each in launch(agent, "@own").checks if each.name == "server"]
    assert [each.state for each in own] == [INFO]


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (replace(PROD, confirmed=False), "which nobody has confirmed"),
        (replace(PROD, certificate=""), "is not accepted yet"),
    ],
)
def test_no_launch_without_confirmation(login_file: None, server: NamedServer, says: str) -> None:
    keep(server)
    agent = ScriptedAgent()
    with pytest.raises(InputError, match=says):
        launch(agent, "@prod")
    assert agent.asked == ["reach", "survey", "close"] and not agent.running.asked


def test_a_plan_with_servers_does_not_wait_in_a_queue(login_file: None) -> None:
    agent = ScriptedAgent()
    with pytest.raises(InputError, match="cannot wait in the queue: their passwords are kept nowhere"):
        launch(agent, "@prod", later=QueueInstead())
    assert not agent.running.asked and "queue" not in agent.asked


class AtWork(ScriptedAgent):
    """Another plan is there from the first moment on."""

    def __init__(self) -> None:
        super().__init__(taken="in use")

    def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]:
        return [Check("busy", FAIL, "in use", IN_USE_TODO)]


def todos_of_busy(wanted: PlanRequest, can_queue: bool = True) -> list[str]:
    """What a person may do then: before the plan is made, and after it."""
    known = CheckInputFirst(survey())
    how: list[dict[str, Any]] = [{"input_first": known}, {"last": CHECKED}]
    launches = [Launch(lambda _: wanted, AtWork().reached(), can_queue=can_queue, **each) for each in how]
    return [check.todo for each in launches for check in [*each.stages()][-1].failed if check.name == "busy"]


def test_the_queue_is_named_only_for_a_plan_that_may_wait_there(login_file: None) -> None:
    of_builds = request(f"{MARIADB}:innodb")
    assert todos_of_busy(of_builds) == [WITH_QUEUE[IN_USE_TODO]] * 2
    assert todos_of_busy(of_builds, can_queue=False) == [IN_USE_TODO] * 2  # dyno work, explain, bisect
    assert todos_of_busy(request("@prod")) == [IN_USE_TODO] * 2
    assert not replace(of_builds, load=("client-1",)).can_wait


def test_nobody_to_ask_for_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()
    agent = ScriptedAgent()
    with pytest.raises(InputError, match=r"needs the password of dyno@db\.example:3306") as caught:
        launch(agent, "@prod")
    assert "\n" not in str(caught.value) and FAIL not in agent.asked


def test_prices_are_part_of_the_plan_and_in_one_currency() -> None:
    keep(replace(PROD, price="0.52 USD"), replace(PROD, name="replica", host="r.example", price="2 EUR"))
    assert unresolved("@prod:innodb", "@replica:innodb") == (
        "the prices of the servers are in EUR and USD: dyno server edit NAME --price '1 EUR'"
    )
    keep(replace(PROD, name="replica", host="r.example", price="2 USD"))
    made = plan("@prod:innodb", "@replica:innodb")
    assert [each.price for each in made.contenders] == ["0.52 USD", "2 USD"]
    assert made.contenders[0].key == replace(made.contenders[0], price="9 USD").key
