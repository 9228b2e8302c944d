# SPDX-License-Identifier: BSD-2-Clause
"""A service that records its work.

    syscap record -o server.syscap -- python3 server.py
    syscap stat server.syscap

Without a recorder the service runs as if syscap were not installed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading

import syscap

log = logging.getLogger("server")
requests = syscap.counter("server", "requests", "Requests answered so far")
waiting = syscap.counter("server", "waiting", "Requests not answered yet")


@syscap.traced
def digest(text: str) -> str:
    data = text.encode() * 1000
    for _ in range(200):
        data = hashlib.sha256(data).digest() * 500
    return hashlib.sha256(data).hexdigest()


@syscap.traced(group="server")
async def fetch(key: str) -> str:
    await asyncio.sleep(0.005)
    return key * 3


async def answer(key: str) -> str:
    waiting.add(1)
    with syscap.scope("server", "answer") as scope:
        text = await fetch(key)
        result = json.dumps({"key": key, "digest": digest(text)})
        scope.message = f"{key}: {len(result)} bytes"
    waiting.add(-1)
    requests.add()
    return result


async def serve() -> None:
    for batch in range(10):
        await asyncio.gather(*(answer(f"key-{batch}-{n}") for n in range(5)))
        log.info("batch %d is done", batch)


def housekeeping(stop: threading.Event) -> None:
    while not stop.wait(0.02):
        with syscap.scope("server", "housekeeping"):
            sum(range(20_000))


def main() -> None:
    logging.basicConfig(level=logging.INFO, handlers=[syscap.LogHandler()])
    stop = threading.Event()
    thread = threading.Thread(target=housekeeping, args=(stop,))
    with syscap.sampling(1000):
        thread.start()
        try:
            asyncio.run(serve())
        finally:
            stop.set()
            thread.join()
    syscap.mark("server", "end")


if __name__ == "__main__":
    main()
