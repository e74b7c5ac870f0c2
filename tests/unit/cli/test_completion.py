"""What a shell completes: words, options and names, in real shells where they are installed."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.cli.complete import candidates, main
from app.cli.complete_names import NAMES
from app.cli.shell_words import quoted, words_of
from app.cli.words import command_words
from app.history.store.history import History
from tests.unit.cli.words import said

HOSTILE = (
    "plain-name",
    "two words",
    "all $(touch /tmp/never) of it",
    'say "hello" & go',
    "it's; `id`",
    "back\\slash*",
    "first\nsecond",
    "größer!",
    "a:b=c",
)
STARTS = {name: re.split(r"[^a-zö]", name)[0] for name in HOSTILE} | {"a:b=c": "a:b"}


@pytest.fixture
def names(dyno_home: Path) -> Path:
    """A history with sessions of these names."""
    with History(dyno_home) as history, history.transaction() as connection:
        columns = [
            row[1]
            for row in connection.execute("PRAGMA table_info(session)").fetchall()
            if row[3] and row[1] != "number" and row[4] is None
        ]
        connection.execute("INSERT INTO plan VALUES ('plan1', 'h', x'')")
        for at, name in enumerate(HOSTILE):
            values = {each: 0 if each in ("ordinal", "repeat", "planned_at") else each for each in columns}
            values |= {"id": f"session{at:06}", "plan": "plan1", "name": name, "ordinal": at}
            connection.execute(
                f"INSERT INTO session ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                tuple(values.values()),
            )
    return dyno_home


def texts(line: str) -> list[str]:
    *before, last = line.split(" ")
    return [each.text for each in candidates(before[1:], last) if each.text.startswith(last)]


def test_words_verbs_options_and_choices() -> None:
    assert texts("dyno se") == ["server", "sequence", "session"]
    assert {"list", "show", "export"} <= set(texts("dyno session "))
    assert texts("dyno run --dry") == ["--dry-run"]
    assert texts("dyno run --order ") == ["interleaved", "slices", "grouped"]
    assert texts("dyno run --order=sl") == ["--order=slices"]
    assert texts("dyno run --sequence qu") == ["quick"]
    assert "innodb/baseline" in texts("dyno preset show inno")
    assert texts("dyno completion ") == ["bash", "zsh", "fish"]


def test_names_of_sessions(names: Path) -> None:
    assert set(HOSTILE) <= set(texts("dyno compare "))
    assert texts("dyno session show plain") == ["plain-name"]


def test_builds_come_from_the_stored_surveys(dyno_home: Path) -> None:
    (dyno_home / "surveys").mkdir(parents=True)
    (dyno_home / "surveys" / "far.json").write_text(
        '{"survey": {"builds": [{"name": "mysql-5.6", "engines": ["InnoDB"]}]}}'
    )
    assert texts("dyno run my") == texts("dyno run --contender my") == ["mysql-5.6"]
    assert texts("dyno run --contender mysql-5.6:") == ["mysql-5.6:innodb"]
    assert "mysql-5.6:innodb:stock" in texts("dyno run --contender mysql-5.6:innodb:")


def test_each_kind_of_names_is_of_an_option_or_argument_that_there_is() -> None:
    all_words = [each for of in command_words().values() for each in of]
    known = {(each.command, name.lstrip("-")) for each in all_words for name in each.names}
    known |= {("", name) for _, name in known}
    assert NAMES.keys() - known == set()


@pytest.mark.parametrize("damage", ["", "a folder", "no database", "older"])
def test_it_creates_nothing_and_says_nothing(
    dyno_home: Path, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = dyno_home / "history.sqlite"
    if damage:
        dyno_home.mkdir(exist_ok=True)
        (dyno_home / "targets.toml").write_text("[[[")
    if damage == "a folder":
        path.mkdir()
    elif damage == "no database":
        path.write_text("x" * 5000)
    elif damage == "older":
        with History(dyno_home):
            pass
    before = sorted(dyno_home.rglob("*")) if dyno_home.exists() else []
    for line in ("dyno compare ", "dyno run --target ", "dyno session series x ", "dyno '", "dyno nothing "):
        assert main(["bash", line, ":="]) == 0
    assert main([]) == main(["bash"]) == main(["zsh"]) == 0
    assert (sorted(dyno_home.rglob("*")) if dyno_home.exists() else []) == before
    assert not capfd.readouterr().err


def test_a_history_that_is_written_is_read_and_left(names: Path) -> None:
    with History(names):
        assert "two words" in texts("dyno compare ")
    before = sorted(names.iterdir())
    assert "two words" in texts("dyno compare ")
    assert sorted(names.iterdir()) == before


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_reads_what_is_completed(name: str, quote: str) -> None:
    line = quote + quoted(name, quote) + quote
    out = subprocess.run(["bash", "-c", f"printf '%s' {line}"], capture_output=True, text=True, check=True)
    assert out.stdout == name
    assert [each.text for each in words_of(f"dyno {line} ")] == ["dyno", name, ""]


LIGHT = {
    "app", "app.cli", "app.cli.complete", "app.cli.complete_names", "app.cli.shell_words", "app.cli.words",
    "app.core", "app.core.errors", "app.core.home", "app.core.shipped",
    "app.history", "app.history.lists", "app.history.lists.typed_names", "ui", "ui.main",
}  # fmt: skip
HEAVY = {"argparse", "asyncio", "dataclasses", "decimal", "difflib", "inspect", "msgspec", "rich"}
LINES = (
    "dyno ", "dyno run --", "dyno run x", "dyno compare ", "dyno run --steps ", "dyno run --sequence ",
    "dyno preset show ", "dyno build remove ", "dyno plan list --target ", "dyno help ", "dyno gate --",
)  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_the_program_answers_before_anything_heavy_is_imported(dyno_home: Path, line: str) -> None:
    """A shell waits for 0.1 s at most: what takes that long is what is imported."""
    code = (
        f"import sys; before = set(sys.modules); sys.argv = ['dyno', '_complete', 'bash', {line!r}, ':=']\n"
        f"from ui.main import main; main(); new = set(sys.modules) - before; heavy = {HEAVY!r}\n"
        "own = {name for name in new if name.partition('.')[0] in ('app', 'ui')}\n"
        f"print(sorted((new & heavy) | (own - {LIGHT!r})), len(new) < 45, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[] True\n"
    assert done.stdout or line.split()[1] in ("build", "run")


# real shells

SHIM = """#!/bin/sh
if [ "$1" = _complete ]; then
    {python} -c 'import sys; from ui.main import main; sys.exit(main())' "$@"
    : >{out}.asked
    exit
fi
for each in "$@"; do printf '%s\\0' "$each" >>{out}; done
mv {out} {out}.done
"""
STARTED = {
    "bash": (["bash", "--norc", "-i"], "source <(cat {script}); PS1='> '"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; source {script}; PS1='> '"),
    "fish": (["fish", "--no-config", "-i"], "source {script}"),
}


class Shell:
    """A shell that a person types into."""

    def __init__(self, name: str, folder: Path, dyno_home: Path, script: str) -> None:
        shim, self.out = folder / "dyno", folder / "out"
        shim.write_text(SHIM.format(python=shlex.quote(sys.executable), out=self.out))
        shim.chmod(0o755)
        (folder / "script").write_text(script)
        words, first = STARTED[name]
        env = {
            **os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(Path.cwd()),
            "TERM": "vt100",
            "DYNO_HOME": str(dyno_home), "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "HISTFILE": "",
            "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        self._pid, self._terminal = pty.fork()
        if not self._pid:
            os.execvpe(words[0], words, env)
        self.screen = b""
        self.type(f"{first.format(script=folder / 'script')}; echo rea''dy\n", until=b"ready\r\n")

    def type(self, text: str, until: bytes = b"", seconds: float = 20) -> None:
        os.write(self._terminal, text.encode())
        end, begin = time.monotonic() + seconds, len(self.screen)
        while time.monotonic() < end:
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.screen += os.read(self._terminal, 65536)
            if until and until in self.screen[begin:]:
                return
            if not until and self.out.with_suffix(".done").exists():
                return

    def arguments_of(self, line: str) -> list[str]:
        """What dyno gets of a line with a Tab in it."""
        done = self.out.with_suffix(".done")
        asked = self.out.with_suffix(".asked")
        os.write(self._terminal, line.encode() + b"\t")
        end = quiet = time.monotonic()
        while time.monotonic() < end + 20 and not (asked.exists() and time.monotonic() > quiet + 0.4):
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.screen, quiet = self.screen + os.read(self._terminal, 65536), time.monotonic()
        asked.unlink()
        self.type("\n")
        assert done.exists(), self.screen[-2000:]
        words = done.read_text().split("\0")[:-1]
        done.unlink()
        return words

    def close(self) -> None:
        os.close(self._terminal)
        os.waitpid(self._pid, 0)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_name_is_completed_as_it_is_written(
    shell: str, names: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    typed = Shell(shell, tmp_path, names, said(capsys, "completion", shell))
    try:
        for name in HOSTILE:
            assert typed.arguments_of(f"dyno compare {STARTS[name]}") == ["compare", name]
        if shell == "bash":
            for quote in "'\"":
                line = f"dyno compare {quote}two w"
                assert typed.arguments_of(line) == ["compare", "two words"]
        assert typed.arguments_of("dyno sess") == ["session"]
        assert typed.arguments_of("dyno run --order=sl") == ["run", "--order=slices"]
    finally:
        typed.close()
    assert not Path("/tmp/never").exists()
