"""What compression a server has in force, read back from it: what options ask for is not always done."""

from __future__ import annotations

from typing import Dict

from .mysql import Client, QueryError

_ASKED = "SELECT option_type, value FROM information_schema.rocksdb_cf_options WHERE cf_name = 'default'"
_UNSET = ("", "NUL", "kDisableCompressionOption")


def compression_in_force(client: Client) -> str:
    """Of MyRocks, in words; '' where the server does not tell."""
    try:
        rows = client.query(_ASKED)
    except QueryError:
        return ""
    return in_words({str(row["option_type"]): str(row["value"]) for row in rows})


def in_words(options: Dict[str, str]) -> str:
    """Options of a column family: `level 0 none, 1 none, 2 LZ4; the last level Zlib`."""
    everywhere = options.get("COMPRESSION_TYPE", "")
    levels = options.get("COMPRESSION_PER_LEVEL", "")
    last = options.get("BOTTOMMOST_COMPRESSION", "")
    said = "every level {}".format(_plain(everywhere)) if everywhere else ""
    if levels not in _UNSET:
        names = [_plain(each) for each in levels.split(":")]
        said = "level " + ", ".join("{} {}".format(at, name) for at, name in enumerate(names))
    if last not in _UNSET:
        said += "; the last level {}".format(_plain(last))
    return said


def _plain(name: str) -> str:
    """`kLZ4Compression` is LZ4, `kNoCompression` none."""
    word = name[1:] if name.startswith("k") else name
    word = word.replace("NotFinalCompression", "").replace("Compression", "")
    return "none" if word == "No" else word
