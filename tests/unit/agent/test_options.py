"""What builds say about options: recorded answers, and a build that stops at the first wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.server import program
from app.agent.server.options import (
    BuildWithOptions,
    SurveyedOptions,
    build_with_options,
    check_options,
    ignored_options_in,
    keep_options,
    known_options,
    parse_help,
    plugin_options,
    rejected_options,
    surveyed_option_names,
    without,
)
from app.agent.server.program import ProgramOutput
from app.protocol.answers import Build

HELP_MARIADB = """\
Usage: /usr/sbin/mariadbd [OPTIONS]
--no-defaults           Don't read default options from any option file.

  -a, --ansi          Use ANSI SQL syntax instead of MySQL syntax.
  --bind-address=name IP address to bind to.
  --feedback[=name]   Enable or disable feedback plugin.

Variables (--variable-name=value)
and boolean options {FALSE|TRUE}                             Value (after reading options)
------------------------------------------------------------ -------------
allow-suspicious-udfs                                        FALSE
bind-address                                                 (No default value)
sql-mode                                                     STRICT_TRANS_TABLES,NO_ZERO_DATE
wsrep-sst-donor                                              

To see what variables a running server is using, type
'SELECT * FROM INFORMATION_SCHEMA.GLOBAL_VARIABLES' instead of 'mysqld --verbose --help'.
"""  # noqa: W291

# mariadbd 10.11 of Debian 12
MARIADB = """\
2026-11-21 11:40:52 0 [Warning] option 'sort_buffer_size': unsigned value 1 adjusted to 1024
2026-11-21 11:40:52 0 [Warning] /usr/sbin/mariadbd: ignoring option '--innodb-doublewrite' due to invalid value 'maybe'
2026-11-21 11:40:52 0 [Warning] Could not open mysql.plugin table: "Table 'mysql.plugin' doesn't exist".
2026-11-21 11:40:52 0 [Warning] /usr/sbin/mariadbd: unknown variable 'loose_other=3'
2026-11-21 11:40:52 0 [Warning] 'innodb-file-format' was removed. It does nothing now and exists only for compatibility with old my.cnf files.
2026-11-21 11:40:52 0 [ERROR] /usr/sbin/mariadbd: unknown option '--skip-foo'
2026-11-21 11:40:52 0 [ERROR] /usr/sbin/mariadbd: unknown variable 'only1011=1'
"""  # noqa: E501
MARIADB_VALUE = """\
2026-11-21 11:40:52 0 [ERROR] Buffered error: Unknown suffix 'a' used for variable 'max_connections' (value 'abc'). Legal suffix characters are: K, M, G, T, P, E
2026-11-21 11:40:52 0 [ERROR] Buffered error: /usr/sbin/mariadbd: Error while setting value 'abc' to 'max_connections'
"""  # noqa: E501
# mysqld 5.6.24 of npm: InnoDB is disabled for a wrong value, and then its right options are unknown
MYSQL_56 = """\
2026-11-21 11:40:53 11871 [ERROR] Can't find messagefile '/usr/local/mysql/share/errmsg.sys'
Unknown suffix 'Q' used for variable 'innodb-log-file-size' (value '10Q')
2026-11-21 11:40:53 11871 [ERROR] /b/mysqld: Error while setting value '10Q' to 'innodb-log-file-size'
2026-11-21 11:40:53 11871 [ERROR] Parsing options for plugin 'InnoDB' failed.
2026-11-21 11:40:53 11871 [ERROR] /b/mysqld: ambiguous option '--innodb_flush=2' (innodb-flush-neighbors, innodb-flushing-avg-loops)
2026-11-21 11:40:53 11871 [ERROR] /b/mysqld: unknown variable 'innodb_io_capacity=1'
2026-11-21 11:40:53 11871 [ERROR] Aborting
"""  # noqa: E501
# mysqld 9.7.4 of Debian unstable
MYSQL_97 = """\
2026-11-21T11:44:01.484574Z 0 [Warning] [MY-000082] [Server] option 'sync_binlog': value -4 adjusted to 0.
2026-11-21T11:44:28.045348Z 0 [ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=0'.
2026-11-21T11:44:28.045378Z 0 [ERROR] [MY-010119] [Server] Aborting
"""


def test_options_and_defaults_are_read_from_the_help() -> None:
    found = parse_help(HELP_MARIADB)
    assert found["sql-mode"] == "STRICT_TRANS_TABLES,NO_ZERO_DATE"
    assert found["allow-suspicious-udfs"] == "FALSE"
    assert found["bind-address"] == "" and found["wsrep-sst-donor"] == ""
    assert "ansi" in found and "feedback" in found
    assert "no-defaults" not in found and "To" not in found
    assert parse_help("mysqld: unknown option") == {}


def test_unknown_options_are_rejected_with_the_words_of_the_build() -> None:
    found = rejected_options(ProgramOutput(7, "", MARIADB))
    assert [(each["option"], each["text"]) for each in found] == [
        ("skip-foo", "unknown option '--skip-foo'"),
        ("only1011", "unknown variable 'only1011=1'"),
    ]


def test_a_wrong_value_comes_before_what_is_unknown_because_of_it() -> None:
    found = rejected_options(ProgramOutput(7, "", MYSQL_56))
    assert [each["option"] for each in found] == ["innodb-log-file-size", "innodb_flush"]
    assert [each["option"] for each in rejected_options(ProgramOutput(9, "", MARIADB_VALUE))] == [
        "max_connections"
    ]


def test_a_wrong_value_is_rejected_though_the_build_ends_well() -> None:
    assert [each["option"] for each in rejected_options(ProgramOutput(0, "", MARIADB_VALUE))] == [
        "max_connections"
    ]


def test_what_is_taken_without_effect_is_listed() -> None:
    assert [
        (each["option"], each["state"]) for each in ignored_options_in(ProgramOutput(7, "", MARIADB))
    ] == [
        ("sort_buffer_size", "adjusted"),
        ("innodb-doublewrite", "ignored"),
        ("loose_other", "ignored"),
        ("innodb-file-format", "ignored"),
    ]
    assert [each["option"] for each in ignored_options_in(ProgramOutput(1, "", MYSQL_97))] == ["sync_binlog"]


def test_lines_of_an_option_are_taken_out_whatever_their_spelling() -> None:
    cnf = "[mysqld]\nlog-bin=a\n  log_bin = b\nskip_log_bin\n# log_bin\nlog_bin_index=c\n"
    assert without(cnf, "log_bin") == "[mysqld]\n# log_bin\nlog_bin_index=c\n"
    cnf = "plugin-load-add=ha_rocksdb\nplugin_load_add=ha_none.so\n"
    assert without(cnf, "plugin-load-add", "ha_none") == "plugin-load-add=ha_rocksdb\n"


# a build that, as MySQL 9 does, names one wrong option and stops
STRICT = """\
#!/bin/sh
case "$*" in *--no-defaults*)
    echo; echo "Variables (--variable-name=value)"; echo "------------- -------------"
    echo "validate-config FALSE"; exit 0;;
esac
for word; do case $word in --defaults-file=*) file=${word#*=};; esac; done
case "$*" in *--validate-config*) ;; *) echo "[ERROR] not asked to validate" >&2; exit 1;; esac
wrong=$(grep -m1 '^bad' "$file") || exit 0
echo "2026-11-21T11:44:28.045348Z 0 [ERROR] [MY-000067] [Server] unknown variable '$wrong'." >&2
exit 1
"""


@pytest.fixture
def strict(tmp_path: Path) -> Build:
    path = tmp_path / "mysqld"
    path.write_text(STRICT)
    path.chmod(0o755)
    return Build("x", str(tmp_path), str(path))


def check(build: Build, tmp_path: Path, cnf: str) -> list[dict[str, str]]:
    path = tmp_path / "asked.cnf"
    path.write_text(cnf)
    return check_options(build_with_options("", build), str(path))


def test_all_wrong_options_are_found_one_after_the_other(strict: Build, tmp_path: Path) -> None:
    found = check(strict, tmp_path, "[mysqld]\nbad_one=1\ngood=1\nbad-two=2\nbad_three=3\n")
    assert [each["option"] for each in found] == ["bad_one", "bad-two", "bad_three"]
    assert check(strict, tmp_path, "[mysqld]\ngood=1\n") == []


# as MySQL 5.7 does: it warns of what stands behind the option that asks for warnings
QUIET = """\
#!/bin/sh
case "$*" in *--no-defaults*)
    echo; echo "Variables (--variable-name=value)"; echo "------------- -------------"
    echo "log-error-verbosity 3"; exit 0;;
esac
for word; do case $word in --defaults-file=*) file=${word#*=};; esac; done
sed -n '/^log_error_verbosity=2/,$p' "$file" | grep -q '^loose_odd' || exit 0
echo "2026-11-22T00:54:17.429096Z 0 [Warning] unknown variable 'loose_odd=3'" >&2
"""


def test_a_build_that_keeps_warnings_back_is_asked_for_them(strict: Build, tmp_path: Path) -> None:
    Path(strict.server).write_text(QUIET)
    (found,) = check(strict, tmp_path, "[mysqld]\nloose_odd=3\n")
    assert (found["option"], found["state"]) == ("loose_odd", "ignored")


UNKNOWING = """\
#!/bin/sh
case "$*" in *--no-defaults*)
    echo; echo "Variables (--variable-name=value)"; echo "------------- -------------"
    echo "innodb-buffer-pool-size 134217728"; exit 0;;
esac
for word; do case $word in --defaults-file=*) file=${word#*=};; esac; done
found=$(grep -E '^(innodb_bufer|nothing)' "$file" | head -1)
[ -n "$found" ] || exit 0
echo "2026-11-22 0 [ERROR] mysqld: unknown variable '$found'" >&2
exit 1
"""


def test_a_name_that_is_nearly_right_gets_a_suggestion(strict: Build, tmp_path: Path) -> None:
    Path(strict.server).write_text(UNKNOWING)
    found = check(strict, tmp_path, "[mysqld]\ninnodb_bufer_pool_size=1G\nnothing_like_it=1\n")
    near, far = (each["text"] for each in found)
    assert near.endswith("'innodb_bufer_pool_size=1G': did you mean innodb_buffer_pool_size?")
    assert "did you mean" not in far


def test_options_of_plugins_that_are_not_loaded_are_suggested_too(strict: Build, tmp_path: Path) -> None:
    known = {"ha_other": ["bad-cache-size", "bad-log"]}
    build = BuildWithOptions(**{**vars(build_with_options("", strict)), "of_plugins": known})
    path = tmp_path / "asked.cnf"
    path.write_text("[mysqld]\nbad_cache_siz=1\nbad_log=1\nbad=1\n")
    near, there, far = (each["text"] for each in check_options(build, str(path)))
    assert near.endswith("'bad_cache_siz=1': did you mean bad_cache_size?")
    assert there.endswith("'bad_log=1': it belongs to a plugin, load it by plugin_load_add=ha_other")
    assert far.endswith("'bad=1'.")


def test_a_build_is_asked_with_each_plugin(strict: Build) -> None:
    Path(strict.server).write_text(
        UNKNOWING.replace("exit 0;;", 'case "$*" in *=ha_other*) echo "other-log a";; esac; exit 0;;', 1)
    )
    known = build_with_options("", strict).options
    assert plugin_options(strict, known, ["ha_other"]) == {"ha_other": ["other-log"]}
    gone = Build("x", strict.base, strict.server + "-gone")
    assert plugin_options(gone, known, ["ha_other"]) == {"ha_other": []}, "it is no reason to end a survey"


def test_names_of_options_are_kept_as_variables_have_them(tmp_path: Path) -> None:
    server = tmp_path / "mysqld"
    server.touch()
    heard = SurveyedOptions({"sort-buffer-size": "1", "ansi": ""}, {"ha_other": ["other-cache"]})
    keep_options(str(tmp_path), {str(server): heard})
    assert surveyed_option_names(str(tmp_path)) == {str(server): ["ansi", "other_cache", "sort_buffer_size"]}


def test_a_build_that_complains_for_ever_is_left_after_a_while(strict: Build, tmp_path: Path) -> None:
    cnf = "[mysqld]\n" + "".join(f"bad_{each}=1\n" for each in range(60))
    assert 30 < len(check(strict, tmp_path, cnf)) < 60


def test_a_refusal_that_names_no_option_is_told_as_it_is(strict: Build, tmp_path: Path) -> None:
    path = Path(strict.server)
    path.write_text("#!/bin/sh\necho '[ERROR] disk on fire' >&2\necho '[ERROR] Aborting' >&2\nexit 1\n")
    (found,) = check(strict, tmp_path, "[mysqld]\n")
    assert found == {"option": "", "state": "rejected", "text": "refused with code 1: disk on fire"}
    path.write_text("no program, and no script with an interpreter\n")
    path.chmod(0o644)
    (found,) = check(strict, tmp_path, "[mysqld]\n")
    assert "is not executable" in found["text"] and found["state"] == "unanswered"


def test_a_build_that_is_slow_is_asked_once_more_with_more_time(
    strict: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program.ask, "__defaults__", (0.3, None))
    slow_once = f"if mkdir {tmp_path}/asked 2>/dev/null; then sleep 5; fi\n"
    Path(strict.server).write_text(STRICT.replace("for word; do", slow_once + "for word; do", 1))
    assert [each["option"] for each in check(strict, tmp_path, "[mysqld]\nbad_one=1\n")] == ["bad_one"]


def test_a_build_that_gives_no_answer_says_nothing_about_its_options(
    strict: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program.ask, "__defaults__", (0.2, None))
    monkeypatch.setattr(program, "PATIENT_S", 0.4)
    Path(strict.server).write_text("#!/bin/sh\nsleep 5\n")
    (found,) = check(strict, tmp_path, "[mysqld]\nbad_one=1\n")
    assert found == {"option": "", "state": "unanswered", "text": "it did not answer within 0 s"}


def test_a_build_that_cannot_be_asked_knows_no_option(tmp_path: Path) -> None:
    assert known_options(Build("x", str(tmp_path), str(tmp_path / "none"))) == {}


HEARD = SurveyedOptions({"back-log": "80"}, {"ha_other": ["other-cache-size", "other-log"]})


def test_what_a_survey_has_heard_is_not_asked_again(tmp_path: Path) -> None:
    build = Build("x", str(tmp_path), str(tmp_path / "mysqld"))
    Path(build.server).write_text("not a program")
    keep_options(str(tmp_path), {build.server: HEARD, str(tmp_path / "gone"): HEARD})
    known = build_with_options(str(tmp_path), build)
    assert (known.options, known.of_plugins) == HEARD


@pytest.mark.parametrize("kept", [None, "", "[]", "{", '{"SERVER": 7}', '{"SERVER": [1, 2, 3, "x"]}'])
def test_another_program_is_asked_anew(tmp_path: Path, kept: str | None) -> None:
    """Options that were kept for a program before its update, or cannot be read, are those of no build."""
    build = Build("x", str(tmp_path), str(tmp_path / "mysqld"))
    Path(build.server).write_text("not a program")
    keep_options(str(tmp_path), {build.server: HEARD})
    if kept is None:
        Path(build.server).write_text("another program")
    else:
        (tmp_path / "options.json").write_text(kept.replace("SERVER", build.server))
    assert build_with_options(str(tmp_path), build).options == {}
