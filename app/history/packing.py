"""The per-second values of a series in few bytes: fixed point, delta, zigzag, byte planes, zlib.

Lossless: a value that fixed point would change makes its block keep float64. NaN stands for missing.
A block: form, digits, width, flags, then count and base as varints, then (deflated where that is
shorter) a bitmap of the missing values and the byte planes of the codes, lowest first.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

FIXED, FLOAT = 1, 2
DELTA, MISSING, DEFLATED = 1, 2, 4
MAX_DIGITS = 9
_EXACT = float(1 << 53)  # below it every integer is a float64
_LEVEL = 1  # a higher one costs a quarter more time for a fiftieth less bytes


def pack(values: Floats, digits: Sequence[int]) -> list[bytes]:
    """One block for each row; `digits` are a first guess of the decimals of each row."""
    import numpy as np

    missing: NDArray[np.bool_] = np.isnan(values)
    holes: NDArray[np.bool_] = np.asarray(missing.any(axis=1))
    filled = _fill(values, missing, holes) if holes.any() else values
    points, found = _fixed_point(filled, np.clip(np.asarray(digits, dtype=np.int64), 0, MAX_DIGITS))
    codes, bases, deltas = _codes(points)
    widths = (_bit_lengths(codes.max(axis=1, initial=0)) + 7) // 8
    planes = np.ascontiguousarray(codes.view(np.uint8).reshape(*codes.shape, 8).transpose(0, 2, 1))
    blocks = []
    for row, digit in enumerate(found.tolist()):
        bitmap = np.packbits(missing[row]).tobytes() if holes[row] else b""
        flags = MISSING if holes[row] else 0
        if digit < 0:
            payload = bitmap + filled[row].view(np.uint8).reshape(-1, 8).T.tobytes()
            blocks.append(_block(FLOAT, 0, 8, flags, values.shape[1], 0, payload))
            continue
        width = int(widths[row])
        payload = bitmap + planes[row, :width].tobytes()
        flags |= DELTA if deltas[row] else 0
        blocks.append(_block(FIXED, digit, width, flags, values.shape[1], int(bases[row]), payload))
    return blocks


def unpack(block: bytes) -> Floats:
    """The values of a block; raises ValueError where it is none."""
    import numpy as np

    form, digits, width, flags = block[:4]
    count, at = _read_varint(block, 4)
    base, at = _read_varint(block, at)
    payload = zlib.decompress(block[at:]) if flags & DEFLATED else block[at:]
    gaps = (count + 7) // 8 if flags & MISSING else 0
    raw = np.frombuffer(payload, dtype=np.uint8, offset=gaps, count=width * count).reshape(width, count)
    if form == FLOAT:
        values = np.ascontiguousarray(raw.T).view(np.float64).reshape(count)
    elif form == FIXED:
        values = _points(raw, _unzigzag(base), bool(flags & DELTA)) / 10.0**digits
    else:
        raise ValueError(f"a block of the unknown form {form}")
    if gaps:
        bits = np.unpackbits(np.frombuffer(payload, dtype=np.uint8, count=gaps), count=count)
        values[bits.astype(bool)] = np.nan
    return values


def _fill(values: Floats, missing: NDArray[np.bool_], holes: NDArray[np.bool_]) -> Floats:
    """Missing values take the one before, which costs the fewest bytes."""
    import numpy as np

    filled = values.copy()
    for row in np.flatnonzero(holes):
        there = np.flatnonzero(~missing[row])
        if not len(there):
            filled[row] = 0.0
            continue
        before = np.searchsorted(there, np.arange(values.shape[1]), side="right") - 1
        filled[row] = values[row, there[np.maximum(before, 0)]]
    return filled


def _fixed_point(values: Floats, digits: Integers) -> tuple[Integers, Integers]:
    """The values as integers and with how many decimals; -1: none gives the values back exactly."""
    import numpy as np

    digits = digits.copy()
    points = np.zeros(values.shape, dtype=np.int64)
    open_rows = np.arange(len(values))
    guesses = [digits, *(np.full(len(values), digit) for digit in range(MAX_DIGITS + 1))]
    for guess in guesses:
        scaled, exact = _scale(values[open_rows], guess[open_rows])
        done = open_rows[exact]
        points[done] = scaled[exact]
        digits[done] = guess[done]
        open_rows = open_rows[~exact]
        if not len(open_rows):
            break
    digits[open_rows] = -1
    return points, digits


def _scale(values: Floats, digits: Integers) -> tuple[Floats, NDArray[np.bool_]]:
    """The values in fixed point, and which rows come back from it exactly."""
    import numpy as np

    power = 10.0 ** digits.astype(np.float64)[:, None]
    with np.errstate(all="ignore"):
        scaled = np.rint(values * power)
        exact = (scaled / power == values) & (np.abs(scaled) < _EXACT)
    exact &= ~((values == 0) & np.signbit(values))  # -0.0 has no integer
    return scaled, exact.all(axis=1)


def _codes(points: Integers) -> tuple[NDArray[np.uint64], list[int], list[bool]]:
    """Small unsigned numbers for each row: zigzag of the deltas, or the distance from the lowest."""
    import numpy as np

    first, low = points[:, :1], points.min(axis=1, keepdims=True)
    steps = np.diff(points, axis=1, prepend=first)
    middle = points.mean(axis=1, keepdims=True).astype(np.int64)
    deltas = np.abs(steps).sum(axis=1) < np.abs(points - middle).sum(axis=1)
    codes = np.where(deltas[:, None], (steps << 1) ^ (steps >> 63), points - low).astype(np.uint64)
    bases = np.where(deltas, first[:, 0], low[:, 0])
    return codes, [_zigzag(base) for base in bases.tolist()], deltas.tolist()


def _points(raw: NDArray[np.uint8], base: int, delta: bool) -> Integers:
    """The integers behind the byte planes."""
    import numpy as np

    width, count = raw.shape
    wide = np.zeros((count, 8), dtype=np.uint8)
    wide[:, :width] = raw.T
    codes = wide.view("<u8").reshape(count)
    if not delta:
        return codes.astype(np.int64) + base
    steps = (codes >> np.uint64(1)).astype(np.int64) ^ -(codes & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps) + base


def _bit_lengths(codes: NDArray[np.uint64]) -> Integers:
    import numpy as np

    return np.array([code.bit_length() for code in codes.tolist()], dtype=np.int64)


def _block(form: int, digits: int, width: int, flags: int, count: int, base: int, payload: bytes) -> bytes:
    deflated = zlib.compress(payload, _LEVEL) if len(payload) > 16 else payload
    if len(deflated) < len(payload):
        flags, payload = flags | DEFLATED, deflated
    return bytes((form, digits, width, flags)) + _varint(count) + _varint(base) + payload


def _zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


def _unzigzag(code: int) -> int:
    return -((code + 1) >> 1) if code & 1 else code >> 1


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(block: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = block[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
