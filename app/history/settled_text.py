"""What a settle step said of the writes before it, as people read it."""

from __future__ import annotations

from app.core.units import bytes_text, count_text, figure_text, seconds_text

from .figures import SettledEntry


def settled_text(settled: SettledEntry) -> str:
    """`load, index: settled in 12 s (waited for dirty pages 9 s, purge 3 s); 34.1 MB written meanwhile`."""
    waited = ", ".join(f"{name} {seconds_text(s)}" for name, s in settled["waited_for"].items())
    parts = [
        f"{', '.join(settled['steps'])}: settled in {seconds_text(settled['seconds'])}"
        + (f" (waited for {waited})" if waited else ""),
        f"{_bytes_text(settled['written_bytes'])} written meanwhile",
        f"stopped at the cap, {', '.join(settled['left'])} left" if settled["capped"] else "",
        _amplification_text(settled),
    ]
    return "; ".join(filter(None, parts))


def _amplification_text(settled: SettledEntry) -> str:
    """With what it is made of, so that it can be judged."""
    figure, width = settled["write_amplification"], settled["row_bytes"]
    if figure is None or width is None:
        return "write amplification n/a"
    rows = f"{count_text(settled['rows'], 'row')} of {width} bytes"
    written = f"{_bytes_text(settled['run_written_bytes'])} written in all for {rows}"
    by = " (by everybody on the device)" if settled["run_written_by"] == "device" else ""
    return f"write amplification {figure_text(figure)}: {written}{by}"


def _bytes_text(size: int | None) -> str:
    return "? bytes" if size is None else bytes_text(size)
