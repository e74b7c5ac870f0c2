"""The commands of the README on a Debian made for it, and nothing of it left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.cli.manual import manual_pages

FRESH = Path(__file__).parents[1] / "fresh.sh"


@pytest.mark.full
@pytest.mark.root
@pytest.mark.timeout(3600)
def test_a_user_with_sudo_in_a_container(tmp_path: Path) -> None:
    """The hardest suite in its smallest part: `make run`, and the tests that a system may change."""
    mounts = Path("/proc/self/mountinfo").read_text()
    done = subprocess.run(
        ["sh", str(FRESH), "--folder", str(tmp_path), "--who", "user", "--what", "run,unit", "container"],
        capture_output=True,
        text=True,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [line.split("|")[5].strip() for line in done.stdout.splitlines()[2:]] == ["passed", "passed"]
    assert not list(tmp_path.iterdir())
    assert Path("/proc/self/mountinfo").read_text() == mounts


@pytest.mark.full
@pytest.mark.root
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("suite", ["12", "13"])
def test_packages_are_installed_started_and_removed(tmp_path: Path, packages: Path, suite: str) -> None:
    words = ["--folder", str(tmp_path), "--who", "root,user", "--what", "deb,file", suite]
    done = subprocess.run(["sh", str(FRESH), *words], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [line.split("|")[5].strip() for line in done.stdout.splitlines()[2:]] == ["passed"] * 4


COMPLETE = """
source "$1/usr/share/bash-completion/completions/dyno"
COMP_LINE=$2 COMP_POINT=${#2}
_dyno dyno && printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_package_completes_and_explains_itself(tmp_path: Path, packages: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (deb,) = packages.glob("dyno_*.deb")
    subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
    (home / "surveys").mkdir(parents=True)
    (home / "surveys" / "local.json").write_text(
        '{"survey": {"builds": [{"name": "mysql-5.6", "engines": ["InnoDB"]}]}}'
    )
    path = {"PATH": f"{root}/usr/bin:/usr/bin:/bin", "DYNO_HOME": str(home), "HOME": str(home)}
    for line, words in (
        ("dyno run my", ["mysql-5.6"]),
        ("dyno run --sequence qu", ["quick"]),
        ("dyno se", ["server", "sequence", "session"]),
    ):
        asked = ["bash", "-c", COMPLETE, "bash", str(root), line]
        done = subprocess.run(asked, env=path, capture_output=True, text=True, check=True)
        assert (done.stdout.split(), done.stderr) == (words, ""), line
    pages = root / "usr/share/man/man1"
    assert {each.stem for each in pages.glob("*.gz")} == {f"{name}.1" for name in manual_pages()}
    asked = ["man", "-l", "--warnings", str(pages / "dyno-run.1.gz")]
    page = subprocess.run(asked, env={**path, "MANWIDTH": "100"}, capture_output=True, text=True, check=True)
    assert "--sequence" in page.stdout and not page.stderr


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.root
@pytest.mark.timeout(7200)
def test_the_window_is_closed_at_any_moment_with_python_3_13(tmp_path: Path) -> None:
    words = [
        "--folder",
        str(tmp_path),
        "--logs",
        str(tmp_path / "logs"),
        "--who",
        "root",
        "--what",
        "closing",
        "13",
    ]
    done = subprocess.run(["sh", str(FRESH), *words], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def packages() -> Path:
    """dist/ with the .deb and the AppImage."""
    root = FRESH.parents[1]
    words = ["sh", str(root / "packages" / "make.sh"), "deb", "appimage"]
    subprocess.run(words, check=True, capture_output=True)
    return root / "dist"


@pytest.mark.parametrize("words", [[], ["14"], ["--who"], ["--nonsense", "12"]])
def test_a_wrong_word_gets_the_usage(words: list[str]) -> None:
    done = subprocess.run(["sh", str(FRESH), *words], capture_output=True, text=True)
    assert done.returncode == 2
