"""The commands of the README on a Debian made for it, and nothing of it left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FRESH = Path(__file__).parents[1] / "fresh.sh"


@pytest.mark.full
@pytest.mark.root
@pytest.mark.timeout(3600)
def test_a_user_with_sudo_in_a_container(tmp_path: Path) -> None:
    """The hardest suite in its smallest part: `make run`, and the unit tests, with what they install."""
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
