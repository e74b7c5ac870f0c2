from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog
from app.core.errors import InputError
from app.variables import MachineSize, Preset, RenderedPreset, option_values, parse_preset, render
from app.variables.ownership import FORBIDDEN, NAMED, PLACED
from app.variables.render import evaluate, fill_in
from tests.plans import VERSION

GB = 1 << 30
MACHINE = MachineSize(16 * GB, 4)


def preset(text: str) -> Preset:
    return parse_preset(text, "mine", "innodb", "mine.cnf")


def rendered(text: str, family: str = "MySQL", version: str = "5.6.24") -> RenderedPreset:
    return render(preset(text), family, version, MACHINE)


def lines(text: str, family: str = "MySQL", version: str = "5.6.24") -> list[str]:
    """The options that are sent, below [mysqld]."""
    group, *options = rendered("[mysqld]\n" + text, family, version).text.splitlines()
    assert group == "[mysqld]"
    return options


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        rendered(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# reading


def test_header_lines_are_read() -> None:
    found = preset("# title: Fast\n#durability:none: nothing is safe\n# other: x\n[mysqld]\n")
    assert found.header == {"title": "Fast", "durability": "none: nothing is safe"}
    assert found.title == "Fast"
    assert preset("[mysqld]").title == "mine"


def test_options_keep_their_order_and_their_repeats() -> None:
    found = preset("[mysqld]\nplugin-load-add=a\nPlugin_Load_Add = b\n  skip-name-resolve\n")
    assert [option.text for option in found.options] == [
        "plugin_load_add=a",
        "plugin_load_add=b",
        "skip_name_resolve",
    ]
    assert [option.line for option in found.options] == [2, 3, 4]


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("a = b c ", "a", "b c"),
        ("a=b # why", "a", "b"),
        ("a='b # c' # d", "a", "'b # c'"),
        ('a="it\'s # in"', "a", '"it\'s # in"'),
        ("a=", "a", ""),
        ("a", "a", None),
        ("a # flag", "a", None),
        ("a-b-c=d-e", "a_b_c", "d-e"),
        ("a=b=c;d={e=f}", "a", "b=c;d={e=f}"),
        ("\ta\t=\tb\r", "a", "b"),
    ],
)
def test_a_line_is_read_as_a_server_reads_it(line: str, name: str, value: str | None) -> None:
    (option,) = preset(f"[mysqld]\n{line}\n").options
    assert (option.name, option.value) == (name, value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("back_log=3", "line 1: an option before the first group"),
        ("[mysqld]\n\n!include /etc/my.cnf", "line 3: !include is not allowed"),
        ("!includedir /etc/mysql", "line 1: !includedir is not allowed"),
        ("[mysqld", r"line 1: [mysqld is not a group"),
        ("[]", "line 1: [] is not a group"),
        ("[mysqld] x=1", "line 1: [mysqld] x=1 is not a group"),
        ("[mysqld-56]\n", "line 1: no server reads [mysqld-56]"),
        ("[mysqld5.6]\n", "line 1: no server reads [mysqld5.6]"),
        ("[mariadb10]\n", "line 1: no server reads [mariadb10]"),
        ("[mysqld]\n--port=3", "line 2: '--port' is not an option name"),
        ("[mysqld]\n=3", "line 2: '=3' is not an option name"),
        ("[mysqld]\na b=3", "line 2: 'a b' is not an option name"),
        ("[mysqld]\na=\x00", "line 2: outside of comments only ASCII"),
        ("[mysqld]\na=ä", "line 2: outside of comments only ASCII"),
        ("[mysqld]\n\u00a0port=3", "line 2: outside of comments only ASCII"),
        ("[mysqld]\na=" + "x" * 4000, "line 2: longer than"),
        ("# x\n" * 20_000, "larger than 64 KiB"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, complaint: str) -> None:
    assert f"mine.cnf: {complaint}" in refused(text)


def test_comments_may_hold_anything() -> None:
    assert lines("# ü !include /x\n; \u2028 port=3\nback_log=3") == ["back_log=3"]


# groups


def test_groups_apply_in_the_order_of_the_file() -> None:
    """As a server does it: a later line wins, whichever group it stands in."""
    text = "[mariadb-10.11]\nback_log=1\nmax_connections=5\n[mysqld]\nback_log=2\n[mysqld-5.6]\nback_log=3\n"
    assert rendered(text, "MariaDB", f"{VERSION}-MariaDB").text == "[mysqld]\nmax_connections=5\nback_log=2\n"
    assert rendered(text, "MySQL", "5.6.24").text == "[mysqld]\nback_log=3\n"
    assert rendered(text, "MySQL", "9.7.4").text == "[mysqld]\nback_log=2\n"


@pytest.mark.parametrize(
    ("family", "version", "groups"),
    [
        ("MySQL", "5.6.24", "mysqld server mysqld-5.6"),
        ("MySQL", "9.7.4-2", "mysqld server mysqld-9.7"),
        ("Percona", "8.0.36-28", "mysqld server mysqld-8.0"),
        ("FB MySQL", "5.6.35", "mysqld server mysqld-5.6"),
        (
            "MariaDB",
            VERSION,
            "mysqld server mysqld-10.11 mariadb mariadb-10.11 mariadbd mariadbd-10.11 client-server",
        ),
    ],
)
def test_a_build_reads_its_own_groups(family: str, version: str, groups: str) -> None:
    every = {"mysqld-5.5", "mysqld-5.7", "mariadb-10.1", "mysqld_safe", "client", "mysql", *groups.split()}
    text = "".join(f"[{group}]\nbinlog_do_db={group}\n" for group in sorted(every))
    sent = {line.partition("=")[2] for line in rendered(text, family, version).text.splitlines()[1:]}
    assert sent == set(groups.split())


def test_other_programs_may_have_what_a_server_may_not() -> None:
    others = "[mysqld_safe]\nmalloc_lib=/usr/lib/x.so\n[client]\nport=3306\n[mariadb-dump]\nquick\n"
    assert rendered(others + "[mysqld]\nback_log=1").text == "[mysqld]\nback_log=1\n"


def test_an_overruled_line_is_not_sent() -> None:
    assert lines("back_log=1\nloose_back-log=2") == ["loose_back_log=2"]
    assert lines("log_bin=bl\nskip_log_bin") == ["skip_log_bin"]
    assert lines("plugin_load_add=a\nplugin_load_add=b") == ["plugin_load_add=a", "plugin_load_add=b"]


# shares


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ram", 16 * GB),
        ("ram*0.7", int(16 * GB * 0.7)),
        (" ram / 4 ", 4 * GB),
        ("cores", 4),
        ("min(ram*0.5, 8*1024*1024*1024)", 8 * GB),
        ("max(1, cores-3, 2)", 2),
        ("min(7)", 7),
        ("(ram - 1024) / 2 + 1", 8 * GB - 511),
        ("-1 + 3", 2),
        ("1e3", 1000),
    ],
)
def test_shares_become_whole_numbers(text: str, value: int) -> None:
    assert evaluate(text, {"ram": 16 * GB, "cores": 4}) == value


@pytest.mark.parametrize(
    "text",
    [
        "rom*0.7", "ram*", "ram**2", "ram//2", "ram%3", "__import__('os')", "ram.real", "[1][0]", "'a'*3",
        "lambda: 1", "ram if 1 else 2", "min()", "min(ram, key=1)", "min(*(1,2))", "abs(1)", "True", "1/0",
        "1-2", "1e400", "1e400-1e400", "9" * 150, "9" * 300, "1j", "ram;1", "", "((((((" * 20, "ram < 3",
    ],
)  # fmt: skip
def test_nothing_but_arithmetic_is_understood(text: str) -> None:
    with pytest.raises(ValueError):
        evaluate(text, {"ram": 16 * GB, "cores": 4})


@given(st.text(alphabet="ram cores0123456789.*/+-()min,ax", max_size=60))
def test_no_expression_is_more_than_a_complaint(text: str) -> None:
    try:
        value = evaluate(text, {"ram": 16 * GB, "cores": 4})
    except ValueError:
        return
    assert 0 <= value < 2**63


@given(st.integers(1, 2**40), st.floats(0, 1))
def test_a_share_is_never_more_than_the_whole(ram: int, share: float) -> None:
    assert 0 <= evaluate(f"ram*{share!r}", {"ram": ram}) <= math.ceil(ram)


def test_rocksdb_keeps_its_braces() -> None:
    value = "write_buffer_size={ram/512};block_based_table_factory={cache_index_and_filter_blocks=1}"
    assert fill_in(value, {"ram": GB}) == value.replace("{ram/512}", str(GB // 512))


def test_no_placeholder_is_left() -> None:
    assert lines("innodb_buffer_pool_size={ram*0.5}\ninnodb_read_io_threads={cores}") == [
        f"innodb_buffer_pool_size={8 * GB}",
        "innodb_read_io_threads=4",
    ]
    assert "line 2: a: 'rom' is not allowed" in refused("[mysqld]\na={rom}")
    assert "line 2: a: the braces do not match" in refused("[mysqld]\na={ram*0.5")


# what is Dyno's


@pytest.mark.parametrize(
    "line",
    [
        "user=mysql", "port=3306", "bind-address=0.0.0.0", "bind_address=*", "skip-networking",
        "skip_networking=0", "loose_port=1", "loose-skip-networking", "disable_skip_networking", "mysqlx=1",
        "mysqlx_port=33060", "loose-mysqlx-bind-address=*", "admin_address=127.0.0.1", "admin-port=1",
        "init-file=x", "plugin-dir=x", "plugin_dir=/x", "secure_file_priv=", "maximum_port=1", "extra_port=3",
        "chroot=x", "initialize", "bootstrap", "PORT=1", "daemonize", "skip_user",
        "skip-grant-tables", "loose_skip_grant_tables=1", "proxy_protocol_networks=*",
        # a server takes the beginning of a name for the whole
        "bind_addr=*", "bind=*", "skip_net", "init_fil=x", "secure_file=x", "plugin_di=x", "use=mysql",
        "skip-g",
    ],
)  # fmt: skip
def test_forbidden_options_are_refused_with_their_line(line: str) -> None:
    assert "mine.cnf: line 3: " in refused(f"[mysqld]\nback_log=1\n{line}\n")


def test_a_beginning_of_a_name_is_told_with_what_it_is_taken_for() -> None:
    said = refused("[mysqld]\nloose_bind=1\n")
    assert "line 2: a server reads loose_bind as bind_address, which Dyno sets itself" in said


def test_forbidden_options_are_refused_for_every_build() -> None:
    assert "line 2: Dyno sets port itself" in refused("[mysqld-9.7]\nport=1\n[mysqld]\n")


@pytest.mark.parametrize("name", sorted(PLACED))
def test_paths_that_dyno_places_are_dropped_and_told(name: str) -> None:
    found = rendered(f"[mysqld]\n{name}=/data/m/my\nloose_{name}=x\nback_log=1\n")
    assert found.text == "[mysqld]\nback_log=1\n"
    assert [(each.line, each.option) for each in found.dropped] == [
        (2, f"{name}=/data/m/my"),
        (3, f"loose_{name}=x"),
    ]


@pytest.mark.parametrize("name", sorted(NAMED))
def test_files_keep_their_name_only(name: str) -> None:
    found = rendered(f"[mysqld]\n{name}=/data/m/my/binlogs/bl\n")
    assert found.text == f"[mysqld]\n{name}=bl\n"
    assert found.dropped[0].reason == f"Dyno uses only the file name: {name}=bl"
    assert lines(f"{name}='/x/b.1'") == [f"{name}=b.1"]
    assert lines(f"{name}=bl") == [f"{name}=bl"]


@pytest.mark.parametrize(
    "value", ["/data/", "/", "..", "../..", "/x/..", "a b", "/x/a b", "'../x/'", "/x/.y"]
)
def test_a_file_that_has_no_plain_name_is_refused(value: str) -> None:
    assert "is not a file name" in refused(f"[mysqld]\nlog_bin={value}\n")


def test_a_binary_log_may_be_a_flag() -> None:
    assert lines("log_bin\nslow_query_log=1") == ["log_bin", "slow_query_log=1"]


@pytest.mark.parametrize(
    "line",
    [
        "ssl_ca=/etc/ca.pem",
        "plugin_load_add=../../x.so",
        "innodb_data_file_path=/raid/ibdata1:1G",
        "rocksdb_default_cf_options=wal_dir=/x",
        "ft_stopword_file=sub/words",
        "tmpdi=/x",
        "some_new_path='/x'",
        "a=x\\/y",
    ],
)
def test_any_other_path_is_refused(line: str) -> None:
    assert "Dyno sets the paths of a server itself" in refused(f"[mysqld]\n{line}\n")


def test_a_slash_is_not_always_a_path() -> None:
    instrument = "performance_schema_instrument='wait/synch/%=ON'"
    assert lines(f"{instrument}\nback_log={{ram/1024/1024/1024}}") == [instrument, "back_log=16"]


@given(
    st.sampled_from(sorted(FORBIDDEN)), st.lists(st.sampled_from(["loose_", "skip_", "maximum_"]), max_size=3)
)
def test_no_prefix_lets_a_forbidden_option_through(name: str, prefixes: list[str]) -> None:
    assert "itself: remove the line" in refused(f"[mysqld]\n{''.join(prefixes)}{name}=1\n")


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        found = rendered(text)
    except InputError as error:
        assert str(error).startswith("mine.cnf")
        return
    for option in found.options:
        assert "/" not in (option.value or "")


@given(st.text(alphabet="[mysqld]\nport=datirnc/{}#'\"\\ -_x3", max_size=120))
def test_what_was_rendered_renders_to_itself(text: str) -> None:
    try:
        first = rendered("[mysqld]\n" + text)
    except InputError:
        return
    assert rendered(first.text).text == first.text


# values


def test_values_can_be_compared() -> None:
    cnf = "[mysqld]\na=128M\nb=on\nc\nskip-d\nloose_skip_e=1\nf='X'\ng=1G\nloose_h=TRUE\ni=0\nj=OFF\nk=\n"
    assert option_values(cnf) == {
        "a": str(128 << 20), "b": "ON", "c": "ON", "d": "OFF", "e": "OFF", "f": "X", "g": str(GB), "h": "ON",
        "i": "0", "j": "OFF", "k": "",
    }  # fmt: skip


# the shipped ones


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
@pytest.mark.parametrize(
    ("family", "version"),
    [
        ("MariaDB", VERSION),
        ("MariaDB", "11.4.5"),
        ("MySQL", "5.6.24"),
        ("MySQL", "5.7.44"),
        ("MySQL", "9.7.4"),
    ],
)
def test_baselines_leave_nothing_open_that_spoils_a_comparison(
    engine: str, family: str, version: str
) -> None:
    found = render(Catalog().preset(engine, "baseline"), family, version, MACHINE)
    values = option_values(found.text)
    assert not found.dropped
    assert "{" not in found.text
    assert values["character_set_server"] == "latin1"
    assert values["ssl"] == "0"
    assert values["tls_version"] == ""
    assert values["performance_schema"] == "OFF"
    assert (values["log_bin"], values["sync_binlog"]) == ("bl", "0")
    if family == "MariaDB" or version.startswith("5."):
        assert values["query_cache_type"] == values["query_cache_size"] == "0"


def test_baselines_are_equally_durable_and_cache_as_much() -> None:
    innodb, rocksdb, myisam = (
        option_values(render(Catalog().preset(engine, "baseline"), "MariaDB", VERSION, MACHINE).text)
        for engine in ("innodb", "rocksdb", "myisam")
    )
    assert innodb["innodb_flush_log_at_trx_commit"] == rocksdb["rocksdb_flush_log_at_trx_commit"] == "2"
    caches = {
        innodb["innodb_buffer_pool_size"],
        rocksdb["rocksdb_block_cache_size"],
        myisam["key_buffer_size"],
    }
    assert caches == {str(2 * GB)}


@pytest.mark.parametrize(
    ("version", "redo"),
    [
        ("5.6.24", {"innodb_log_file_size": str(48 << 20), "innodb_log_files_in_group": "2"}),
        ("9.7.4", {"innodb_redo_log_capacity": str(96 << 20)}),
    ],
)
def test_redo_has_one_size_under_every_name(version: str, redo: dict[str, str]) -> None:
    values = option_values(render(Catalog().preset("innodb", "baseline"), "MySQL", version, MACHINE).text)
    assert redo.items() <= values.items()


@pytest.mark.parametrize(("ram", "cache"), [(2 * GB, GB // 2), (GB // 4, GB // 8), (512 * GB, 2 * GB)])
def test_caches_of_baselines_suit_small_and_large_machines(ram: int, cache: int) -> None:
    found = render(Catalog().preset("innodb", "baseline"), "MySQL", "9.7.4", MachineSize(ram, 4))
    assert option_values(found.text)["innodb_buffer_pool_size"] == str(cache)
