"""The my.cnf of a session: the rendered preset, then what is Dyno's alone (paths, socket, user, network)."""

from __future__ import annotations

import glob
import os
from typing import Dict, List, Mapping

PLUGINS = ("lib*/plugin", "lib*/*/plugin", "lib*/*/*/plugin", "plugin")  # where builds have them, or had

LOOPBACK = "127.0.0.1"
DATA, TMP, ERROR_LOG, MY_CNF = "data", "tmp", "error.log", "my.cnf"
CLOSING_FILE = "closing.sql"  # what a server that listens carries out before it accepts a client


def write_my_cnf(session: str, preset: str, own: Mapping[str, str]) -> str:
    """Write my.cnf into the directory of a session; the answer is its path."""
    path = os.path.join(session, MY_CNF)
    lines = [preset.rstrip(), "", "# what follows is Dyno's", "[mysqld]"]
    lines += ["{}={}".format(name, value) if value else name for name, value in own.items()]
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(fd, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def dyno_options(
    session: str, socket: str, base: str, known: Mapping[str, str], address: str = "", port: int = 0
) -> Dict[str, str]:
    """Dyno's options for a build that knows the options `known`; no address: no network at all."""
    options = {
        "basedir": base,
        "datadir": os.path.join(session, DATA),
        "tmpdir": os.path.join(session, TMP),
        "log-error": os.path.join(session, ERROR_LOG),
        "socket": socket,
        "pid-file": socket + ".pid",
    }
    if address:
        # with names resolved, every client of 127.0.0.1 would be localhost, where root has no password
        options.update({"port": str(port), "bind-address": address, "skip-name-resolve": ""})
        options["init-file"] = os.path.join(session, CLOSING_FILE)
    else:
        options["skip-networking"] = ""
    if os.geteuid() == 0:
        options["user"] = "root"
    options.update(_where_known(session, base, known))
    return options


def _where_known(session: str, base: str, known: Mapping[str, str]) -> Dict[str, str]:
    options = {}
    if "secure-file-priv" in known:
        options["secure-file-priv"] = os.path.join(session, TMP)
    if "mysqlx" in known or "mysqlx-socket" in known:
        options["mysqlx"] = "OFF"
    plugins = plugin_dir(base, known)
    if plugins != known.get("plugin-dir", ""):
        options["plugin-dir"] = plugins
    messages = messages_dir(base)
    if messages and "lc-messages-dir" in known:
        options["lc-messages-dir"] = messages
    return options


def plugin_dir(base: str, known: Mapping[str, str]) -> str:
    """Its plugin directory, which may differ from where the server looks for it; '' if unknown."""
    said = known.get("plugin-dir", "")
    inside = (os.path.realpath(said) + os.sep).startswith(os.path.realpath(base) + os.sep)
    if said and inside and _has_plugins(said):
        return said
    patterns = (os.path.join(glob.escape(base), pattern) for pattern in PLUGINS)
    folders = (folder for pattern in patterns for folder in sorted(glob.glob(pattern)))
    return next(filter(_has_plugins, folders), said)


def _has_plugins(folder: str) -> bool:
    return any(glob.iglob(os.path.join(glob.escape(folder), "*.so")))


def messages_dir(base: str) -> str:
    """The folder whose `english/` holds errmsg.sys, where the compiled path may be wrong; '' if none."""
    found = find_file(base, "errmsg.sys", within="english")
    return os.path.dirname(os.path.dirname(found)) if found else ""


def find_file(base: str, name: str, within: str = "") -> str:
    """A file in one of the share folders of a build; '' if it is not there."""
    for folder in share_dirs(base):
        path = os.path.join(folder, within, name)
        if os.path.isfile(path):
            return path
    return ""


def share_dirs(base: str) -> List[str]:
    """The folders of a build with SQL files and messages."""
    roots = [os.path.join(glob.escape(base), root, "share") for root in ("", "server", "usr")]
    patterns = [os.path.join(root, part) for root in roots for part in ("", "mysql*", "mariadb*")]
    return [folder for pattern in patterns for folder in sorted(glob.glob(pattern))]
