"""Whether contenders of one plan play by the same rules: what is compared is the engine, not its safety."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.engines import engine_of
from app.presets import option_values
from app.protocol.plan import Contender

from .estimate import ContenderSize
from .memory_text import memory_text
from .sizes import is_mariadb, writes_binary_log

Values = Mapping[str, str]
DURABILITY = ("commit", "binary log", "sync_binlog", "doublewrite")  # rules of what a crash may cost
IN_MEMORY = 0.8  # of the memory: what the operating system can cache of files read through it


@dataclass(frozen=True)
class Difference:
    """Something that the contenders do not have in common."""

    what: str
    text: str  # who has what
    todo: str


@dataclass(frozen=True)
class _Rule:
    what: str
    read: Callable[[Contender, Values], str]
    todo: str


def differing(contenders: Sequence[Contender], sizes: Sequence[ContenderSize]) -> list[Difference]:
    """Every rule in which the contenders differ; an empty answer of a rule takes no part in it."""
    found = []
    values = [option_values(each.cnf) for each in contenders]
    for rule in _RULES:
        said = [rule.read(each, value) for each, value in zip(contenders, values, strict=True)]
        found += _difference(rule.what, rule.todo, contenders, said)
    sides = [_side(*each) for each in zip(contenders, values, sizes, strict=True)]
    todo = "change rows or caches so that the data of all fits, or of none"
    return found + _difference("fits in cache", todo, contenders, sides)


def answers(contender: Contender, values: Values) -> dict[str, str]:
    """What each rule finds in these options, or variables in force; without those that have no meaning."""
    found = {rule.what: rule.read(contender, values) for rule in _RULES}
    return {what: answer for what, answer in found.items() if answer}


def _difference(
    what: str, todo: str, contenders: Sequence[Contender], said: Sequence[str]
) -> list[Difference]:
    who: dict[str, list[str]] = {}
    for contender, answer in zip(contenders, said, strict=True):
        if answer:
            who.setdefault(answer, []).append(contender.name)
    if len(who) < 2:
        return []
    return [Difference(what, "; ".join(f"{', '.join(names)}: {each}" for each, names in who.items()), todo)]


# durability


def _commit(contender: Contender, values: Values) -> str:
    return engine_of(contender.engine).commit(values)


def _doublewrite(contender: Contender, values: Values) -> str:
    return engine_of(contender.engine).doublewrite(values)


def _binary_log(contender: Contender, _values: Values) -> str:
    return "written" if writes_binary_log(contender) else "off"


def _sync_binlog(contender: Contender, values: Values) -> str:
    """Of no meaning where no binary log is written."""
    if not writes_binary_log(contender):
        return ""
    default = "0" if is_mariadb(contender) or contender.version.startswith(("5.5", "5.6")) else "1"
    return values.get("sync_binlog", default)


# what every statement pays for


def _character_set(contender: Contender, values: Values) -> str:
    modern = not is_mariadb(contender) and not contender.version.startswith("5.")
    default = "utf8mb4" if modern or _is_mariadb_from(contender, (11, 6)) else "latin1"
    return values.get("character_set_server", values.get("default_character_set", default)).lower()


def _tls(contender: Contender, values: Values) -> str:
    if values.get("ssl") in ("OFF", "0") or values.get("tls_version") == "":
        return "off"
    if values.get("ssl") in ("ON", "1"):
        return "on"
    if is_mariadb(contender):
        return "on" if _is_mariadb_from(contender, (11, 4)) else "off"
    return "off" if contender.version.startswith(("5.5", "5.6")) else "on"


def _performance_schema(contender: Contender, values: Values) -> str:
    default = "OFF" if is_mariadb(contender) or contender.version.startswith("5.5") else "ON"
    return "off" if values.get("performance_schema", default) in ("OFF", "0") else "on"


def _query_cache(contender: Contender, values: Values) -> str:
    """On only where both a size and a type say so; all defaults have the type off since 5.6."""
    default = "1" if contender.version.startswith("5.5") else "0"
    kind = values.get("query_cache_type", default)
    return "off" if kind in ("OFF", "0") or values.get("query_cache_size") == "0" else "on"


def _warm_loading(contender: Contender, values: Values) -> str:
    return engine_of(contender.engine).warm_start(values, contender.family, contender.version)


def _cores(contender: Contender, _values: Values) -> str:
    return contender.cores or "all"


def _memory(contender: Contender, _values: Values) -> str:
    return memory_text(vars(contender)) or "as the build and the machine have it"


# caching


def _file_access(contender: Contender, values: Values) -> str:
    return engine_of(contender.engine).file_access(values, contender.family, contender.version)


def _side(contender: Contender, values: Values, size: ContenderSize) -> str:
    if size.data_bytes <= size.cache_bytes:
        return "the data fits"
    if _file_access(contender, values) == "buffered" and size.data_bytes <= IN_MEMORY * size.memory_bytes:
        return "the data fits"
    return "the data does not fit"


def _is_mariadb_from(contender: Contender, version: tuple[int, int]) -> bool:
    parts = contender.version.split("-")[0].split(".")
    return is_mariadb(contender) and tuple(int(each) for each in parts[:2] if each.isdigit()) >= version


_SAME = "set it to the same in all presets"
_RULES = (
    _Rule("commit", _commit, "set the flush-at-commit options to the same meaning"),
    _Rule("binary log", _binary_log, "write it for all contenders or for none"),
    _Rule("sync_binlog", _sync_binlog, _SAME),
    _Rule("doublewrite", _doublewrite, _SAME),
    _Rule("character set", _character_set, _SAME),
    _Rule("TLS", _tls, "switch it off in all presets, or on in all"),
    _Rule("Performance Schema", _performance_schema, _SAME),
    _Rule("query cache", _query_cache, "switch it off in all presets"),
    _Rule("warm buffer pool", _warm_loading, "set innodb_buffer_pool_load_at_startup to the same"),
    _Rule("cores", _cores, "give all the same, unless cores are what is compared"),
    _Rule("server memory", _memory, "give all the same, unless it is what is compared"),
    _Rule("file access", _file_access, "know it when you read the results, or set the same in all presets"),
)
