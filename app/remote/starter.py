"""Runs on the target: brings the agent file there, and starts it.

`python3 -I -S -c SCRIPT push DIRECTORY SHA` makes the directory, refuses one that is not safe, and stores the
agent file from standard input; with nothing there it only says whether the file is on the target.
`python3 -I -S -c SCRIPT run DIRECTORY/agents/SHA.pyz VERB ...` runs it, if SHA is the hash of its content.

One JSON line answers; `input` says that the person named the wrong directory. The syntax is that of
Python 2.7, so that an old Python can say what it is.
"""

import errno
import functools
import hashlib
import json
import os
import stat
import sys

MARKER = "DYNO-TARGET"
MARKER_TEXT = (
    b"This directory is Dyno's, with everything in it. Without this file Dyno deletes nothing here.\n"
)
PRIVATE = 0o600
LARGEST = 64 << 20  # bytes of an agent file
MOST_LINKS = 40  # as many as the kernel follows
NO_ROOM = "free some space, or name a directory on another disk"
NO_RIGHT = "name a directory that this user may write in"
TODO = {
    errno.ENOSPC: NO_ROOM,
    errno.EDQUOT: NO_ROOM,
    errno.EROFS: "name a directory on a disk that is not mounted read-only",
    errno.EACCES: NO_RIGHT,
    errno.EPERM: NO_RIGHT,
}


class StarterError(Exception):
    def __init__(self, text, is_input=False):  # type: (str, bool) -> None
        Exception.__init__(self, text)
        self.is_input = is_input


def push(directory, sha):  # type: (str, str) -> dict[str, object]
    path = make_directory(os.path.expanduser(directory))
    home = open_folder(path)
    is_marked = is_dyno_directory(home, path)
    check_owner(home, path)
    if not is_marked:
        mark(home)
    agents = open_subfolder(home, "agents", path)
    name = sha + ".pyz"
    there = is_there(agents, name, sha)
    if not there:
        content = sys.stdin.buffer.read(LARGEST)
        if content:
            store_agent_file(agents, name, sha, content)
            there = True
    return {"directory": os.path.realpath(path), "there": there}


def make_directory(path):  # type: (str) -> str
    if not os.path.isabs(path):
        raise StarterError("the directory {} is not absolute: start it with / or ~/".format(path), True)
    path = os.path.normpath(path)
    require_parent_directory(os.path.dirname(path), path)
    refuse_unsafe_path(os.path.dirname(path))
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    if os.path.islink(path):
        raise StarterError("{} is a symbolic link: name the directory that it points to".format(path))
    if not os.path.isdir(path):
        raise StarterError("{} is not a directory: name another one".format(path), True)
    return path


def require_parent_directory(parent, path):  # type: (str, str) -> None
    """Create only the last part of a path: a missing parent may be a disk that is not mounted."""
    try:
        os.stat(parent)
    except FileNotFoundError:
        text = "there is no {} to make {} in: mount the disk, or make it: mkdir -p {}"
        raise StarterError(text.format(parent, path, parent), True)
    except NotADirectoryError:
        pass
    if not os.path.isdir(parent):
        raise StarterError("{} is not a directory: name another one".format(parent), True)


def refuse_unsafe_path(path):  # type: (str) -> None
    """Refuse a path on which another user could put a directory in the place of ours.

    Part by part, links resolved: each directory and link is root's or ours, and nobody else can write there.
    With the sticky bit others may write: they cannot rename what is ours.
    """
    here, done, links = open_place("/", None, "/"), "/", 0
    parts = path.split("/")
    while parts:
        part = parts.pop(0)
        if not part or part == ".":
            continue
        done = os.path.normpath(os.path.join(done, part))
        found = os.stat(part, dir_fd=here, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            check_place_owner(found, done)
            parts = os.readlink(part, dir_fd=here).split("/") + parts
            part, done = (".", os.path.dirname(done)) if parts[0] else ("/", "/")
        above, here = here, open_place(part, here, done)
        os.close(above)
    os.close(here)


def open_place(name, parent, path):  # type: (str, int | None, str) -> int
    """Open a directory on the way, if it is safe; it need not be readable."""
    place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    found = os.fstat(place)
    check_place_owner(found, path)
    mode = found.st_mode
    others = mode & stat.S_IWOTH or (mode & stat.S_IWGRP and not is_only_owner_in_group(place, found))
    if others and not mode & stat.S_ISVTX:
        text = "other users can write in {}: chmod go-w {}, or name another directory"
        raise StarterError(text.format(path, path))
    return place


def check_place_owner(found, path):  # type: (os.stat_result, str) -> None
    if found.st_uid not in (0, os.geteuid()):
        text = "{} belongs to user {}, who could exchange what is in it: name another directory"
        raise StarterError(text.format(path, found.st_uid))


def is_only_owner_in_group(place, found):  # type: (int, os.stat_result) -> bool
    """Only the owner is in the group: many systems give each user one of the same name, and a umask of 002.

    With an access list the group's bits are those of everybody in the list.
    """
    import grp  # here, as asking for users may take a network
    import pwd

    if has_access_list(place):
        return False
    try:
        owner, group = pwd.getpwuid(found.st_uid), grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    members = [each.pw_name for each in pwd.getpwall() if each.pw_gid == group.gr_gid] + group.gr_mem
    return (
        owner.pw_gid == group.gr_gid
        and group.gr_name == owner.pw_name
        and set(members) <= {owner.pw_name, "root"}
    )


def has_access_list(place):  # type: (int) -> bool
    try:
        return "system.posix_acl_access" in os.listxattr("/proc/self/fd/{}".format(place))
    except OSError:  # a file system without them
        return False


def open_folder(name, parent=None):  # type: (str, int | None) -> int
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def is_dyno_directory(home, path):  # type: (int, str) -> bool
    """True if the directory is Dyno's already, False if it is empty."""
    names = os.listdir(home)
    if names and MARKER not in names:
        text = "{} is not empty and not Dyno's (it has no {}): name another directory"
        raise StarterError(text.format(path, MARKER), True)
    return MARKER in names


def check_owner(home, path):  # type: (int, str) -> None
    found = os.fstat(home)
    if found.st_uid != os.geteuid():
        text = "{} belongs to user {}, not to user {}: name another directory or change its owner"
        raise StarterError(text.format(path, found.st_uid, os.geteuid()))
    if found.st_mode & 0o077:
        raise StarterError("{} is open to other users: chmod 700 {}".format(path, path))


def mark(home):  # type: (int) -> None
    try:
        write_new_file(home, MARKER, MARKER_TEXT)
    except FileExistsError:  # another Dyno did the same at this moment
        pass


def open_subfolder(home, name, path):  # type: (int, str, str) -> int
    try:
        os.mkdir(name, 0o700, dir_fd=home)
    except FileExistsError:
        pass
    try:
        return open_folder(name, home)
    except NotADirectoryError:
        raise StarterError("{}/{} is not a directory: remove it".format(path, name))


def is_there(agents, name, sha):  # type: (int, str, str) -> bool
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=agents)
    except OSError:
        return False
    with open(fd, "rb") as file:
        return digest(file.read(LARGEST)) == sha


def store_agent_file(agents, name, sha, content):  # type: (int, str, str, bytes) -> None
    """Store the file, whole or not at all."""
    if digest(content) != sha:
        raise StarterError("the agent file came through damaged: try again")
    temporary = ".{}.{}".format(name, os.getpid())
    try:
        write_new_file(agents, temporary, content)
        os.rename(temporary, name, src_dir_fd=agents, dst_dir_fd=agents)
    except OSError:
        discard(agents, temporary)
        raise


def discard(folder, name):  # type: (int, str) -> None
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:  # it was never made
        pass


def write_new_file(folder, name, content):  # type: (int, str, bytes) -> None
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE, dir_fd=folder)
    with open(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(fd)


def digest(content):  # type: (bytes) -> str
    return hashlib.sha256(content).hexdigest()


def open_checked_agent(file):  # type: (str) -> int
    """Open the agent file, if nobody else can write it and its name is its hash."""
    folder, name = os.path.split(file)
    path = os.path.dirname(folder)
    refuse_unsafe_path(os.path.dirname(path))
    home = open_folder(path)
    check_owner(home, path)
    agents = open_folder("agents", home)
    check_owner(agents, folder)
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=agents)
    check_owner(fd, file)
    with open(fd, "rb", closefd=False) as content:
        if digest(content.read(LARGEST)) + ".pyz" != name:
            raise StarterError("{} is not what Dyno brought there: try again".format(file))
    return fd


def push_agent_or_error(directory, sha):  # type: (str, str) -> dict[str, object]
    if sys.version_info < (3, 8):
        return {"python": "{}.{}".format(*sys.version_info[:2])}
    try:
        return push(directory, sha)
    except StarterError as refusal:
        return {"error": str(refusal), "input": refusal.is_input}
    except OSError as error:
        todo = TODO.get(error.errno or 0, "name another directory")
        return {"error": "{} cannot be used: {}: {}".format(directory, error.strerror, todo), "input": False}


def run(file):  # type: (str) -> None
    """Run the file like `python3 FILE WORDS`, but from the checked descriptor."""
    import zipimport

    try:
        place = "/proc/self/fd/{}".format(open_checked_agent(file))
    except StarterError as refusal:
        fail(str(refusal))
    except OSError as error:
        fail("{} cannot be read: {}: try again".format(file, error.strerror))
    sys.path.insert(0, place)
    # Python compiles a module of a zip for the name of its file, and then again to carry it out
    once = functools.lru_cache(maxsize=1)
    zipimport._get_module_code = once(zipimport._get_module_code)  # type: ignore[attr-defined]
    exec(zipimport.zipimporter(place).get_code("__main__"), {"__name__": "__main__"})  # noqa: S102


def fail(text):  # type: (str) -> None
    print(json.dumps({"error": text}))
    sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1] == "push":
        print(json.dumps(push_agent_or_error(sys.argv[2], sys.argv[3])))
    else:
        del sys.argv[:2]  # leaves the words that the agent file expects
        run(sys.argv[0])
