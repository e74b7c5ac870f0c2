"""Stacks of a step, sampled or counted: what a journal has of them, and how they are packed.

A stack is written from its thread to the innermost function, parted by `;`, with the number of its samples; of a
counted step with that of its instructions, which takes the place of samples in all fields.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Dict, Mapping, Tuple

from .reading import LONGEST_PACKED, Count, Figure, Name, Packed, Text

STACKS = "stacks"  # the name of the fact; its `when` is the label of the step
PROFILED = "profiled"  # the mark of a step
PROFILED_ON_REQUEST = "profiled-on-request"  # of one whose stacks a person asked for while it ran
# costs per query of a step that is profiled, where the machine counts them
COUNTERS = ("cycles", "instructions", "branch_misses", "cache_misses", "tlb_misses", "page_faults")
MOST_UNPACKED = 16 << 20  # bytes
LONGEST_COUNT = 14  # characters: of 12 digits, what parts it from its stack, and the end of the line
KERNEL = "_[k]"  # behind the name of a function of the kernel

Folded = Dict[str, int]


@dataclass(frozen=True)
class Stacks:
    """The stacks of a step, and how they were sampled."""

    tool: Name = ""  # perf, eu-stack, gdb, callgrind; '': none, and `problem` says why
    event: Name = ""  # of perf: cycles, or cpu-clock where the machine has no counters
    unwinding: Name = ""  # of perf: frame pointers or DWARF
    rate_hz: Figure = 0.0  # of perf: samples per second of each CPU
    on_cpu: Packed = ""  # packed
    on_samples: Count = 0
    on_cut: Count = 0  # samples that are not in it, as it would be too large
    off_cpu: Packed = ""
    off_samples: Count = 0
    off_cut: Count = 0
    off_tool: Name = ""  # where stacks off the CPU come from
    dumps: Count = 0  # of eu-stack or gdb
    stopped_s: Figure = 0.0  # how long the server was stopped for them, at most
    unnamed_pct: Figure = 0.0  # frames without the name of a function
    symbols: Name = ""  # the package that has the names
    problem: Text = ""
    events: Count = 0  # that the client did, where instructions are counted in place of samples

    def to_json(self) -> Dict[str, Any]:
        return dict(vars(self))


def pack(folded: Mapping[str, int], most: int = LONGEST_PACKED) -> Tuple[str, int]:
    """The stacks as text of at most so many characters, and the samples of those left out, the rarest."""
    ordered = sorted(folded.items(), key=lambda each: (-each[1], each[0]))
    ends = accumulate(len(stack) + LONGEST_COUNT for stack, _ in ordered)
    keep = sum(1 for end in ends if end <= MOST_UNPACKED)  # as far as `unpack` reads
    while True:
        text = _packed(ordered[:keep])
        if len(text) <= most:
            return text, sum(count for _, count in ordered[keep:])
        keep = min(keep - 1, int(keep * 0.95 * most / len(text)))


def _packed(ordered: Any) -> str:
    lines = "\n".join("{} {}".format(stack, count) for stack, count in sorted(ordered))
    if not lines:
        return ""
    return base64.b64encode(zlib.compress(lines.encode("utf-8", "replace"), 9)).decode("ascii")


def unpack(text: str) -> Folded:
    """The stacks of a packed text; raises ValueError if it is damaged or too large."""
    if not text:
        return {}
    try:
        packed = zlib.decompressobj()
        raw = packed.decompress(base64.b64decode(text, validate=True), MOST_UNPACKED)
    except (binascii.Error, zlib.error) as error:
        raise ValueError("the stacks are damaged: {}".format(error)) from None
    if packed.unconsumed_tail or not packed.eof:
        raise ValueError("the stacks are damaged or too large")
    return dict(_line(each) for each in raw.decode("utf-8", "replace").splitlines())


def _line(line: str) -> Tuple[str, int]:
    stack, _, count = line.rpartition(" ")
    if not stack or not count.isdecimal() or len(count) > 12:
        raise ValueError("the stacks are damaged: {!r}".format(line[:80]))
    return stack, int(count)
