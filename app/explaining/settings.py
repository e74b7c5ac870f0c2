"""The settings in which two contenders differ, and the contenders between them.

A setting is what can change alone: options of the rendered my.cnf, a field of the contender, or the build.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.errors import InputError
from app.protocol.my_cnf import unquote
from app.protocol.plan import Contender, digest
from app.variables import Option, option_values, parse_preset
from app.variables.variables import MATTERS, Values

from .squares import Group

MOST = 32  # settings of a pair
LONGEST_NAME = 60  # of a contender
BUILD = "build"
UNSET = "not set"
FIELDS = {
    "table_options": "table options",
    "cores": "cores",
    "allocator": "allocator",
    "numa": "NUMA policy",
    "memory_limit": "memory limit",
}
Defaults = Mapping[str, tuple[str, str]]  # variables at the default of each build

# options that no server takes one without the other, beside those of one row of MATTERS
_WITH = {
    "enforce_gtid_consistency": "GTID",
    "log_slave_updates": "GTID",
    "log_replica_updates": "GTID",
    "server_id": "binary log",
    "collation_server": "character set",
}
_ROW_OF = {name: each.what for each in MATTERS for name in each.names} | _WITH


@dataclass(frozen=True)
class DifferingSetting:
    """What differs between A and B, and changes as one."""

    name: str
    a: str  # the value as text
    b: str
    options: frozenset[str] = frozenset()  # of the my.cnf
    fields: frozenset[str] = frozenset()  # of the contender
    lines: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # of the my.cnf, in A and in B
    is_default: bool = False  # no my.cnf has it: a server has its own value without a line


@dataclass(frozen=True)
class SettingMixContenders:
    """Two contenders, their settings, and every contender that has some of each."""

    a: Contender
    b: Contender
    settings: tuple[DifferingSetting, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.settings)

    def contender(self, group: Group) -> Contender:
        """The contender with the value of B for the settings of this group, and of A for all others."""
        if group in (frozenset(), frozenset(self.names)):
            base = self.b if group else self.a
            return replace(base, name="B" if group else "A", preset=_preset_name(base.cnf))
        base = self.b if BUILD in group else self.a
        cnf = "".join(f"{line}\n" for line in ("[mysqld]", *self._lines(base, group)))
        fields = {
            field: getattr(self.b if setting.name in group else self.a, field)
            for setting in self.settings
            for field in setting.fields
        }
        return replace(base, name=self._name_of(group), preset=_preset_name(cnf), cnf=cnf, **fields)

    def _lines(self, base: Contender, group: Group) -> Iterator[str]:
        """The lines that A and B have in common, then those of the settings."""
        moved = {each for setting in self.settings for each in setting.options}
        yield from (option.text for option in _options(base.cnf) if option.key not in moved)
        for setting in self.settings:
            is_b = setting.name in group
            if not setting.is_default or is_b != (BUILD in group):
                yield from setting.lines[is_b]

    def group_of(self, contender: Contender) -> Group | None:
        """The settings for which a measured contender has the value of B; None if it is another one."""
        values, of_b = option_values(contender.cnf), contender.fingerprint == self.b.fingerprint
        group = frozenset(each.name for each in self.settings if self._is_b(each, contender, values, of_b))
        return group if _same(self.contender(group), contender) else None

    def _is_b(self, setting: DifferingSetting, contender: Contender, values: Values, of_b: bool) -> bool:
        if setting.name == BUILD:
            return of_b
        if setting.fields:
            return all(getattr(contender, each) == getattr(self.b, each) for each in setting.fields)
        if setting.is_default and not setting.options & values.keys():
            return of_b
        return _of(values, setting.options) == option_values("\n".join(("[mysqld]", *setting.lines[1])))

    def _name_of(self, group: Group) -> str:
        """`A with sync_binlog of B`, or how many settings where these are too long."""
        of_a = [each for each in self.names if each not in group]
        of_b = [each for each in self.names if each in group]
        side, other, chosen = ("A", "B", of_b) if len(of_b) <= len(of_a) else ("B", "A", of_a)
        name = f"{side} with {' and '.join(chosen)} of {other}".replace(",", "")
        if len(name) <= LONGEST_NAME:
            return name
        return f"{side} with {len(chosen)} settings of {other} {digest(chosen)[:4]}"


def between(
    a: Contender, b: Contender, together: Sequence[Collection[str]] = (),
    defaults: Defaults = MappingProxyType({}), unknown: Collection[str] = (),
) -> SettingMixContenders:  # fmt: skip
    """The settings in which A and B differ; raises InputError if they cannot be taken apart.

    `together`: options that change as one; `defaults`: variables at the default of each build;
    `unknown`: options that one of the builds does not take, which belong to the build.
    """
    if a.engine != b.engine:
        raise InputError(f"A has the engine {a.engine}, B {b.engine}: choose two contenders of one engine")
    options = [*_options_between(a, b, together, unknown), *_defaults_between(defaults, together)]
    found = [*_build_between(a, b, unknown), *options, *_fields_between(a, b)]
    if not found:
        raise InputError("A and B have the same settings: there is nothing to explain")
    if len(found) > MOST:
        raise InputError(
            f"A and B differ in {len(found)} settings, {MOST} at most: choose contenders that differ less"
        )
    names = {each for setting in found for each in setting.options}
    for name in (name for group in together for name in group):
        if name not in names:
            raise InputError(
                f"--together {name}: A and B do not differ in it; they differ in {', '.join(sorted(names))}"
            )
    return SettingMixContenders(a, b, tuple(found))


def _build_between(a: Contender, b: Contender, unknown: Collection[str]) -> list[DifferingSetting]:
    if a.fingerprint == b.fingerprint:
        return []
    lines = tuple(
        tuple(option.text for option in _options(each.cnf) if option.key in unknown) for each in (a, b)
    )
    return [DifferingSetting(BUILD, a.build, b.build, frozenset(unknown), lines=(lines[0], lines[1]))]


def _options_between(
    a: Contender, b: Contender, together: Sequence[Collection[str]], unknown: Collection[str]
) -> list[DifferingSetting]:
    """Options of the two my.cnf by what must change as one, in the order of A."""
    sides = [_by_key(each.cnf) for each in (a, b)]
    keys = dict.fromkeys(key for side in sides for key in side if key not in unknown)
    grouped: dict[str, list[str]] = {}
    for key in keys:
        if _meaning(sides[0].get(key, [])) != _meaning(sides[1].get(key, [])):
            grouped.setdefault(_row_of(key, together), []).append(key)
    return [_setting(names, sides) for names in grouped.values()]


def _setting(names: Sequence[str], sides: Sequence[Mapping[str, Sequence[Option]]]) -> DifferingSetting:
    lines = [tuple(option.text for name in names for option in side.get(name, ())) for side in sides]
    return DifferingSetting(
        ", ".join(names),
        _text(names, sides[0]),
        _text(names, sides[1]),
        frozenset(names),
        lines=(lines[0], lines[1]),
    )


def _text(names: Sequence[str], side: Mapping[str, Sequence[Option]]) -> str:
    """The values of options, in the order of their names."""
    return ", ".join(" ".join(map(_value, side.get(name, ()))) or UNSET for name in names)


def _value(option: Option) -> str:
    """The value as written; a flag is ON or OFF."""
    (value,) = option_values(f"[mysqld]\n{option.text}\n").values()
    return value if option.value is None or value in ("ON", "OFF") else unquote(option.value)


def _defaults_between(defaults: Defaults, together: Sequence[Collection[str]]) -> list[DifferingSetting]:
    grouped: dict[str, list[str]] = {}
    for name in defaults:
        grouped.setdefault(_row_of(name, together), []).append(name)
    found = []
    for names in grouped.values():
        lines = [tuple(f"{name}={defaults[name][side]}" for name in names) for side in (0, 1)]
        texts = [", ".join(defaults[name][side] for name in names) for side in (0, 1)]
        found.append(
            DifferingSetting(
                ", ".join(names),
                texts[0],
                texts[1],
                frozenset(names),
                lines=(lines[0], lines[1]),
                is_default=True,
            )
        )
    return found


def _row_of(name: str, together: Sequence[Collection[str]]) -> str:
    """What an option changes with: the group of a person, the row of a table, else itself."""
    own = next((min(group) for group in together if name in group), "")
    if own or name in _ROW_OF:
        return own or _ROW_OF[name]
    return _row_of("performance_schema", together) if name.startswith("performance_schema_") else name


def _fields_between(a: Contender, b: Contender) -> list[DifferingSetting]:
    return [
        DifferingSetting(
            title,
            str(getattr(a, field) or UNSET),
            str(getattr(b, field) or UNSET),
            fields=frozenset((field,)),
        )
        for field, title in FIELDS.items()
        if getattr(a, field) != getattr(b, field)
    ]


def _options(cnf: str) -> tuple[Option, ...]:
    return parse_preset(cnf, "rendered", "").options


def _by_key(cnf: str) -> dict[str, list[Option]]:
    found: dict[str, list[Option]] = {}
    for option in _options(cnf):
        found.setdefault(option.key, []).append(option)
    return found


def _meaning(options: Iterable[Option]) -> list[dict[str, str]]:
    """Lines in comparable form: `1G` and `1073741824` are the same."""
    return [option_values(f"[mysqld]\n{option.text}\n") for option in options]


def _of(values: Values, names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name in names}


def _same(ours: Contender, theirs: Contender) -> bool:
    alike = ("fingerprint", "engine", *FIELDS)
    return all(getattr(ours, name) == getattr(theirs, name) for name in alike) and option_values(
        ours.cnf
    ) == option_values(theirs.cnf)


def _preset_name(cnf: str) -> str:
    """The name under which a plan has this my.cnf."""
    return f"explain-{digest(cnf)[:8]}"
