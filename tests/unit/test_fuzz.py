"""The readers of `make fuzz` read what they are for: a few inputs each, the same ones each time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.readers import READERS


@pytest.mark.parametrize("name", READERS)
def test_a_few_inputs_are_read_or_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    reader = READERS[name]

    @seed(1)
    @settings(
        max_examples=5, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(reader.inputs)
    def read(given_: Any) -> None:
        reader.try_(given_)

    read()
