"""A link that delays each answer of a server: a proxy takes the place of its socket, or of its port."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.waiting import beside

LOOK_S = 0.02
DELAY_S = 0.001


@contextmanager
def slow_link(find: Callable[[], Path | None]) -> Iterator[None]:
    """Delay the answers of each server meanwhile; `find` returns the socket of the one that is up."""
    with beside(lambda stop: asyncio.run(_replace(find, stop))):
        yield


async def _replace(find: Callable[[], Path | None], stop: threading.Event) -> None:
    """Each server that starts makes its socket anew."""
    ours: dict[Path, int] = {}
    async with AsyncExitStack() as proxies:
        while not stop.is_set():
            with suppress(OSError):  # the server ends
                if (socket := find()) and ours.get(socket) != socket.stat().st_ino:
                    behind = socket.rename(socket.with_name("behind"))
                    proxy = await asyncio.start_unix_server(partial(_serve, behind), socket)
                    await proxies.enter_async_context(proxy)
                    ours[socket] = socket.stat().st_ino
            await asyncio.sleep(LOOK_S)


async def _serve(behind: Path, questions: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
    with suppress(OSError), closing(to_client):
        answers, to_server = await asyncio.open_unix_connection(behind)
        await asyncio.gather(_pass_on(questions, to_server, 0), _pass_on(answers, to_client, DELAY_S))


@contextmanager
def slow_port(port: int) -> Iterator[int]:
    """Another port of loopback, behind which the answers of this one come later."""
    ready: queue.SimpleQueue[int] = queue.SimpleQueue()
    with beside(lambda stop: asyncio.run(_serve_port(port, ready, stop))):
        yield ready.get(timeout=10)


async def _serve_port(port: int, ready: queue.SimpleQueue[int], stop: threading.Event) -> None:
    async def serve(questions: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        with suppress(OSError), closing(to_client):
            answers, to_server = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pass_on(questions, to_server, 0), _pass_on(answers, to_client, DELAY_S))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        ready.put(server.sockets[0].getsockname()[1])
        while not stop.is_set():
            await asyncio.sleep(LOOK_S)


async def _pass_on(source: asyncio.StreamReader, to: asyncio.StreamWriter, delay_s: float) -> None:
    with suppress(OSError), closing(to):
        while data := await source.read(1 << 16):
            await asyncio.sleep(delay_s)
            to.write(data)
