"""The per-second values of a series in few bytes: fixed point, delta, zigzag, byte planes, zlib.

Lossless: a value that fixed point would change makes its block keep float64. NaN means missing.
A block: form, digits, width, flags, count and base as varints; then a bitmap of the missing values and
the byte planes of the codes, lowest first. Where zlib makes them shorter: a byte that says which planes
are left as they are, those planes, and the rest deflated.
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
_EXACT = float(1 << 53)  # every smaller integer is a float64
_WINDOW = -12  # bits; negative: without header and check sum, which SQLite's pages do not need
_MEMORY = 7  # of 9: more takes twice the time to clear, for the same size
_AT_ONCE = 1 << 14  # values: larger arrays leave the processor's cache, and the allocator returns them
_UNEVEN = 1.35  # times the equal pairs of bytes that chance makes: worth deflating
_WORTH_IT = 24  # bytes: zlib does not shorten fewer


def pack(values: Floats, digits: Sequence[int]) -> list[bytes]:
    """One block for each row; `digits` are a first guess of the decimals of each row."""
    rows, count = values.shape
    if not values.size:
        return [_head(FIXED, 0, 0, 0, count, 0)] * rows
    some = max(1, _AT_ONCE // count)
    parts = [_pack(values[at : at + some], digits[at : at + some]) for at in range(0, rows, some)]
    return [block for part in parts for block in part]


def _pack(values: Floats, digits: Sequence[int]) -> list[bytes]:
    import numpy as np

    rows, count = values.shape
    missing: NDArray[np.bool_] = np.isnan(values)
    holes: list[bool] = np.asarray(missing.any(axis=1)).tolist()
    filled = _fill(values, missing) if any(holes) else values
    points, found = _fixed_point(filled, np.clip(np.asarray(digits, dtype=np.int64), 0, MAX_DIGITS))
    codes, bases, deltas = _codes(points)
    floats = np.flatnonzero(found < 0)
    codes[floats] = filled[floats].view(np.uint64)
    widths = [(top.bit_length() + 7) // 8 for top in codes.max(axis=1).tolist()]
    planes = codes.view(np.uint8).reshape(rows, count, 8)[:, :, : max(widths)].transpose(0, 2, 1)
    planes = np.ascontiguousarray(planes)
    noise = _noise(planes)
    blocks = []
    for row, digit in enumerate(found.tolist()):
        bitmap = np.packbits(missing[row]).tobytes() if holes[row] else b""
        flags = (MISSING if bitmap else 0) | (DELTA if deltas[row] and digit >= 0 else 0)
        form, base = (FIXED, bases[row]) if digit >= 0 else (FLOAT, 0)
        payload = planes[row, : widths[row]].tobytes()
        packed = _deflate(bitmap, payload, count, noise[row])
        if len(packed) < len(bitmap) + len(payload):
            blocks.append(_head(form, max(digit, 0), widths[row], flags | DEFLATED, count, base) + packed)
        else:
            blocks.append(_head(form, max(digit, 0), widths[row], flags, count, base) + bitmap + payload)
    return blocks


def unpack(block: bytes) -> Floats:
    """The values of a block; raises ValueError for other bytes."""
    import numpy as np

    form, digits, width, flags = block[:4]
    count, at = _read_varint(block, 4)
    base, at = _read_varint(block, at)
    gaps = (count + 7) // 8 if flags & MISSING else 0
    payload = _inflate(block[at:], gaps, width, count) if flags & DEFLATED else block[at:]
    planes = np.frombuffer(payload, dtype=np.uint8, offset=gaps, count=width * count)
    wide = np.zeros((count, 8), dtype=np.uint8)
    wide[:, :width] = planes.reshape(width, count).T
    codes = wide.view(np.uint64).reshape(count)
    if form == FLOAT:
        values = codes.view(np.float64)
    elif form == FIXED:
        values = _points(codes, _unzigzag(base), bool(flags & DELTA)) / 10.0**digits
    else:
        raise ValueError(f"a block of the unknown form {form}")
    if gaps:
        bits = np.unpackbits(np.frombuffer(payload, dtype=np.uint8, count=gaps), count=count)
        values[bits.astype(bool)] = np.nan
    return values


def _fill(values: Floats, missing: NDArray[np.bool_]) -> Floats:
    """Replace missing values by the one before, or the first one, which costs the fewest bytes."""
    import numpy as np

    there = np.where(missing, 0, np.arange(values.shape[1]))
    before = np.maximum.accumulate(there, axis=1)
    first = (~missing).argmax(axis=1)[:, None]
    filled: Floats = np.take_along_axis(values, np.maximum(before, first), axis=1)
    filled[np.isnan(filled)] = 0.0  # rows without values
    return filled


def _fixed_point(values: Floats, digits: Integers) -> tuple[Integers, Integers]:
    """The values as integers, and their decimals; -1 if no number of decimals restores them exactly."""
    import numpy as np

    digits = digits.copy()
    points = np.empty(values.shape, dtype=np.int64)
    left = np.arange(len(values))
    guesses = [digits.copy(), *(np.full(len(values), digit) for digit in range(MAX_DIGITS + 1))]
    for guess in guesses:
        scaled, exact = _scale(values[left], guess[left])
        done = left[exact]
        points[done] = scaled[exact]
        digits[done] = guess[done]
        left = left[~exact]
        if not len(left):
            break
    points[left], digits[left] = 0, -1
    return points, digits


def _scale(values: Floats, digits: Integers) -> tuple[Floats, NDArray[np.bool_]]:
    """The values in fixed point, and which rows it restores exactly."""
    import numpy as np

    power = 10.0 ** digits.astype(np.float64)[:, None]
    with np.errstate(all="ignore"):
        scaled = np.rint(values * power)
        exact = (scaled / power == values) & (np.abs(scaled) < _EXACT)
    exact &= ~((values == 0) & np.signbit(values))  # -0.0 has no integer
    return scaled, exact.all(axis=1)


def _codes(points: Integers) -> tuple[NDArray[np.uint64], list[int], list[bool]]:
    """Small unsigned numbers for each row: zigzag of deltas, or distances from the lowest."""
    import numpy as np

    first, low = points[:, :1], points.min(axis=1, keepdims=True)
    steps = np.diff(points, axis=1, prepend=first)
    middle = points.mean(axis=1, keepdims=True).astype(np.int64)
    deltas = np.abs(steps).sum(axis=1) < np.abs(points - middle).sum(axis=1)
    codes = np.where(deltas[:, None], (steps << 1) ^ (steps >> 63), points - low).astype(np.uint64)
    bases = np.where(deltas, first[:, 0], low[:, 0])
    return codes, [_zigzag(base) for base in bases.tolist()], deltas.tolist()


def _points(codes: NDArray[np.uint64], base: int, delta: bool) -> Integers:
    """The integers from the codes."""
    import numpy as np

    if not delta:
        return codes.astype(np.int64) + base
    steps = (codes >> np.uint64(1)).astype(np.int64) ^ -(codes & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps) + base


def _noise(planes: NDArray[np.uint8]) -> list[int]:
    """Which planes of each row hold bytes about as even as chance, as bits: zlib gains nothing there.

    Half of its time goes into them otherwise. Measured by how many pairs of bytes are equal.
    """
    import numpy as np

    rows, width, count = planes.shape
    offsets = np.arange(rows * width, dtype=np.int32).reshape(rows, width, 1) << 8
    counts = np.bincount((planes + offsets).reshape(-1), minlength=rows * width << 8).reshape(-1, 256)
    pairs = np.einsum("ij,ij->i", counts, counts).reshape(rows, width)
    even: NDArray[np.bool_] = pairs < _UNEVEN * (count + count * count / 256)
    return [int(bits) for bits in (even << np.arange(width)).sum(axis=1)]


def _deflate(bitmap: bytes, planes: bytes, count: int, noise: int) -> bytes:
    """A byte that names the raw planes, these planes, then bitmap and other planes deflated."""
    parts = [planes[at : at + count] for at in range(0, len(planes), count)]
    noise &= (1 << len(parts)) - 1
    rest = bitmap + b"".join(part for at, part in enumerate(parts) if not noise >> at & 1)
    if len(rest) < _WORTH_IT:
        return bytes((noise,)) + bitmap + planes  # longer than before: not used
    raw = b"".join(part for at, part in enumerate(parts) if noise >> at & 1)
    # only runs repeat
    deflate = zlib.compressobj(1, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_RLE)
    return b"".join((bytes((noise,)), raw, deflate.compress(rest), deflate.flush()))


def _inflate(packed: bytes, gaps: int, width: int, count: int) -> bytes:
    """The bitmap and the planes in their order, from what _deflate made of them."""
    noise = packed[0]
    end = 1 + noise.bit_count() * count
    rest = zlib.decompress(packed[end:], _WINDOW)
    raw_at, rest_at, parts = 1, gaps, [rest[:gaps]]
    for plane in range(width):
        if noise >> plane & 1:
            parts.append(packed[raw_at : raw_at + count])
            raw_at += count
        else:
            parts.append(rest[rest_at : rest_at + count])
            rest_at += count
    return b"".join(parts)


def _head(form: int, digits: int, width: int, flags: int, count: int, base: int) -> bytes:
    return bytes((form, digits, width, flags)) + _varint(count) + _varint(base)


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
