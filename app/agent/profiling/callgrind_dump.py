"""The stacks of a counted step, exact: what callgrind writes of a thread whose functions it parts by callers.

Such a function is called `inner'caller'its caller`, so a dump has the instructions of every stack by itself,
and its calls need not be read.
"""

from __future__ import annotations

import os
import re
from typing import Dict, Iterable, List, Tuple

from app.protocol.stacks import Folded, Stacks, pack

from .names import is_unnamed_frame, short_function_name
from .perf import DEEPEST
from .profile import FEW_NAMES_PCT
from .tools import symbols_package

TOOL, EVENT = "callgrind", "instructions"
THREAD = "client"  # below all stacks: no other thread is in them
MOST_BYTES = 64 << 20  # of a dump; that of a step has 1 to 10 MiB
MOST_STACKS = 200_000
MOST_INSTRUCTIONS = 10**12  # of a dump: callgrind would take hours for them
LONGEST_LINE = 64 << 10
_NAME = re.compile(r"(c?)(fn|ob)=\((\d{1,9})\)(?: (.*))?$")
_COST = re.compile(r"[-+*\d]\S* (\d{1,18})$")
_TOTALS = re.compile(r"totals: (\d{1,18})$")
_NO_NAME = re.compile(r"0x[0-9a-f]+$|\?\?\?")
_AGAIN = re.compile(r"\d{1,6}$")  # the number of a function that calls itself
_NONE = "of a counted step the first start of a contender has the stacks"
_TOO_LARGE = "the dump of callgrind is larger than {} MiB: no stacks"
_NO_SUM = "the stacks of callgrind have {:,} instructions, and the thread {:,}: no stacks"


def counted_stacks(path: str, events: int) -> Stacks:
    """The stacks in a dump, with the events in which they were counted; no dump: another start has them."""
    if not path:
        return Stacks(problem=_NONE)
    try:
        if os.stat(path).st_size > MOST_BYTES:
            return Stacks(problem=_TOO_LARGE.format(MOST_BYTES >> 20))
        with open(path, encoding="utf-8", errors="replace") as file:
            dump = CallgrindDump(file)
    except (OSError, ValueError) as error:
        return Stacks(problem="the dump of callgrind cannot be read: {}".format(error)[:300])
    return dump.stacks(events)


class CallgrindDump:
    """One dump of one thread; raises ValueError for anything else."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.total = -1
        self._counted = 0
        self._names: Dict[Tuple[str, str], str] = {}  # of functions and objects by their numbers
        self._files: Dict[str, str] = {}  # the object of a function without a name
        self._own: Dict[Tuple[str, str], int] = {}  # instructions by object and function
        self._short: Dict[Tuple[str, str], str] = {}
        self._read(lines)

    def _read(self, lines: Iterable[str]) -> None:
        place, of_call = {"ob": "", "fn": ""}, False
        for line in lines:
            if len(line) > LONGEST_LINE:
                raise ValueError("a line has more than {} characters".format(LONGEST_LINE))
            line = line.rstrip("\n")
            cost = _COST.match(line)
            if cost:
                if not of_call:  # else of what is called, which has it too
                    self._add(place, int(cost.group(1)))
                of_call = False
            elif line.startswith("calls="):
                of_call = True
            else:
                self._read_word(line, place)

    def _add(self, place: Dict[str, str], cost: int) -> None:
        if not place["fn"]:
            raise ValueError("instructions of no function")
        key = place["ob"], place["fn"]
        self._own[key] = self._own.get(key, 0) + cost
        self._counted += cost
        if len(self._own) > MOST_STACKS:
            raise ValueError("it has more than {:,} stacks".format(MOST_STACKS))
        if self._counted >= MOST_INSTRUCTIONS:
            raise ValueError("it has {:,} instructions or more".format(MOST_INSTRUCTIONS))

    def _read_word(self, line: str, place: Dict[str, str]) -> None:
        total = _TOTALS.match(line)
        if total:
            self.total = int(total.group(1))
        named = _NAME.match(line)
        if not named:
            return
        is_called, kind, number, name = named.groups()
        if name is not None:
            self._names[kind, number] = name
        found = self._names.get((kind, number), "")
        if not is_called:
            place[kind] = found
            if kind == "fn":
                self._files.setdefault(found.partition("'")[0], place["ob"])

    def stacks(self, events: int) -> Stacks:
        """What a journal has of it."""
        folded, unnamed = self.folded()
        counted = self._counted
        if counted != self.total or not counted:
            return Stacks(problem=_NO_SUM.format(counted, max(0, self.total)))
        packed, cut = pack(folded)
        pct = round(100 * sum(unnamed.values()) / counted, 1)
        file = max(unnamed, key=lambda each: unnamed[each], default="")
        return Stacks(
            tool=TOOL,
            event=EVENT,
            on_cpu=packed,
            on_samples=counted,
            on_cut=cut,
            unnamed_pct=pct,
            symbols=symbols_package(file) if pct > FEW_NAMES_PCT and file.startswith("/") else "",
            events=events,
        )

    def folded(self) -> Tuple[Folded, Dict[str, int]]:
        """The stacks with their instructions, and those of functions without a name by their object."""
        found: Folded = {}
        unnamed: Dict[str, int] = {}
        for (file, chain), cost in self._own.items():
            frames = self._frames(chain, file)
            if is_unnamed_frame(frames[-1]):
                unnamed[file] = unnamed.get(file, 0) + cost
            stack = ";".join([THREAD, *frames])
            found[stack] = found.get(stack, 0) + cost
        return found, unnamed

    def _frames(self, chain: str, file: str) -> List[str]:
        """The functions, the outermost first; those in a row that have no name are one."""
        names = [each for each in chain.split("'")[:DEEPEST] if not _AGAIN.match(each)]
        found: List[str] = []
        for at, name in reversed(list(enumerate(names))):
            short = self._short_name(name, self._files.get(name, "") if at else file)
            if not (found and found[-1] == short and is_unnamed_frame(short)):
                found.append(short)
        return found or [short_function_name("")]

    def _short_name(self, name: str, file: str) -> str:
        """Without parameters; of a function without a name its object."""
        file = file if _NO_NAME.match(name) else ""  # all objects are the same to a name
        if (name, file) not in self._short:
            known = "" if _NO_NAME.match(name) else name
            self._short[name, file] = short_function_name(known, file.strip("?"))
        return self._short[name, file]
