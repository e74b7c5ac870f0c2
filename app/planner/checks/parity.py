"""Finds settings in which the contenders of a plan differ: engines are compared, not settings.

Before a rehearsal only what all presets name is known; the rehearsal says what is in force.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from app.core.units import count_text, first_texts
from app.engines import engine_of
from app.planner.estimate.estimate import ContenderSize
from app.protocol.answers import INFO, PASS, WARN, Check, OptionReply, RehearsalResult
from app.protocol.plan import Contender
from app.protocol.words import canonical_value
from app.variables import option_values
from app.variables.memory_text import memory_settings_text
from app.variables.variables import MATTERS, NAMED, OF_THE_SERVER, Values

IN_MEMORY = 0.8  # of the memory: what the operating system can cache of files read through it
CORES, MEMORY, ALLOCATOR = "cores", "server memory", "allocator"
IN_FORCE = "settings in force"  # the check that a rehearsal answers
PARITY = "settings"
_SEE_EACH = "--details shows their values; set them in a my.cnf to compare without them"
_SHOWN = 6  # variables named in one line
_MOST = 1000  # kept with their values: a server may answer anything
_LONGEST = 200  # characters of a value
_NAME = re.compile(r"[a-z0-9_.]{1,64}")
_SAYS_NOTHING = re.compile(r"version|.*_version$|license$|.*time_zone$")  # what a server says of itself
_ALGORITHM = re.compile(r"zlib|snappy|lz4|zstd|bzip2|lzma|lzo|row format compressed", re.IGNORECASE)


# before the rehearsal


def check_presets(
    contenders: Sequence[Contender], sizes: Sequence[ContenderSize], defaults: Mapping[str, Values]
) -> list[Check]:
    """Differences in what all presets set, and in cores and memory; and in defaults that are known.

    A server that runs already has no preset.
    """
    contenders = [each for each in contenders if not each.is_existing]
    values = [option_values(each.cnf) for each in contenders]
    found = _check_rules(
        contenders, [variable_meanings(*each, False) for each in zip(contenders, values, strict=True)]
    )
    found += _check_sides(contenders, values, sizes)
    return [*found, _known_defaults(contenders, values, defaults)] if len(contenders) > 1 else found


def _known_defaults(
    contenders: Sequence[Contender], values: Sequence[Values], defaults: Mapping[str, Values]
) -> Check:
    """What presets do not set is up to the builds: earlier sessions tell it, or the rehearsal."""
    text = "not known before a rehearsal"
    builds = dict.fromkeys(each.fingerprint for each in contenders)
    known = [defaults[build] for build in builds if build in defaults]
    set_ones = {name for each in values for name in each}
    changed = differing_build_defaults(known, set_ones) if len(known) > 1 else []
    changed.sort(key=lambda name: name not in NAMED)  # what matters in a comparison first
    if changed:
        differ = f"the defaults of these builds differ in {count_text(len(changed), 'variable')}"
        text += f"; {differ}: {first_texts(changed, _SHOWN)}"
    return Check(IN_FORCE, INFO, text)


# after it


def check_contender_parity(
    contenders: Sequence[Contender], sizes: Sequence[ContenderSize], rehearsals: Sequence[RehearsalResult]
) -> list[Check]:
    """Differences in force between the servers of these contenders, each started or looked at once.

    One that runs already and does not show its variables takes no part.
    """
    pairs = list(zip(contenders, rehearsals, strict=True))
    pairs = [(each, its) for each, its in pairs if its.variables or not each.is_existing]
    contenders, rehearsals = [each for each, _ in pairs], [its for _, its in pairs]
    if len(contenders) < 2 or not all(each.variables for each in rehearsals):
        return []
    values = [each.variables for each in rehearsals]
    meanings = [
        {
            **variable_meanings(contender, each.variables),
            **({} if contender.is_existing else _of_start(contender, each)),
        }
        for contender, each in zip(contenders, rehearsals, strict=True)
    ]
    found = _check_rules(contenders, meanings) + _check_sides(contenders, values, sizes)
    agreed = Check(PARITY, PASS, f"the servers agree in {len(meanings[0])} settings in force")
    return [*(found or [agreed]), *_check_defaults(contenders, values)]


def _of_start(contender: Contender, found: RehearsalResult) -> dict[str, str]:
    """What only the start of a server tells."""
    allocator = "" if contender.allocator else PurePosixPath(found.allocator).name
    return {"compression": reported_compression(found.compression), ALLOCATOR: allocator}


def reported_compression(in_force: str) -> str:
    """The compression as the server reports it; `none` if it names no algorithm."""
    return "; ".join(filter(_ALGORITHM.search, in_force.split("; "))) or "none"


def variable_meanings(contender: Contender, values: Values, is_in_force: bool = True) -> dict[str, str]:
    """What each variable means for a contender, without meaningless ones."""
    engine = engine_of(contender.engine)
    plain_ones = {each.what: each.answer(engine, values, is_in_force) for each in MATTERS}
    asked = {CORES: contender.cores or "all", MEMORY: memory_settings_text(vars(contender)) or _USUAL_MEMORY}
    asked = {} if contender.is_existing else asked  # what it has of its machine is not known
    return {what: answer for what, answer in {**plain_ones, **asked}.items() if answer}


def _check_rules(contenders: Sequence[Contender], meanings: Sequence[Mapping[str, str]]) -> list[Check]:
    found = []
    for what in dict.fromkeys(what for each in meanings for what in each):
        why, todo = _WORDS[what]
        found += _difference(what, why, todo, contenders, [each.get(what, "") for each in meanings])
    return found


def _difference(
    what: str, why: str, todo: str, contenders: Sequence[Contender], said: Sequence[str]
) -> list[Check]:
    """A check of a difference; contenders without an answer do not count."""
    who: dict[str, list[str]] = {}
    for contender, answer in zip(contenders, said, strict=True):
        if answer:
            who.setdefault(answer, []).append(contender.name)
    if len(who) < 2:
        return []
    text = "; ".join(f"{', '.join(names)}: {answer}" for answer, names in who.items())
    return [Check(PARITY, WARN, f"{what}: {text} ({why})", todo)]


def parity_in_brief(checks: Sequence[Check]) -> list[Check]:
    """The same checks with all differences between the contenders in one line."""
    found = [each for each in checks if (each.name, each.state) == (PARITY, WARN)]
    if len(found) < 2:
        return list(checks)
    names = ", ".join(each.text.partition(":")[0] for each in found)
    what = f"the servers differ in {len(found)} settings that cost time"
    text = f"{what}, by their my.cnf or by the defaults of their builds: {names}"
    return [*(each for each in checks if each not in found), Check(PARITY, WARN, text, _SEE_EACH)]


# data and caches


def _check_sides(
    contenders: Sequence[Contender], values: Sequence[Values], sizes: Sequence[ContenderSize]
) -> list[Check]:
    of_name = {each.contender: each for each in sizes}  # without servers that run already
    sides = [
        _side(each, its, of_name[each.name]) if each.name in of_name else ""
        for each, its in zip(contenders, values, strict=True)
    ]
    return _difference("fits in cache", *_WORDS["fits in cache"], contenders, sides)


def _side(contender: Contender, values: Values, size: ContenderSize) -> str:
    """Whether the page cache holds its files too; '' if unknown."""
    access = engine_of(contender.engine).file_access(values)
    is_small = size.data_bytes <= IN_MEMORY * size.memory_bytes
    if size.data_bytes <= size.cache_bytes or (access.startswith("buffered") and is_small):
        return "the data fits"
    return "the data does not fit" if access or not is_small else ""


# defaults


def _check_defaults(contenders: Sequence[Contender], values: Sequence[Values]) -> list[Check]:
    """A check with the number of other variables that differ by the builds' defaults."""
    started = [each for each in zip(contenders, values, strict=True) if not each[0].is_existing]
    if not started:
        return []
    one_of_each = {each.fingerprint: (each.name, its) for each, its in started}
    set_ones = {name for each in contenders for name in option_values(each.cnf)}
    changed = differing_build_defaults([its for _, its in one_of_each.values()], set_ones | NAMED)
    if not changed:
        return []
    named = first_texts(changed, _SHOWN)
    text = f"{len(changed)} other variables differ by the defaults of the builds: {named}"
    details = [
        OptionReply(
            "default", name, "; ".join(f"{who}: {its[name][:_LONGEST]}" for who, its in one_of_each.values())
        )
        for name in changed[:_MOST]
    ]
    return [Check("defaults", PASS, text, answers=tuple(details))]


def differing_build_defaults(values: Sequence[Values], set_ones: Collection[str]) -> list[str]:
    """Variables with different values that all builds have and no preset sets."""
    common = set(values[0]).intersection(*values).difference(set_ones) - OF_THE_SERVER
    return sorted(
        name
        for name in common
        if _NAME.fullmatch(name)
        and not _SAYS_NOTHING.match(name)
        and not any("/" in each[name] for each in values)
        and len({canonical_value(each[name]) for each in values}) > 1
    )


_USUAL_MEMORY = "as the build and the machine have it"
_WORDS = {
    **{each.what: (each.why, each.todo) for each in MATTERS},
    CORES: ("fewer CPUs do less work", "give all the same cores, unless you compare cores"),
    MEMORY: ("allocators and limits cost time", "give all the same, unless you compare these"),
    ALLOCATOR: (
        "memory is allocated in each query",
        "choose the same allocator for all, unless you compare the builds as they come",
    ),
    "compression": (
        "compression costs CPU and saves bytes written and cached",
        "set the same compression for all, or none",
    ),
    "fits in cache": (
        "one contender reads from memory, the other from files",
        "change rows or caches so that the data of all contenders fits, or of none",
    ),
}
