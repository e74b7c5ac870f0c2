"""A relay of the tests between a client and a server, as a network lies there: each packet comes later.

A process of its own, as the threads of a test would hold it up: `python delaying_relay.py PORT SECONDS`.
"""

from __future__ import annotations

import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

Later = queue.Queue[tuple[float, bytes]]


@contextmanager
def delaying_relay(port: int, one_way_s: float) -> Iterator[int]:
    """The port that leads to one of this machine; bytes take so long each way."""
    words = [sys.executable, "-I", __file__, str(port), str(one_way_s)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout
        try:
            yield int(relay.stdout.readline())
        finally:
            relay.kill()


def main(port: int, one_way_s: float) -> None:
    sys.setswitchinterval(0.0005)
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        print(listening.getsockname()[1], flush=True)
        while True:
            client, _ = listening.accept()
            server = socket.create_connection(("127.0.0.1", port))
            _begin(client, server, one_way_s)
            _begin(server, client, one_way_s)


def _begin(source: socket.socket, sink: socket.socket, one_way_s: float) -> None:
    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    later: Later = queue.Queue()
    threading.Thread(target=_read, args=(source, later, one_way_s), daemon=True).start()
    threading.Thread(target=_write, args=(sink, later), daemon=True).start()


def _read(source: socket.socket, later: Later, one_way_s: float) -> None:
    chunk = b"."
    while chunk:
        try:
            chunk = source.recv(1 << 16)
        except OSError:
            chunk = b""
        later.put((time.monotonic() + one_way_s, chunk))


def _write(sink: socket.socket, later: Later) -> None:
    while True:
        due, chunk = later.get()
        time.sleep(max(0.0, due - time.monotonic()))
        with suppress(OSError):
            if not chunk:
                sink.shutdown(socket.SHUT_WR)
                return
            sink.sendall(chunk)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
