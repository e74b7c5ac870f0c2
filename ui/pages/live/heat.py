"""The latencies of a session by second, as the heat map takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.history.steps.series import SeriesEntry
from app.history.store.decoding import SampleLine
from app.history.store.distributions import Distributions, decode_distributions
from app.protocol.latency import BUCKETS
from ui.widgets.charts.heat_track import HeatTrack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HEAT: SeriesEntry = {
    "name": "latency heat map",
    "unit": "ms",
    "kind": "",
    "direction": "",
    "label": "Latency heat map",
}


def new_heat() -> HeatTrack:
    return HeatTrack(BUCKETS)


def add_seconds(heat: HeatTrack, t: Floats, dt: Floats, events: Distributions | None) -> None:
    """Add these seconds; those without buckets are gaps."""
    if events is not None:
        known, sizes = events.known, events.sizes[events.known]
        heat.extend(t[known], dt[known], sizes, events.buckets, events.counts)


def add_samples(heat: HeatTrack, samples: Sequence[SampleLine]) -> None:
    """Add the samples of a running step."""
    import numpy as np

    if any(sample.latency is not None for sample in samples):
        times = np.array([(sample.t, sample.dt) for sample in samples])
        add_seconds(
            heat, times[:, 0], times[:, 1], decode_distributions([sample.latency for sample in samples])
        )
