"""Every command against a target that lies: it ends at once, with one line and exit code 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.remote.secrets import PASSWORD_FILE
from app.targets.servers import NamedServer, Servers
from tests.fakes import PASSWORD
from tests.hostile import finds
from tests.liar import HARMLESS, KEY, LIES, Liar, Speech
from tests.plans import MARIADB

RUN = ["run", "--contender", f"{MARIADB}:innodb", "--sequence", "duel"]
# words, and the verbs of the agent that they need
COMMANDS = {
    "survey": (["target", "survey", "local"], ["push", "survey"]),
    "target clean": (["target", "clean", "local"], ["clean"]),
    "run": (RUN, ["status", "survey", "upload-plan", "check", "start", "follow"]),
    "run --queue": ([*RUN, "--at", "00:00"], ["upload-plan", "queue"]),
    "queue list": (["queue", "list"], ["queue"]),
    "queue hold": (["queue", "hold"], ["queue"]),
    "duel": (["run", "--duel", "--dry-run"], ["survey"]),
    "status": (["status"], ["list"]),
    "follow": (["follow"], ["push", "list", "follow"]),
    "stop": (["stop"], ["list", "stop"]),
    "skip": (["skip"], ["skip"]),
    "note": (["note", "hello"], ["note"]),
    "snapshot list": (["snapshot", "list"], ["snapshots"]),
    "snapshot delete": (["snapshot", "delete", KEY], ["snapshots", "delete-snapshot"]),
    "build list": (["build", "list"], ["survey"]),
    "build install": (["build", "install", "TARBALL"], ["upload", "install"]),
    "build install there": (["build", "install", f"/opt/{MARIADB}", "--there"], ["survey"]),
    "build note": (["build", "note", MARIADB, "--compiler", "gcc"], ["note-build"]),
    "build remove": (["build", "remove", MARIADB], ["survey", "remove-build"]),
    "server show": (["server", "show", "own"], ["reach-server"]),
    "server clean": (["server", "clean", "own"], ["clean-server"]),
    "preset check": (["preset", "check", "innodb/baseline"], ["survey", "ask"]),
}
CASES = [(command, verb) for command, (_, verbs) in COMMANDS.items() for verb in verbs]
OF_THE_LINK = ("silence", "half a line", "half a line, then silence")  # a follower tries again
# any object is their answer
OK_IS_ENOUGH = ("upload-plan", "stop", "skip", "note", "delete-snapshot", "note-build", "remove-build")
WITHOUT_NUMBERS = (
    "clean-server",
    "clean",
    "push",
    "status",
    "check",
    "ask",
    "start",
    "install",
    *OK_IS_ENOUGH,
)
OF_NUMBERS = ("NaN", "Infinity", "400 digits")
SOON_S = 10


@pytest.fixture
def liar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Liar:
    """The target, which also drives a server that runs already."""
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "password").chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(tmp_path / "password"))
    Servers().keep(NamedServer("own", "localhost", schema="x", user="me", tls=False))
    made = Liar()
    made.take_over(monkeypatch)
    return made


def words_of(command: str, folder: Path) -> list[str]:
    tarball = folder / "mysql-8.0.40-linux.tar.gz"
    tarball.write_bytes(b"not looked into here")
    return [str(tarball) if word == "TARBALL" else word for word in COMMANDS[command][0]]


def is_no_lie(verb: str, name: str) -> bool:
    """Of what it says the answer is as true as ever, or another connect may bring the truth."""
    return (
        (verb == "follow" and name in OF_THE_LINK)
        or (verb in OK_IS_ENOUGH and name == "other keys")
        or (verb in WITHOUT_NUMBERS and name in OF_NUMBERS)
    )


@pytest.mark.timeout(SOON_S * len(LIES))
@pytest.mark.parametrize(("command", "verb"), CASES)
def test_a_lie_ends_a_command(
    liar: Liar, tmp_path: Path, dyno_home: Path, capsys: pytest.CaptureFixture[str], command: str, verb: str
) -> None:
    wrong = []
    for name, lie in LIES.items():
        if is_no_lie(verb, name):
            continue
        liar.heard.clear()
        liar.lies[verb] = lie
        code = main(words_of(command, tmp_path))
        said = capsys.readouterr()
        is_one = code == 1 and said.err.startswith("dyno: ") and said.err.count("\n") == 1
        is_clean = len(said.err) < 11_000 and not finds(said.err + said.out)
        if not (verb in liar.heard and is_one and is_clean and "did not expect" not in said.err):
            wrong.append(f"{name}: exit code {code}: {said.err}")
    assert not wrong, "\n".join(wrong)
    assert not (dyno_home / "log" / "errors.log").exists()


NOT_ASKED = {"a path": "../../etc/passwd", "another session": "Z" * 26, "no id": "\\u001b[2J"}


@pytest.mark.parametrize("name", NOT_ASKED.values(), ids=NOT_ASKED)
def test_a_journal_that_nobody_asked_for_ends_following(
    liar: Liar, capsys: pytest.CaptureFixture[str], dyno_home: Path, name: str
) -> None:
    """It was passed over, so that `dyno follow` ended with exit code 1 and no word."""
    header = f'{{"session": "{liar.plan.turns[0].session}"'.encode()
    liar.lies["follow"] = lambda true: Speech([true.replace(header, f'{{"session": "{name}"'.encode())])
    assert main(["follow"]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("dyno: the target sent a journal that nobody asked for: ")
    assert said.err.count("\n") == 1 and not finds(said.err)
    assert [path.name for path in dyno_home.rglob("*.jsonl")] == []


def test_a_target_that_sends_no_journal_is_said(liar: Liar, capsys: pytest.CaptureFixture[str]) -> None:
    liar.lies["follow"] = lambda true: Speech([true.splitlines(keepends=True)[0], b'{"end": true}\n'])
    assert main(["follow"]) == 1
    session = liar.plan.turns[0].session
    assert capsys.readouterr().err == f"dyno: the target sent nothing of 1 session: {session}\n"


@pytest.mark.parametrize(("command", "verb"), [case for case in CASES if case[1] != "follow"])
@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_around_an_answer_is_passed_over(
    liar: Liar, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, verb: str, name: str
) -> None:
    liar.lies[verb] = HARMLESS[name]
    code = main(words_of(command, tmp_path))
    assert code == 0 or command == "build remove", capsys.readouterr().err  # the liar has it still


@pytest.mark.parametrize("name", OF_THE_LINK)
def test_a_link_that_says_nothing_is_tried_again(
    liar: Liar, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    lies = iter([name] * 3)
    liar.lies["follow"] = lambda true: LIES[next(lies, "a refusal")](true)
    assert main(["follow"]) == 1
    said = capsys.readouterr()
    assert liar.heard.count("follow") == 4
    assert "link lost: " in said.out and said.err.startswith("dyno: no ")
