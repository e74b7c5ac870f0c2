"""The servers installed on a machine: found in a few places, each asked what it is."""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Collection, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from app.agent.server.mycnf import plugin_dir
from app.agent.server.options import (
    BuildWithOptions,
    SurveyedOptions,
    build_with_options,
    help_arguments,
    parse_help,
    plugin_options,
)
from app.agent.server.program import (
    CannotStartError,
    ProgramOutput,
    ask,
    is_script,
    mapped_code,
    missing_shared_libraries,
    root_user_option,
    why_ended,
)
from app.agent.system.caches import file_change_marker, read_file_cache, write_cache
from app.agent.system.directory import MarkedDirectory
from app.engines import KNOWN, engine_of
from app.engines.engine import NAME
from app.engines.server import COMPILED_IN
from app.protocol.answers import Build
from app.protocol.plan import Contender

USUAL = ("/usr", "/usr/local", "/usr/local/mysql*", "/usr/local/mariadb*", "/opt/*", "~/b/*")
PLACES = ("bin", "sbin", "libexec", "")
NAMES = ("mariadbd", "mysqld")
LIBRARIES = ("", "lib", "lib64", "lib/private", "lib/mysql", "lib64/mysql")
AT_ONCE = 4

Options = Dict[str, SurveyedOptions]  # by server program


def find_builds(
    search_paths: Sequence[str], brought: str = "", cache: str = "", heard: Optional[Options] = None
) -> List[Build]:
    """All builds in the search paths, in Dyno's own folder and in the usual places.

    `brought` is Dyno's own folder; the file `cache` keeps fingerprints; `heard` gets the options of
    each server program.
    """
    own = [os.path.join(glob.escape(brought), "*")] if brought else []
    groups = list(_candidates([*search_paths, *own, *USUAL]))
    known, heard = read_file_cache(cache), {} if heard is None else heard
    with tempfile.TemporaryDirectory(prefix="dyno-") as empty, ThreadPoolExecutor(AT_ONCE) as pool:
        builds = list(pool.map(lambda each: _first_able(each[0], each[1], empty, known, heard), groups))
    write_cache(cache, known)
    return _named(builds, brought)


def _candidates(paths: Sequence[str]) -> Iterator[Tuple[str, List[str]]]:
    """Base directories with the server programs in them; one program under two names or bases counts once."""
    seen: set[str] = set()
    for pattern in paths:
        for base in sorted(glob.glob(os.path.expanduser(pattern))):
            for folder, servers in _bases(base):
                new = [each for each in servers if os.path.realpath(each) not in seen]
                seen.update(os.path.realpath(each) for each in servers)
                if new:
                    yield folder, new


def _bases(path: str) -> Iterator[Tuple[str, List[str]]]:
    """A path is a base directory, or else a folder of some."""
    path = os.path.normpath(path)
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return
    found = _base_at(path)
    each = [found] if found else [_base_at(os.path.join(path, name)) for name in names]
    yield from filter(None, each)


def _base_at(path: str) -> Optional[Tuple[str, List[str]]]:
    """The base directory that a folder is, or has in `server/` (npm packages do)."""
    for base in (path, os.path.join(path, "server")):
        servers = servers_in(base)
        if servers:
            return base, servers
    return None


def servers_in(base: str) -> List[str]:
    """The server programs of a base directory, the one to be started first; no file twice."""
    found: Dict[str, str] = {}
    for place in PLACES:
        for name in NAMES:
            path = os.path.join(base, place, name)
            if os.path.isfile(path):
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _first_able(base: str, servers: List[str], empty: str, known: Dict[str, Any], heard: Options) -> Build:
    """The first program that starts, a script before what it calls; if none does, the first."""
    builds = []
    for server in servers:
        build = describe_server_program(base, server, empty, known, heard)
        if build.problem is None:
            return build
        builds.append(build)
    return builds[0]


def describe_server_program(
    base: str, server: str, empty: str, known: Dict[str, Any], heard: Options
) -> Build:
    """What one server program says it is."""
    build = Build("", base, server, script=is_script(server))
    try:
        extra, text = _ask_version(base, server)
        build = replace(build, environment=extra, version_text=text)
        options, binary = _ask_options(base, server, empty, extra, build.script)
    except CannotStartError as error:
        build = replace(build, problem=str(error), environment={})
    else:
        build = _with_engines(replace(build, binary=binary), text, options)
        heard[server] = SurveyedOptions(options, plugin_options(build, options, _plugins(build, options)))
    return replace(build, fingerprint=fingerprint(server, build.binary, known))


def _with_engines(build: Build, version_text: str, options: Mapping[str, str]) -> Build:
    """A build as its answers to --version and --help describe it."""
    family, version = parse_version(version_text, options)
    folder = plugin_dir(build.base, options)
    plugins = engine_plugins_in(folder or "/nowhere", options)
    missing = (
        {} if build.script else missing_plugin_libraries(plugins, build.environment)
    )  # a script may know other libraries
    return replace(
        build,
        family=family,
        version=version,
        plugin_dir=folder or None,
        lacking=missing,
        engines=engines_of(options, set(plugins) - set(missing)),
        other_engines=find_unknown_engines(folder or "/nowhere", options),
        problem=None if version else "Dyno does not understand its --version: {}".format(version_text[:200]),
    )


def _plugins(build: Build, options: Mapping[str, str]) -> List[str]:
    """The files of engines that the build can load, as a my.cnf names them."""
    there = engine_plugins_in(build.plugin_dir or "/nowhere", options)
    return [os.path.basename(path)[:-3] for name, path in there.items() if name in build.engines]


def _ask_version(base: str, server: str) -> Tuple[Dict[str, str], str]:
    """The environment in which the server starts, and its version line."""
    question = ["--no-defaults", *root_user_option(), "--version"]
    answer, extra = ask(server, question, {}), {}
    if answer.code:
        extra = environment(base, server)
        answer = ask(server, question, extra) if extra else answer
    if answer.code:
        raise CannotStartError(why_ended(answer, server))
    return extra, answer.out.strip()


def environment(base: str, server: str) -> Dict[str, str]:
    """The environment of a server: a path to its own libraries where the loader does not look."""
    missing = [] if is_script(server) else missing_shared_libraries(server)
    folders = [os.path.dirname(server), *(os.path.join(base, part) for part in LIBRARIES)]
    holding = [each for each in folders if any(os.path.exists(os.path.join(each, one)) for one in missing)]
    if not holding:
        return {}
    inherited = os.environ.get("LD_LIBRARY_PATH", "")
    paths = [os.path.normpath(each) for each in holding] + ([inherited] if inherited else [])
    return {"LD_LIBRARY_PATH": ":".join(dict.fromkeys(paths))}


def build_of(contender: Contender, directory: MarkedDirectory) -> BuildWithOptions:
    """The build that a contender names, with all that its server needs to be started."""
    extra = environment(contender.base, contender.server)
    build = Build(contender.build, contender.base, contender.server, environment=extra)
    return build_with_options(directory.at("builds"), build)


def _ask_options(
    base: str, server: str, empty: str, extra: Mapping[str, str], script: bool
) -> Tuple[Dict[str, str], Optional[str]]:
    """Its options; for a script also the program it ends in, seen while its answer waits in the pipe."""
    seen: List[str] = []
    look = (lambda pid: seen.extend(programs_of(pid))) if script else None
    answer: ProgramOutput = ask(server, help_arguments(base, empty), extra, meanwhile=look)
    options = parse_help(answer.out)
    if not options:
        raise CannotStartError(why_ended(answer, server))
    return options, seen[0] if seen else None


def programs_of(pid: int) -> List[str]:
    """The server programs that a process and its children run, whatever loader started them."""
    mapped = dict.fromkeys(path for each in (pid, *_children(pid)) for path in mapped_code(each))
    return [path for path in mapped if _is_server(os.path.basename(path))]


def _is_server(name: str) -> bool:
    return any(each in name for each in NAMES) and ".so" not in name


def _children(pid: int) -> List[int]:
    """The other processes of the group that a question was given."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != pid:
            try:
                if os.getpgid(int(entry)) == pid:
                    found.append(int(entry))
            except OSError:
                continue
    return found


def parse_version(text: str, options: Mapping[str, str]) -> Tuple[Optional[str], Optional[str]]:
    """Family and version, from --version and from options that only one family has."""
    match = re.search(r"\bVer (\d+(?:\.\d+)+)(-\d+(?:\.\d+)*\b)?", text)
    if not match:
        return None, None
    version, release = match.group(1), match.group(2) or ""
    if "MariaDB" in text:
        return "MariaDB", version
    if "Percona" in text:
        return "Percona", version + release
    return _family_by_options(options), version


def _family_by_options(options: Mapping[str, str]) -> str:
    """The family of a build whose version line does not name it."""
    compiled_in = (each.only_compiled_in for each in KNOWN.values() if each.option in options)
    noncurrent = "FB MySQL" if "allow-noncurrent-db-rw" in options else "MySQL"
    return next(filter(None, compiled_in), noncurrent)


def engine_plugins_in(folder: str, options: Mapping[str, str]) -> Dict[str, str]:
    """The plugins there of engines that are not compiled in."""
    paths = {name: os.path.join(folder, each.plugin) for name, each in KNOWN.items() if each.plugin}
    return {
        name: path
        for name, path in paths.items()
        if KNOWN[name].option not in options and os.path.isfile(path)
    }


def missing_plugin_libraries(plugins: Mapping[str, str], environment: Mapping[str, str]) -> Dict[str, str]:
    """Why an engine does not load although its plugin is there."""
    found = {
        engine: ", ".join(missing_shared_libraries(path, environment)) for engine, path in plugins.items()
    }
    text = "{} lacks {}: install its package"
    return {engine: text.format(KNOWN[engine].plugin, names) for engine, names in found.items() if names}


def engines_of(options: Mapping[str, str], plugins: Collection[str]) -> List[str]:
    """Engines compiled in, or there as a plugin that can be loaded."""
    return [name for name, each in KNOWN.items() if each.option in options or name in plugins]


def find_unknown_engines(folder: str, options: Mapping[str, str]) -> Dict[str, str]:
    """Engines that Dyno does not know, each with the plugin to load; '' is compiled in.

    What a server makes of them it lists once it is started: SHOW ENGINES.
    """
    compiled_in = (name for name, option in COMPILED_IN.items() if not option or option in options)
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), "ha_*.so")))
    plugins = {path[:-3].rpartition("ha_")[2].lower(): os.path.basename(path) for path in paths}
    found = {**plugins, **dict.fromkeys(compiled_in, "")}
    return {
        name: plugin
        for name, plugin in found.items()
        if NAME.fullmatch(name) and not engine_of(name).has_facts
    }


def _named(builds: List[Build], brought: str) -> List[Build]:
    """Give each build a short unique name; plans store names, so a new build takes no existing one."""
    count: Dict[str, int] = {}
    names: Dict[str, str] = {}  # by server program
    for build in sorted(builds, key=lambda each: _rank(each.base, brought)):
        name = entry_holding_base(brought, build.base) or _said_name(build)
        count[name] = count.get(name, 0) + 1
        names[build.server] = name if count[name] == 1 else "{}-{}".format(name, count[name])
    return [replace(build, name=names[build.server]) for build in builds]


def _rank(base: str, brought: str) -> int:
    """The order in which builds get names: Dyno's own first, those that a person added last."""
    if entry_holding_base(brought, base):
        return 0
    is_usual = any(fnmatch.fnmatch(base, os.path.expanduser(pattern)) for pattern in USUAL)
    return 1 if is_usual else 2


def entry_holding_base(folder: str, base: str) -> str:
    """The folder's entry that holds this base directory; '' if none does."""
    inside = bool(folder) and base.startswith(folder + os.sep)
    return os.path.relpath(base, folder).split(os.sep)[0] if inside else ""


def _said_name(build: Build) -> str:
    family = (build.family or "unknown").replace(" ", "").lower()
    return "{}-{}".format(family, build.version) if build.version else family


def fingerprint(server: str, binary: Optional[str], known: Dict[str, Any]) -> Optional[str]:
    """The SHA-256 of a server program; of a script, of its own hash and that of the program it ends in."""
    own = _hash_of(os.path.realpath(server), known)
    if own is None or binary is None:
        return own
    return hashlib.sha256("{}\n{}\n".format(own, _hash_of(binary, known)).encode()).hexdigest()


def _hash_of(path: str, known: Dict[str, Any]) -> Optional[str]:
    try:
        state = file_change_marker(path)
        if known.get(path, [])[:3] != state:
            known[path] = [*state, hash_file(path)]
    except OSError:
        return None
    return str(known[path][3])


def hash_file(path: str) -> str:
    hashed = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            hashed.update(block)
    return hashed.hexdigest()
