"""Runs tests and writes what of app/ and ui/ they carried out.

    python -m tests.running.covered FOLDER [what pytest takes]

FOLDER gets the data and `covered.json`. While this runs, a line in site-packages makes every Python process
of this environment measure itself. The agent starts without site-packages; its file gets a first line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import coverage

ROOT = Path(__file__).parents[3]
START = Path(__file__).with_name("start.py")
SITE = Path(sysconfig.get_path("purelib"))
PTH = 'import os, runpy; os.environ.get("DYNO_COVERED") and runpy.run_path(os.environ["DYNO_COVERED"])\n'
SETTINGS = """\
[run]
branch = true
parallel = true
relative_files = false
patch = _exit
data_file = {folder}/data
include =
    {root}/app/*
    {root}/ui/*
    */*.pyz/app/*
    /proc/self/fd/*/app/*
[paths]
app =
    {root}/app
    */*.pyz/app
    /proc/self/fd/*/app
"""


def main(folder: Path, arguments: Sequence[str]) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o777)  # the agent of another user writes here too
    settings = folder / "settings"
    settings.write_text(SETTINGS.format(folder=folder, root=ROOT))
    line = SITE / "dyno-covered.pth"
    line.write_text(PTH)
    wanted = {"DYNO_COVERED": str(START), "COVERAGE_PROCESS_START": str(settings)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env={**os.environ, **wanted}
        )
    finally:
        line.unlink()
    _report(folder, settings)
    return done.returncode


def _report(folder: Path, settings: Path) -> None:
    measured = coverage.Coverage(config_file=str(settings))
    measured.combine([str(folder)], strict=True)
    measured.save()
    measured.json_report(outfile=str(folder / "covered.json"), ignore_errors=True)
    totals = json.loads((folder / "covered.json").read_text())["totals"]
    lines, branches = totals["covered_lines"], totals["covered_branches"]
    print(f"lines {lines} of {totals['num_statements']}, branches {branches} of {totals['num_branches']}:")
    share = 100 * (lines + branches) / (totals["num_statements"] + totals["num_branches"])
    print(f"{share:.2f} % together; {folder / 'covered.json'}")


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).absolute(), sys.argv[2:]))
