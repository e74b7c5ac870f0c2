"""What was asked for and what is compiled in, against what is in force."""

from __future__ import annotations

from app.agent.server.options_in_force import not_default

COMPILED = {"a-b": "128M", "c": "TRUE", "d": "utf8mb4", "e": "", "log-bin": "FALSE", "cache": "0"}
IN_FORCE = {"a_b": str(128 << 20), "c": "ON", "d": "latin1", "e": "", "log_bin": "ON", "cache": "13"}


def test_a_default_is_known_in_every_spelling() -> None:
    asked = dict.fromkeys(("a_b", "c", "d", "e", "skip_log_bin"), "whatever")
    assert not_default(asked, COMPILED, IN_FORCE) == ["d", "log_bin"]


def test_what_a_server_works_out_or_says_of_itself_nobody_has_set() -> None:
    told = {**IN_FORCE, "version": "9.7", "rocksdb_block_size": "4096", "rocksdb_max_row_locks": "7"}
    assert not_default({"rocksdb_block_size": "4096"}, COMPILED, told) == ["rocksdb_block_size"]


def test_what_an_option_of_another_name_sets_is_never_taken_for_a_default() -> None:
    assert not_default({"transaction_isolation": "x"}, {}, {"tx_isolation": "x"}) == ["tx_isolation"]
