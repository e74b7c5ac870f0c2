"""A link that delays each answer of a server: a proxy takes the place of its socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOOK_S = 0.02
DELAY_S = 0.001


@contextmanager
def slow_link(find: Callable[[], Path | None]) -> Iterator[None]:
    """Delay the answers of the next server, of which `find` returns the socket once it is there."""
    stop = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_replace(find, stop)))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def _replace(find: Callable[[], Path | None], stop: threading.Event) -> None:
    while (socket := find()) is None and not stop.is_set():
        await asyncio.sleep(LOOK_S)
    if socket is None:
        return
    behind = socket.rename(socket.with_name("behind"))
    async with await asyncio.start_unix_server(lambda *client: _serve(behind, *client), socket):
        while not stop.is_set():
            await asyncio.sleep(LOOK_S)


async def _serve(behind: Path, questions: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        answers, to_server = await asyncio.open_unix_connection(behind)
        await asyncio.gather(_pass_on(questions, to_server, 0), _pass_on(answers, to_client, DELAY_S))


async def _pass_on(source: asyncio.StreamReader, to: asyncio.StreamWriter, delay_s: float) -> None:
    with suppress(OSError):
        while data := await source.read(1 << 16):
            await asyncio.sleep(delay_s)
            to.write(data)
    to.close()
