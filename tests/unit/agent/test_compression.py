"""The compression in force, in words."""

from __future__ import annotations

import pytest

from app.agent.compression import in_words

OFF = "kDisableCompressionOption"


@pytest.mark.parametrize(
    ("everywhere", "levels", "last", "words"),
    [
        ("kSnappyCompression", "NUL", OFF, "every level Snappy"),
        ("kNoCompression", "", "", "every level none"),
        ("kZlibCompression", "NUL", "kZSTDNotFinalCompression", "every level Zlib; the last level ZSTD"),
        ("kSnappyCompression", "kNoCompression:kLZ4Compression", OFF, "level 0 none, 1 LZ4"),
        ("kZSTD", "kLZ4HCCompression", "kZSTD", "level 0 LZ4HC; the last level ZSTD"),
    ],
)
def test_the_options_of_a_column_family_in_words(everywhere: str, levels: str, last: str, words: str) -> None:
    names = ("COMPRESSION_TYPE", "COMPRESSION_PER_LEVEL", "BOTTOMMOST_COMPRESSION")
    assert in_words(dict(zip(names, (everywhere, levels, last), strict=True))) == words


def test_a_server_that_does_not_tell_is_not_guessed_at() -> None:
    assert in_words({}) == ""
