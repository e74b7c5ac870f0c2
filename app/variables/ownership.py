"""Which options are Dyno's: dropped because it places them itself, cut to a file name, or refused."""

from __future__ import annotations

import re

from app.core.errors import InputError
from app.engines import KNOWN
from app.protocol.my_cnf import option_key, strip_prefixes, unquote

from .mycnf import Option


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# directories and files that the session's own directory replaces
PLACED = words(
    """
    basedir character_sets_dir datadir lc_messages_dir log_error pid_file replica_load_tmpdir
    slave_load_tmpdir socket tmpdir wsrep_data_home_dir
    """
).union(*(each.paths for each in KNOWN.values()))
# files that may keep their name, in the data directory
NAMED = words(
    """
    general_log_file log_basename log_bin log_bin_index log_slow_query_file
    master_info_file relay_log relay_log_index relay_log_info_file slow_query_log_file
    """
).union(*(each.file_names for each in KNOWN.values()))
# who may reach the server, as whom it runs, what it reads or carries out by itself
FORBIDDEN = words(
    """
    bind_address bootstrap chroot daemonize defaults_extra_file defaults_file des_key_file extra_port
    grant_tables help init_file initialize initialize_insecure ledir networking plugin_dir port
    proxy_protocol_networks secure_file_priv skip_grant_tables skip_networking user validate_config
    wsrep_provider
    """
)
FORBIDDEN_FAMILIES = ("mysqlx", "admin_")
# values with a slash that are no path
SLASHED = frozenset({"performance_schema_instrument", "default_time_zone", "time_zone"})

_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def sanitise_preset_option(option: Option, where: str) -> tuple[Option | None, str]:
    """The option as it may be sent, or None; and what was changed, '' if nothing."""
    refuse_forbidden(option, where)
    if option.key in PLACED:
        return None, "Dyno sets it to a path in the session's directory"
    value = option.value or ""
    if option.key in NAMED and value:
        return _cut_to_name(option, where)
    if "/" in value and option.key not in SLASHED:
        raise InputError(f"{where}: Dyno sets the paths of a server itself: remove {option.name}")
    return option, ""


def is_dyno_option(name: str) -> bool:
    """Whether Dyno sets an option itself (paths, access, files to read), so that it cannot be varied."""
    key = option_key(name)
    if key in PLACED or key in NAMED:
        return True
    try:
        refuse_forbidden(Option("", 0, name, None), "")
    except InputError:
        return True
    return False


def refuse_forbidden(option: Option, where: str) -> None:
    """Raise InputError for an option that is Dyno's alone, however it is written."""
    for name in strip_prefixes(option.name):
        family = any(name.startswith(each) for each in FORBIDDEN_FAMILIES)
        if family or name in FORBIDDEN:
            raise InputError(f"{where}: Dyno sets {option.name} itself: remove the line")
        meant = next((each for each in sorted(FORBIDDEN) if _means(name, each)), "")
        if meant:
            raise InputError(
                f"{where}: a server reads {option.name} as {meant}, which Dyno sets itself: "
                "write the whole name, or remove the line"
            )


def _means(name: str, forbidden: str) -> bool:
    """Whether a name means an option: servers accept its beginning."""
    return len(name) > 2 and forbidden.startswith(name)


def _cut_to_name(option: Option, where: str) -> tuple[Option, str]:
    value = unquote(option.value or "")
    if "/" not in value:
        if value and not (_FILE_NAME.fullmatch(value) or value.isdigit()):
            raise InputError(f"{where}: {option.name}={value} is not a file name in the data directory")
        return option, ""
    name = value.rsplit("/", 1)[1]
    if not _FILE_NAME.fullmatch(name):
        raise InputError(f"{where}: {option.name}={value} is not a file name; write {option.name}=name")
    cut = Option(option.group, option.line, option.name, name)
    return cut, f"Dyno uses only the file name: {cut.text}"
