"""Compares a my.cnf with the values in force in the server."""

from __future__ import annotations

from typing import Dict, List, Mapping

from app.engines import KNOWN, engine_of
from app.protocol.my_cnf import normalised_option_name, option_in, strip_prefixes, unquote
from app.protocol.words import canonical_value

from .mysql import Client, QueryError

_ROUNDED, _NEAR = 1 << 20, 0.01
# options that add to what is there or are no variables: nothing to compare
_ADDING = ("plugin_load", "plugin_load_add", "early_plugin_load")
# set by Dyno itself, below the preset, or answered in another form than asked
_OTHER_FORM = {
    *("log_bin", "relay_log", "slow_query_log_file", "general_log_file"),
    *(name for engine in KNOWN.values() for name in engine.other_forms),
}

# variables that an option of another name sets
_BY_ANOTHER_NAME = ("have_ssl", "storage_engine", "tx_isolation")


def differences(cnf: str, variables: Mapping[str, str]) -> List[str]:
    """A line for each option whose value in force differs from the my.cnf."""
    found = []
    for name, asked in options_of(cnf).items():
        actual = variables.get(name)
        if actual is None or name in _OTHER_FORM or name in _ADDING or not asked:
            continue
        if not _is_same(canonical_value(asked), canonical_value(actual)):
            found.append("{} should be {}, in force is {}".format(name, asked, actual or "empty"))
    return found


def not_default(
    asked: Mapping[str, str], known: Mapping[str, str], variables: Mapping[str, str]
) -> List[str]:
    """The variables that a person or Dyno has set to another value than the build has compiled in.

    What a server works out by itself, or says of itself, nobody has set.
    """
    compiled = {normalised_option_name(name): value for name, value in known.items()}
    set_ones = {form for name in asked for form in strip_prefixes(name)}
    return [
        name
        for name, value in variables.items()
        if name in _BY_ANOTHER_NAME
        or (
            name in set_ones and not _is_same(canonical_value(compiled.get(name, "")), canonical_value(value))
        )
    ]


def _is_same(asked: str, actual: str) -> bool:
    """Equal, or a size that the server rounded to its blocks."""
    if asked == actual or not (asked.isdigit() and actual.isdigit()):
        return asked == actual
    return int(asked) >= _ROUNDED and abs(int(actual) - int(asked)) <= _NEAR * int(asked)


def options_of(cnf: str) -> Dict[str, str]:
    """Name and value of each option, names as variables are called; the last one counts."""
    found = filter(None, map(option_in, cnf.splitlines()))
    return {
        name[6:] if name.startswith("loose_") else name: unquote(value or "").strip() for name, value in found
    }


def compression_in_force(client: Client, engine: str) -> str:
    """The compression of the session's tables, in words; '' if the server does not say."""
    try:
        return engine_of(engine).compression(client.query)
    except QueryError:
        return ""
