"""`make fuzz`: each reader gets damaged input for a while; what it neither reads nor refuses is a finding.

python -m tests.fuzz [--seconds 600] [READER ...]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings

if TYPE_CHECKING:
    from tests.fuzz.readers import Reader

EXAMPLES = 50  # between two looks at the clock


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help="some of them; without: all")
    parser.add_argument("--seconds", type=int, default=600, help="for each reader (600)")
    parser.add_argument("--guided", action="store_true", help="by atheris, which looks for new ways through")
    asked = parser.parse_args()
    if asked.guided:
        return guided(asked.readers[0], asked.seconds)
    from tests.fuzz.readers import READERS

    if unknown := [each for each in asked.readers if each not in READERS]:
        parser.error(f"no reader {', '.join(unknown)}: there are {', '.join(READERS)}")
    names = asked.readers or list(READERS)
    if len(names) == 1:
        return int(fuzz(names[0], READERS[names[0]], asked.seconds) > 0)
    with ThreadPoolExecutor(os.cpu_count()) as several:
        return max(several.map(lambda name: _by_itself(name, asked.seconds), names))


def _by_itself(name: str, seconds: int) -> int:
    words = [sys.executable, "-m", "tests.fuzz", "--seconds", str(seconds), name]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="", flush=True)
    return done.returncode


def fuzz(name: str, reader: Reader, seconds: int) -> int:
    """The number of findings, each of them printed with its input; atheris has half of the time."""
    seconds = seconds // 2 if find_spec("atheris") else seconds
    until, tried, found = time.monotonic() + seconds, 0, set[str]()
    while time.monotonic() < until:
        try:
            tried += _some(reader, int(time.time() * 1000))
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            place = next((each for each in reversed(frames) if "/app/" in each.filename), frames[-1])
            where = f"{type(error).__name__} at {place.filename}:{place.lineno}"
            if where not in found:
                found.add(where)
                print(f"{name}: {where}: {error}"[:3000])
                print("\n".join(getattr(error, "__notes__", []))[:3000], flush=True)
    print(f"{name}: {tried} inputs in {seconds} s, {len(found)} findings", flush=True)
    if find_spec("atheris"):
        words = [sys.executable, "-m", "tests.fuzz", "--guided", "--seconds", str(seconds), name]
        return len(found) + subprocess.run(words).returncode
    return len(found)


def _some(reader: Reader, number: int) -> int:
    tried = 0

    @seed(number)
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False, phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip
    @given(reader.inputs)
    def read(given_: Any) -> None:
        nonlocal tried
        tried += 1
        with contextlib.redirect_stdout(io.StringIO()):
            reader.try_(given_)

    read()
    return tried


def guided(name: str, seconds: int) -> int:
    """The same inputs, chosen by the branches that they reach; ends with the first finding."""
    import atheris

    with atheris.instrument_imports(include=["app"]):
        from tests.fuzz.readers import READERS
    reader = READERS[name]

    @settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(reader.inputs)
    def read(given_: Any) -> None:
        reader.try_(given_)

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}"], read.hypothesis.fuzz_one_input)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
