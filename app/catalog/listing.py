"""Finding the files: shipped ones next to the code, the person's own in DYNO_HOME."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.settings import home
from app.core.shipped import shipped_folder
from app.core.toml_text import Document, read_document, read_text
from app.engines import KNOWN, engine_of
from app.engines.engine import NAME as NAME_OF_ENGINE
from app.protocol.sysbench import lua_with_required, required_lua_files
from app.variables import Preset, parse_preset
from app.variables.names import EARLIER, old_default_preset, preset_list_position

from . import declared_work
from .approval import UnapprovedLuaError, hash_of
from .counting import COUNTED, EVENTS, counted_sequence, counted_workload
from .custom_sql import MAX_SQL, ParsedCustomSql, parse_custom_sql, sql_workload_fields
from .sequence import Sequence, sequence_of
from .sql_lua import made_lua
from .workload import NAME, Workload, workload_of

OTHER = "other"  # the folder of presets for engines without facts
MAX_LUA = 256 * 1024
MAX_CNF = 64 * 1024
OF_LOAD = "sbtest"  # how the tables of Dyno's own load begin

_PRESET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_Entry = TypeVar("_Entry", Workload, Sequence)


class Catalog:
    """Everything to choose from; files are read on request."""

    def __init__(self, own: Path | None = None) -> None:
        own = own or home()
        shipped = shipped_folder("workloads")
        self._workloads = (shipped, own / "workloads")
        self._sequences = (shipped / "sequences", own / "sequences")
        self._presets = (shipped_folder("cnf_presets"), own / "presets")

    # workloads and sequences

    def workload(self, name: str) -> Workload:
        found = _find(self._workloads, name, "workload", workload_of)
        if not found.sql:
            return found
        return replace(found, **sql_workload_fields(self.custom_sql(found), found.kind))

    def sequence(self, name: str) -> Sequence:
        """The sequence of a file, or the one that counts a workload."""
        if counted_workload(name) and name not in _names(self._sequences, "toml"):
            return self._counting(self.workload(counted_workload(name)))
        return _find(self._sequences, name, "sequence", sequence_of)

    def _counting(self, workload: Workload) -> Sequence:
        """Custom SQL on tables of its own needs the load of its file."""
        loads = [each for each in self.workloads()[0] if each.kind == "load"]
        own = [each.name for each in loads if each.sql and each.sql == workload.sql]
        if workload.sql and not own and OF_LOAD not in self.sql_of(workload):
            raise InputError(
                f"workload {workload.name} reads tables of its own: write a sequence with their load, and a"
                f' step workload = "{workload.name}" with count = {EVENTS}'
            )
        return counted_sequence(workload, self.sequence(COUNTED), own[0] if own else "")

    def workloads(self) -> tuple[list[Workload], list[str]]:
        """All that can be read, and what is wrong with the others."""
        return _all(self._workloads, "toml", self.workload)

    def sequences(self) -> tuple[list[Sequence], list[str]]:
        """All that can be read, and what is wrong with the others."""
        return _all(self._sequences, "toml", self.sequence)

    def own_workload_path(self, name: str) -> Path:
        """The path for a person's own workload of this name; a shipped name is refused."""
        shipped, own = self._workloads
        if (shipped / f"{name}.toml").is_file():
            raise InputError(
                f"workload {name} comes with Dyno and is read-only: choose another name for yours"
            )
        return own / f"{name}.toml"

    def own_sequence_path(self, name: str) -> Path:
        """The path for a person's own sequence of this name; a shipped name is refused."""
        shipped, own = self._sequences
        if (shipped / f"{name}.toml").is_file():
            raise InputError(
                f"sequence {name} comes with Dyno and is read-only: choose another name for yours"
            )
        if not NAME.fullmatch(name):
            raise InputError(
                f"the name of a sequence may have lower-case letters, digits, dots and dashes, got {name!r}"
            )
        return own / f"{name}.toml"

    def workload_files(self, workload: Workload) -> dict[str, str]:
        """What a plan carries for a workload: its TOML, its Lua and what that requires."""
        files = {f"workloads/{workload.name}.toml": workload.text}
        wanted = [workload.lua]
        if workload.sql:
            made = made_lua(self.custom_sql(workload), workload.kind, workload.sql)
            files[f"workloads/{workload.sql}"] = self.sql_of(workload)
            files[f"workloads/{workload.lua}"] = made
            wanted = required_lua_files(made)
        found = lua_with_required(wanted, partial(self._lua_beside, workload))
        for name in wanted:
            if f"workloads/{name}" not in found:
                raise _missing(name, workload)
        return {**files, **found}

    def statements(self, workloads: Iterable[Workload]) -> dict[str, list[dict[str, Any]]]:
        """What an event of workloads sends, by their Lua, for those of which it is declared.

        A folder declares the work of its own Lua. What is declared of shipped Lua holds for a copy of one's
        own too, but only while its text is the same.
        """
        found = {}
        for workload in workloads:
            path = self._find_beside(workload.lua, workload)
            declared = [] if path is None else self._declared_of(path)
            if declared:
                found[workload.lua] = declared
        return found

    def _declared_of(self, lua: Path) -> list[dict[str, Any]]:
        declared = declared_work.declared_statements(lua.parent).get(lua.name, [])
        shipped = self._workloads[0] / lua.name
        if declared or not shipped.is_file() or shipped.read_bytes() != lua.read_bytes():
            return declared
        return declared_work.declared_statements(shipped.parent).get(lua.name, [])

    def shipped_lua(self, name: str) -> dict[str, str]:
        """Lua that belongs to no workload, with what it requires: none of it is a person's own."""
        folder = self._workloads[0]

        def text_of(key: str) -> str | None:
            path = folder / Path(key).name
            return read_text(path, MAX_LUA) if path.is_file() or path.name == name else None

        return lua_with_required([name], text_of)

    def sql_of(self, workload: Workload) -> str:
        """The text of its custom SQL."""
        return self._beside(workload.sql, workload, MAX_SQL)

    def custom_sql(self, workload: Workload) -> ParsedCustomSql:
        """What the SQL of a workload says; raises InputError with the first line that is wrong."""
        found = parse_custom_sql(self.sql_of(workload), workload.kind)
        for problem in found.problems:
            raise InputError(f"{workload.sql}: line {problem.line}: {problem.text}")
        return found

    def check_approved(self, workload: Workload, approved: Iterable[str]) -> None:
        """Raise UnapprovedError where a workload has Lua of a person's own whose hash was not approved.

        Custom SQL is data: its Lua is Dyno's, and its statements reach no further than the tables of a
        server that is taken away with its session.
        """
        if workload.shipped or workload.sql:
            return
        files = self.workload_files(workload)
        sha256 = hash_of(files)
        if sha256 not in set(approved):
            raise UnapprovedLuaError(workload, sha256, files)

    def _beside(self, name: str, workload: Workload, most: int) -> str:
        path = self._find_beside(name, workload)
        if path is None:
            raise _missing(name, workload)
        return read_text(path, most)

    def _find_beside(self, name: str, workload: Workload) -> Path | None:
        """The files of a workload are next to it or shipped; the Lua for custom SQL is shipped."""
        shipped, own = self._workloads
        is_shipped = workload.shipped or (workload.sql and name.endswith(".lua"))
        folders = (shipped,) if is_shipped else (own, shipped)
        return next((folder / name for folder in folders if (folder / name).is_file()), None)

    def _lua_beside(self, workload: Workload, key: str) -> str | None:
        path = self._find_beside(key.removeprefix("workloads/"), workload)
        return None if path is None else read_text(path, MAX_LUA)

    # presets

    def preset(self, engine: str, name: str) -> Preset:
        """The preset of this name, or of the name that it had before."""
        name = self.preset_name(engine, name)
        for shipped, folder in zip((True, False), self._preset_folders(engine), strict=True):
            path = folder / f"{name}.cnf"
            if _PRESET_NAME.fullmatch(name) and path.is_file():
                return parse_preset(read_text(path, MAX_CNF), name, engine, _label(path, shipped), shipped)
        known = self.preset_names(engine)
        meant = did_you_mean(name, known)
        raise InputError(f"no preset {name} for {engine}{meant}: choose one of {_listed(known)}")

    def preset_names(self, engine: str) -> list[str]:
        return _names(self._preset_folders(engine), "cnf")

    def preset_name(self, engine: str, name: str) -> str:
        """The name that a preset has now; a person's own `default` keeps it."""
        own = self._presets[1] / engine / f"{EARLIER}.cnf"
        if name != EARLIER or (NAME_OF_ENGINE.fullmatch(engine) and own.is_file()):
            return name
        return old_default_preset(engine)

    def engines(self) -> list[str]:
        """All that have presets."""
        own = {path.name for path in self._presets[1].glob("*") if path.is_dir()}
        return [*KNOWN, *sorted(name for name in own - set(KNOWN) if NAME_OF_ENGINE.fullmatch(name))]

    def presets(self, engine: str = "") -> tuple[list[Preset], list[str]]:
        """All that can be read, of one engine or of all, `baseline` first; what is wrong with the others."""
        found: list[Preset] = []
        problems: list[str] = []
        for each in [engine] if engine else self.engines():
            some, wrong = _all(self._preset_folders(each), "cnf", partial(self.preset, each))
            found += sorted(some, key=lambda preset: preset_list_position(preset.name))
            problems += wrong
        return found, problems

    def own_preset_path(self, engine: str, name: str) -> Path:
        """The path for a person's own preset of this name; a shipped name is refused."""
        shipped, own = self._preset_folders(engine)
        if not _PRESET_NAME.fullmatch(name):
            raise InputError(f"the name of a preset may have letters, digits, dots and dashes, got {name!r}")
        if (shipped / f"{name}.cnf").is_file():
            raise InputError(
                f"preset {engine}/{name} comes with Dyno and is read-only: choose another name for yours"
            )
        return own / f"{name}.cnf"

    def _preset_folders(self, engine: str) -> tuple[Path, Path]:
        """Those of shipped presets and of a person's own."""
        _check_engine(engine)
        shipped, own = self._presets
        return shipped / (engine if engine_of(engine).has_facts else OTHER), own / engine


def _missing(name: str, workload: Workload) -> InputError:
    return InputError(f"{workload.file}: {name[-3:]}: there is no {name} in the same folder")


def _find(
    folders: tuple[Path, Path], name: str, what: str, make: Callable[[Document, str, bool, str], _Entry]
) -> _Entry:
    for shipped, folder in zip((True, False), folders, strict=True):
        path = folder / f"{name}.toml"
        if path.parent == folder and path.name != declared_work.FILE and path.is_file():
            document = read_document(read_text(path), _label(path, shipped))
            return make(document, name, shipped, str(path))
    known = _names(folders, "toml")
    raise InputError(f"no {what} {name}{did_you_mean(name, known)}: choose one of {_listed(known)}")


def _all(folders: tuple[Path, Path], suffix: str, read: Callable[[str], Any]) -> tuple[list[Any], list[str]]:
    shipped, own = folders
    problems = [
        f"{own / name}.{suffix} is ignored, because {name} comes with Dyno: choose another name for yours"
        for name in _names((own,), suffix)
        if name in _names((shipped,), suffix)
    ]
    found = []
    for name in _names(folders, suffix):
        try:
            found.append(read(name))
        except InputError as error:
            problems.append(str(error))
    return found, problems


def _names(folders: tuple[Path, ...], suffix: str) -> list[str]:
    try:
        files = (path for folder in folders for path in folder.glob(f"*.{suffix}") if not path.is_dir())
        return sorted({path.stem for path in files if path.name != declared_work.FILE})
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _label(path: Path, shipped: bool) -> str:
    """How messages name a file: shipped ones by what is below the code, own ones in full."""
    return "/".join(path.parts[-2:]) if shipped else str(path)


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def _check_engine(engine: str) -> None:
    if not NAME_OF_ENGINE.fullmatch(engine):
        raise InputError(f"no engine {engine}{did_you_mean(engine, KNOWN)}: choose one of {', '.join(KNOWN)}")
