"""A profiled step of a real server: its stacks, the mark, the check, and a planted burner of CPU on top."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from app.agent.profiling.dumps import StackDumps
from app.comparison.stacks.stacks import functions
from app.protocol.events import Fact, MomentEvent, StepEnded
from app.protocol.stacks import PROFILED, PROFILED_ON_REQUEST, unpack
from tests.installed import MARIADB
from tests.integration.desktop import READ, WRITE, Desktop, own_marks
from tests.integration.on_target import begun
from tests.plans import write
from tests.sequences import CALM, INDEX, LOAD, own_sequence
from tests.waiting import wait_until

BURNER = """\
declare
  id int 1 rows
begin
  select id, benchmark(2000, soundex(c)) from sbtest1 where id = :id;
end
"""
BURNED = "Item_func_soundex::val_str"
WORKLOAD = 'name = "burner"\ntitle = "Burns CPU"\ngroup = "read"\nkind = "drive"\nsql = "burner.sql"\n'
STEPS = (LOAD, INDEX, 'workload = "burner"\nprofile = true', f'workload = "point-query"\n{CALM}')
BURNING, CALMLY = 2, 3


@pytest.fixture
def perf() -> None:
    """perf is there, and this user may use it: Debian's kernels allow it to root alone."""
    words = ["perf", "record", "-e", "cpu-clock", "-o", "/dev/null", "true"]
    if not shutil.which("perf") or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("perf is not installed, or refused to this user")


@pytest.mark.usefixtures("perf")
def test_what_burns_the_cpu_of_a_profiled_step_is_on_top(desktop: Desktop) -> None:
    said, session = _burned(desktop, seconds=2)
    assert "profile: perf samples stacks by" in said
    events = desktop.events(session)
    ended = {each.step: each for each in events if isinstance(each, StepEnded)}
    assert own_marks(ended[BURNING].marks) == [PROFILED]
    assert set(own_marks(ended[CALMLY].marks)) <= {"rate-missed"}  # on a busy machine
    (fact,) = (each for each in events if isinstance(each, Fact) and each.name == "stacks")
    assert fact.when == "burner threads=2" and fact.value["tool"] == "perf" and not fact.value["problem"]
    folded = unpack(fact.value["on_cpu"])
    assert sum(folded.values()) == fact.value["on_samples"] > 10  # ten a second at least on a busy machine
    found = functions(folded)
    assert BURNED in [each.name for each in found[:3]]  # a busy machine has work of its kernel above it
    assert (
        next(each for each in found if each.name == "dispatch_command").total > fact.value["on_samples"] / 2
    )
    assert not list((desktop.target / "sessions" / session).glob("perf.data"))
    _check_commands(desktop)


@pytest.fixture
def without_perf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of this machine but for one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for each in os.environ["PATH"].split(":"):
        for path in Path(each).glob("*"):
            if path.name != "perf" and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("eu-stack") and not shutil.which("gdb"), reason="neither is installed")
def test_where_perf_is_missing_the_server_is_dumped(desktop: Desktop, without_perf: None) -> None:
    said, session = _burned(desktop, seconds=4)
    tool = "eu-stack" if shutil.which("eu-stack") else "gdb"
    assert f"profile: perf is not installed: a few stacks by {tool}" in said
    events = desktop.events(session)
    (fact,) = (each for each in events if isinstance(each, Fact) and each.name == "stacks")
    assert (fact.value["tool"], fact.value["problem"]) == (tool, "")
    ended = {each.step: each for each in events if isinstance(each, StepEnded)}
    assert PROFILED in ended[BURNING].marks and (ended[BURNING].value or 0) > 0
    folded = unpack(fact.value["on_cpu"])
    found = {each.name for each in functions(folded)}
    assert {"dispatch_command", "do_command"} & found  # on a busy machine no dump may catch the burner itself
    assert f"by {tool}" in desktop.dyno("session", "stacks", "last", "burner").stdout


@pytest.mark.parametrize("tool", ["eu-stack", "gdb"])
def test_a_process_is_dumped_and_goes_on(tool: str, tmp_path: Path) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        dumps = StackDumps(tool, process.pid, str(tmp_path / "stacks.txt"))
        dumps.look()
        dumps.end()
        assert process.communicate(b"it goes on")[0] == b"it goes on"
    (stack,) = {**dumps.off_cpu, **dumps.on_cpu}
    assert stack.startswith("cat;") and dumps.taken == 1 and 0 < dumps.stopped_s < 30
    assert not list(tmp_path.iterdir())


@pytest.mark.full
@pytest.mark.usefixtures("perf")
def test_a_step_that_runs_is_profiled_when_a_person_asks(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(seconds=8))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    said = desktop.dyno("profile").stdout
    assert "dyno session stacks" in said and "not judged" in said
    desktop.dyno("profile")  # it changes nothing
    assert running.wait(120) == 0
    events = desktop.events(desktop.sessions()[0]["id"])
    (moment,) = (each for each in events if isinstance(each, MomentEvent) and each.name == "profiled")
    assert moment.step == READ
    ended = {each.step: each for each in events if isinstance(each, StepEnded)}
    assert PROFILED_ON_REQUEST in ended[READ].marks and PROFILED_ON_REQUEST not in ended[WRITE].marks
    assert not ended[READ].per_query.get("instructions")
    (fact,) = (each for each in events if isinstance(each, Fact) and each.name == "stacks")
    assert fact.value["on_samples"] > 10
    words = shlex.split(said.partition("then: dyno ")[2])
    assert "on the CPU by perf" in desktop.dyno(*words).stdout
    assert "no plan runs" in desktop.refused("profile", code=1)


def _burned(desktop: Desktop, seconds: int) -> tuple[str, str]:
    """What was printed, and the session."""
    write(desktop.home / "workloads/burner.sql", BURNER)
    write(desktop.home / "workloads/burner.toml", WORKLOAD)
    write(desktop.home / "sequences/burning.toml", own_sequence("burning", *STEPS, seconds=seconds))
    said = desktop.dyno(
        "run", "--contender", f"{MARIADB}:innodb", "--sequence", "burning", "--details"
    ).stdout
    return said, desktop.sessions()[0]["id"]


def _check_commands(desktop: Desktop) -> None:
    table = desktop.dyno("session", "stacks", "last", "burner").stdout
    assert BURNED in "".join(table.splitlines()[2:5]) and "on the CPU by perf" in table
    folded = desktop.dyno("session", "stacks", "last", "burner", "--folded").stdout
    assert all(line.rpartition(" ")[2].isdecimal() for line in folded.splitlines())
    picture = desktop.home / "flame.svg"
    desktop.dyno("session", "stacks", "last", "burner", "--svg", str(picture))
    assert BURNED in picture.read_text()
    assert "not profiled" in desktop.refused("session", "stacks", "last", "point-query")
    report = desktop.home / "report.html"
    desktop.dyno("report", "last", "--out", str(report))
    assert 'class="flame"' in report.read_text() and BURNED in report.read_text()
