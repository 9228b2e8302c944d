# SPDX-License-Identifier: BSD-2-Clause
"""Worker processes in the recorder's capture, or in captures of their own."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from recorded import Capture, record

WORKERS = textwrap.dedent("""
    import multiprocessing, sys, syscap
    def work(n):
        for _ in range(n):
            syscap.mark("worker", "step")
    if __name__ == "__main__":
        multiprocessing.set_start_method(sys.argv[1])
        workers = [multiprocessing.Process(target=work, args=(100,))
                   for _ in range(2)]
        for w in workers: w.start()
        for w in workers: w.join()
""")


# Workers as in real programs: a pool, processes with a queue, an executor, a
# command.
RECORDED = """
    import concurrent.futures, multiprocessing, os, subprocess, sys, threading
    import syscap
    def work(n):
        with syscap.scope("worker", "piece", str(n)):
            return os.getpid()
    def loop(queue):
        for n in iter(queue.get, None):
            work(n)
    def named(n):
        thread = threading.Thread(target=work, args=(n,), name=f"piece-{n}")
        thread.start()
        thread.join()
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        with context.Pool(3) as pool:
            pool.map(work, range(100), chunksize=5)
            pool.close()
            pool.join()
        queue = context.Queue()
        processes = [context.Process(target=loop, args=(queue,))
                     for _ in range(2)]
        for p in processes: p.start()
        for n in range(100, 200): queue.put(n)
        for p in processes: queue.put(None)
        for p in processes: p.join()
        with concurrent.futures.ProcessPoolExecutor(
                2, mp_context=context) as executor:
            list(executor.map(work, range(200, 300)))
            list(executor.map(named, range(300, 310)))
        for n in range(310, 313):
            command = f'syscap.mark("worker", "piece", "{n}")'
            subprocess.run([sys.executable, "-c", "import syscap; " + command],
                           check=True)
"""


class Recorded(unittest.TestCase):
    def check(self, method):
        """Check that each piece is recorded, or reported as lost: on a busy
        machine a worker may get no ring in time."""
        capture = record(RECORDED, method)
        marks = [m for m in capture.of("mark") if m["group"] == "worker"]
        pieces = [int(m["message"]) for m in marks]
        lost = sum(int(n) for m in capture.of("mark")
                   if m["group"] == "syscap" and m["name"] == "lost"
                   for n in re.findall(r" mark=(\d+)", m["message"]))
        self.assertLessEqual(set(pieces), set(range(313)))
        self.assertEqual(len(set(pieces)), len(pieces))
        self.assertEqual(len(pieces) + lost, 313)
        if lost == 0:
            self.assertGreaterEqual(len({m["pid"] for m in marks}), 6)
        # A thread gets its name before its first event
        names = {(f["pid"], f["tid"]): f["metadata"]
                 for f in capture.of("metadata") if f["id"] == "syscap.thread"}
        for mark, piece in zip(marks, pieces):
            if 300 <= piece < 310:
                self.assertEqual(names[mark["pid"], mark["tid"]],
                                 f"piece-{piece}")

    def test_forked_workers_are_in_the_recorders_capture(self):
        self.check("fork")

    def test_spawned_workers_are_in_the_recorders_capture(self):
        self.check("spawn")

    def test_workers_of_a_server_are_in_the_recorders_capture(self):
        self.check("forkserver")

    def test_workers_that_are_sampled_have_their_functions(self):
        capture = record("""
            import multiprocessing, sys, syscap
            def crunch(_):
                until = syscap.sampling_stats()["samples"] + 50
                while syscap.sampling_stats()["samples"] < until:
                    sum(range(1000))
            if __name__ == "__main__":
                for method in ("fork", "spawn", "forkserver"):
                    context = multiprocessing.get_context(method)
                    workers = [context.Process(target=crunch, args=(0,))
                               for _ in range(2)]
                    for w in workers: w.start()
                    for w in workers: w.join()
        """, environment={"SYSCAP_SAMPLE": "1000,wall"})
        seen = {f["pid"] for f in capture.of("sample")
                if "crunch" in capture.stack([int(a, 16)
                                              for a in f["addrs"]])}
        self.assertEqual(len(seen), 6)


class Children(unittest.TestCase):
    def test_what_a_worker_recorded_is_in_its_capture_when_it_ends(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "program.py")
                program.write_text(WORKERS)
                # SYSCAP_THREAD=0: no thread of the library drains the workers'
                # rings
                subprocess.run(
                    [sys.executable, str(program), method], check=True,
                    timeout=100,
                    env=dict(os.environ, SYSCAP_THREAD="0",
                             SYSCAP_OUTPUT=f"{folder}/%p.syscap"))
                counts = []
                for path in pathlib.Path(folder).glob("*.syscap"):
                    # Copy under another name, since beside the capture dump
                    # would find its ring file
                    copy = pathlib.Path(folder, "alone.capture")
                    copy.write_bytes(path.read_bytes())
                    n = len(Capture(copy).of("mark"))
                    if n != 0:
                        counts.append(n)
                self.assertEqual(counts, [100, 100])


if __name__ == "__main__":
    unittest.main()
