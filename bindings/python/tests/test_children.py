# SPDX-License-Identifier: BSD-2-Clause
"""Worker processes that record into captures of their own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from recorded import SYSCAP, Capture

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


class Children(unittest.TestCase):
    def test_what_a_worker_recorded_is_in_its_capture_when_it_ends(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "program.py")
                program.write_text(WORKERS)
                # No thread of the library's drains them
                subprocess.run(
                    [sys.executable, str(program), method], check=True,
                    timeout=100,
                    env=dict(os.environ, SYSCAP_THREAD="0",
                             SYSCAP_OUTPUT=f"{folder}/%p.syscap"))
                counts = []
                for path in pathlib.Path(folder).glob("*.syscap"):
                    # By another name: dump would read its ring file, too
                    copy = pathlib.Path(folder, "alone.capture")
                    copy.write_bytes(path.read_bytes())
                    n = len(Capture(copy).of("mark"))
                    if n != 0:
                        counts.append(n)
                self.assertEqual(counts, [100, 100])


if __name__ == "__main__":
    unittest.main()
