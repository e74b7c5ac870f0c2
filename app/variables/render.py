"""Rendering a preset: the lines that apply to a build, shares of this machine's memory filled in."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.errors import InputError
from app.protocol.my_cnf import unquote
from app.protocol.words import FACTORS

from .mycnf import Option, Preset, is_server_section, parse_preset
from .ownership import sanitise_preset_option, words

# options that add to what is before; any other counts as its last line says
_ADDING = words(
    """
    binlog_do_db binlog_ignore_db debug optimizer_switch performance_schema_instrument plugin_load_add
    replicate_do_db replicate_do_table replicate_ignore_db replicate_ignore_table replicate_rewrite_db
    replicate_wild_do_table replicate_wild_ignore_table
    """
)
_NEGATIONS = ("skip_", "disable_")
_SIZE = re.compile(r"([0-9]{1,18})([kmgtpe])b?", re.IGNORECASE)


@dataclass(frozen=True)
class MachineSize:
    """The machine that shares refer to."""

    ram_bytes: int
    cores: int


@dataclass(frozen=True)
class DroppedCnfLine:
    """A line of the preset that is not sent as it is, and why."""

    line: int
    option: str
    reason: str


@dataclass(frozen=True)
class RenderedPreset:
    """The rendered preset: one [mysqld] group without placeholders."""

    text: str
    options: tuple[Option, ...]
    dropped: tuple[DroppedCnfLine, ...] = field(default=())


def render(preset: Preset, family: str, version: str, machine: MachineSize) -> RenderedPreset:
    """The preset for one build; raises InputError with the line of what is refused."""
    groups = cnf_groups_of(family, version)
    dropped: list[DroppedCnfLine] = []
    kept: list[Option] = []
    for option in preset.options:
        where = f"{preset.label}: line {option.line}"
        if not is_server_section(option.group):
            continue
        placed, what = sanitise_preset_option(
            _filled(option, machine, where), where
        )  # refused whatever the build
        if option.group not in groups:
            continue
        if what:
            dropped.append(DroppedCnfLine(option.line, option.text, what))
        if placed:
            kept.append(placed)
    options = tuple(_last_ones(kept))
    text = "".join(f"{option.text}\n" for option in options)
    return RenderedPreset("[mysqld]\n" + text, options, tuple(dropped))


def check_sendable(preset: Preset) -> None:
    """Raise InputError if no build may get it: Dyno's options are refused in all groups."""
    render(preset, "", "", MachineSize(64 << 30, 16))


def cnf_groups_of(family: str, version: str) -> frozenset[str]:
    """The groups that a server of this family and version reads; they apply in the order of the file."""
    series = ".".join(version.split("-")[0].split(".")[:2])
    names = {"mysqld", "server", f"mysqld-{series}"}
    if "mariadb" in family.lower():
        names |= {"mariadb", f"mariadb-{series}", "mariadbd", f"mariadbd-{series}", "client-server"}
    return frozenset(names)


def _filled(option: Option, machine: MachineSize, where: str) -> Option:
    if option.value is None or "{" not in option.value:
        return option
    if option.value.count("{") != option.value.count("}"):
        raise InputError(f"{where}: {option.name}: the braces do not match")
    names = {"ram": machine.ram_bytes, "cores": machine.cores}
    try:
        return replace(option, value=fill_in(option.value, names))
    except ValueError as error:
        raise InputError(f"{where}: {option.name}: {error}") from None


def _last_ones(options: list[Option]) -> list[Option]:
    """The lines without those that a later line of the same option overrides."""
    last = {option.key: at for at, option in enumerate(options)}
    return [option for at, option in enumerate(options) if option.key in _ADDING or last[option.key] == at]


def option_values(cnf: str) -> dict[str, str]:
    """What a rendered preset sets: names without prefixes, flags as ON or OFF, sizes in bytes."""
    values = {}
    for option in parse_preset(cnf, "rendered", "").options:
        negated = any(option.name.removeprefix("loose_").startswith(each) for each in _NEGATIONS)
        values[option.key] = "OFF" if negated else comparable_option_value(option.value)
    return values


def comparable_option_value(value: str | None) -> str:
    """A value in comparable form: `128M`, `on` and `1` have several spellings."""
    text = "ON" if value is None else unquote(value).strip()
    found = _SIZE.fullmatch(text)
    if found:
        return str(int(found[1]) * FACTORS[found[2].lower()])
    if text.upper() in ("ON", "TRUE", "YES"):
        return "ON"
    return "OFF" if text.upper() in ("OFF", "FALSE", "NO") else text


# the shares a preset may hold in place of bytes: `{ram*0.7}`, whole numbers when rendered


MAX_CHARS = 200
MAX_VALUE = 2**63 - 1
# braces that hold an equals sign are RocksDB's: block_based_table_factory={block_size=16384;...}
PLACEHOLDER = re.compile(r"\{([^{}=]+)\}")

_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max}


def fill_in(value: str, names: Mapping[str, int]) -> str:
    """The value with every `{...}` replaced; raises ValueError that says what is wrong in it."""
    return PLACEHOLDER.sub(lambda found: str(evaluate(found[1], names)), value)


def evaluate(text: str, names: Mapping[str, int]) -> int:
    """One expression, cut to a whole number."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"{{{text[:20]}...}} is longer than {MAX_CHARS} characters")
    try:
        result = _value(ast.parse(text.strip(), mode="eval").body, names)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{{{text}}} is not an expression such as {{ram*0.7}}") from None
    except ZeroDivisionError:
        raise ValueError(f"{{{text}}} divides by zero") from None
    except OverflowError:
        raise ValueError(f"{{{text}}} is too large") from None
    if not 0 <= result <= MAX_VALUE:
        raise ValueError(f"{{{text}}} is {result:.3g}: must be between 0 and 2^63")
    return int(result)


def _value(node: ast.expr, names: Mapping[str, int]) -> Any:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return _FUNCTIONS[name]([_value(each, names) for each in args])
    raise ValueError(f"{ast.unparse(node)!r} is not allowed: use ram, cores, numbers, * / + - min max")
