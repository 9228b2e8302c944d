# SPDX-License-Identifier: BSD-2-Clause
"""A pipeline, as in a service, with asyncio, threads and processes.

Asyncio accepts orders, threads read files, processes calculate, and a thread
writes the results.

    SYSCAP_SAMPLE=1000 syscap record -o pipeline.syscap -- python3 pipeline.py
    syscap stat pipeline.syscap
    syscap report pipeline.syscap

The program also measures itself, and prints the same figures as the capture.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import concurrent.futures
import contextlib
import dataclasses
import logging
import math
import multiprocessing
import pathlib
import queue
import random
import tempfile
import threading
import time
import zlib
from typing import Iterator

import syscap

log = logging.getLogger("pipeline")
GROUP = "pipeline"

received = syscap.counter(GROUP, "received", "Orders taken in so far")
in_flight = syscap.counter(GROUP, "in flight", "Orders that are not done")
written = syscap.counter(GROUP, "bytes", "Bytes of results, compressed")
load = syscap.counter(GROUP, "load", "Share of time of the writer", float)


# ----------------------------------------------------------------- statistics


class Times:
    """The number of times and the total duration of each step."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.n: collections.Counter[str] = collections.Counter()
        self.ns: collections.Counter[str] = collections.Counter()

    def add(self, step: str, ns: int, n: int = 1) -> None:
        with self._lock:
            self.n[step] += n
            self.ns[step] += ns

    @contextlib.contextmanager
    def measure(self, step: str, message: str | None = None) -> Iterator[None]:
        """Records a step as a mark, and also measures the step."""
        took = 0
        try:
            with syscap.scope(GROUP, step, message):
                begin = time.monotonic_ns()
                try:
                    yield
                finally:
                    took = time.monotonic_ns() - begin
        finally:
            self.add(step, took)

    def show(self) -> None:
        for step in sorted(self.n):
            print("mark", GROUP, step, self.n[step],
                  f"{self.ns[step] / 1e6:.3f}")


times = Times()


# --------------------------------------------------------------------- orders


@dataclasses.dataclass
class Order:
    number: int
    size: int
    path: pathlib.Path
    data: bytes = b""
    result: bytes = b""


def make_orders(folder: pathlib.Path, count: int) -> list[Order]:
    numbers = random.Random(7)
    orders = []
    with times.measure("prepare"):
        for number in range(count):
            path = folder / f"order-{number}.bin"
            size = numbers.randrange(20_000, 60_000)
            path.write_bytes(numbers.randbytes(size))
            orders.append(Order(number, size, path))
    return orders


# -------------------------------------------------------------------- threads


def read_order(order: Order) -> Order:
    """Runs in a pool of threads, because it waits for the disk."""
    with times.measure("read", order.path.name):
        order.data = order.path.read_bytes()
        checksum = zlib.crc32(order.data)
        for _ in range(60):
            checksum = zlib.adler32(order.data, checksum)
    if order.number % 10 == 0:
        log.info("order %d has %d bytes (%08x)", order.number, order.size,
                 checksum)
    return order


class Writer(threading.Thread):
    """A thread that writes results in the order of their arrival."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__(name="result-writer")
        self._path = path
        self._waiting: queue.Queue[Order | None] = queue.Queue()

    def put(self, order: Order) -> None:
        self._waiting.put(order)

    def close(self) -> None:
        self._waiting.put(None)
        self.join()

    def run(self) -> None:
        begin = time.monotonic_ns()
        busy = 0
        with self._path.open("wb") as file:
            while (order := self._waiting.get()) is not None:
                began = time.monotonic_ns()
                with times.measure("write"):
                    packed = compress(order.result + order.data)
                    file.write(packed)
                written.add(len(packed))
                busy += time.monotonic_ns() - began
                load.set(busy / (time.monotonic_ns() - begin))


def compress(data: bytes) -> bytes:
    packer = zlib.compressobj(9)
    return packer.compress(data) + packer.flush()


# ------------------------------------------------------------------ processes


def is_prime(n: int) -> bool:
    if n < 2:
        return False
    return all(n % d for d in range(2, math.isqrt(n) + 1))


def count_primes(data: bytes) -> int:
    return sum(is_prime(int.from_bytes(data[i:i + 3], "little"))
               for i in range(0, 1200, 3))


def histogram(data: bytes) -> list[int]:
    bins = [0] * 256
    for byte in data[:20_000]:
        bins[byte] += 1
    return bins


def crunch(number: int, data: bytes) -> tuple[bytes, int]:
    """Runs in a worker process, because it needs much processor time."""
    with syscap.scope(GROUP, "crunch", f"order {number}"):
        begin = time.monotonic_ns()
        primes = count_primes(data)
        bins = histogram(data)
        result = f"{number} {primes} {max(bins)}\n".encode()
        took = time.monotonic_ns() - begin
    return result, took


# -------------------------------------------------------------------- asyncio


class Desk:
    """Accepts orders, a few at a time, and processes them to the end."""

    def __init__(
        self,
        threads: concurrent.futures.Executor,
        processes: concurrent.futures.Executor,
        writer: Writer,
    ) -> None:
        self._threads = threads
        self._processes = processes
        self._writer = writer
        self._free = asyncio.Semaphore(6)

    async def handle(self, order: Order) -> None:
        """Runs as an operation, which overlaps other operations of its thread."""
        async with self._free, syscap.operation(
            GROUP, "order", f"{order.size} bytes"
        ):
            began = time.monotonic_ns()
            in_flight.add(1)
            try:
                await self._see_through(order)
            finally:
                in_flight.add(-1)
                times.add("order", time.monotonic_ns() - began)

    async def _see_through(self, order: Order) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._threads, read_order, order)
        order.result, took = await loop.run_in_executor(
            self._processes, crunch, order.number, order.data)
        times.add("crunch", took)
        self._writer.put(order)

    async def take_all(self, orders: list[Order]) -> None:
        tasks = []
        for order in orders:
            tasks.append(asyncio.create_task(
                self.handle(order), name=f"order-{order.number}"))
            received.add()
            await asyncio.sleep(0.002)
        await asyncio.gather(*tasks)


def work(count: int, folder: pathlib.Path) -> None:
    orders = make_orders(folder, count)
    writer = Writer(folder / "results")
    context = multiprocessing.get_context("forkserver")
    with concurrent.futures.ThreadPoolExecutor(
        3, thread_name_prefix="read"
    ) as threads, concurrent.futures.ProcessPoolExecutor(
        2, mp_context=context
    ) as processes:
        writer.start()
        try:
            asyncio.run(Desk(threads, processes, writer).take_all(orders))
        finally:
            writer.close()
    if any(not order.result for order in orders):
        raise SystemExit("an order was lost")


def main() -> None:
    parser = argparse.ArgumentParser(description="A pipeline that is recorded")
    parser.add_argument("--orders", type=int, default=60)
    count = parser.parse_args().orders
    logging.basicConfig(level=logging.INFO, handlers=[syscap.LogHandler()])
    syscap.metadata("pipeline.orders", str(count))
    with tempfile.TemporaryDirectory() as folder:
        work(count, pathlib.Path(folder))
    log.warning("%d orders are done", count)

    times.show()
    print("counter", GROUP, "received", received.value)
    print("counter", GROUP, "in_flight", in_flight.value)
    print("counter", GROUP, "bytes", written.value)
    print("logs", "pipeline", (count + 9) // 10 + 1)
    for name in ("count_primes", "read_order", "compress"):
        print("stack", rf"^{name}\b")
    print("processes", 3)


if __name__ == "__main__":
    main()
