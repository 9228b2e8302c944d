# SPDX-License-Identifier: BSD-2-Clause
"""The contents of samples of Python programs."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from recorded import SYSCAP, record

# Functions that take time, and print the location of the interpreter's loop
WORK = """
import hashlib, os, sys, threading, time, zlib
import syscap

DATA = b"x" * 300000

def leaf(x):
    for i in range(60):
        x = (x * 31 ^ i) & 0xffffffff
    return x

def größe_π(n):
    return leaf(n)

class Widget:
    def paint(self, depth):
        return leaf(depth) if depth == 0 else self.paint(depth - 1)

def checksum(n):
    return zlib.crc32(DATA)

def digest(n):
    return hashlib.sha256(DATA).digest()

def generate(n):
    for i in range(n):
        yield leaf(i)

def native(n):
    return list(map(checksum, [n])), list(map(digest, [n]))

def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            Widget().paint(6)
            größe_π(3)
            sum(generate(5))
        native(1)

def spin_sampled(count):
    # Counts samples, also on a busy machine; a child counts from its fork on
    taken = lambda: syscap.sampling_stats()["samples"]
    end = taken() + count
    while taken() < end:
        spin(0.05)

def loop():
    from syscap import _walker
    print(*_walker.loop())
"""


def innermost_python(stack: list[str]) -> str:
    return next((n for n in stack if not n.startswith("[")), "")


class Decorators(unittest.TestCase):
    def test_each_call_of_a_function_or_coroutine_is_sampled(self):
        capture = record(WORK + """
import asyncio
def sampled(): return syscap.sampling_stats()["threads"] != 0
@syscap.sampling(1000, clock="wall")
def plain(x):
    assert sampled()
    return x
@syscap.sampling(1000, clock="wall")
async def coroutine():
    assert sampled()
    spin(0.3)
assert plain(3) == 3 and not sampled()
asyncio.run(coroutine())
assert not sampled()
try:
    syscap.sampling()(generate)
except TypeError:
    pass
else:
    raise SystemExit("a generator was taken")
""")
        self.assertGreater(capture.seen()["coroutine"], 0)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.capture = record(WORK + """
loop()
with syscap.sampling(1000, clock="wall"):
    spin(1.5)
""")

    def test_functions_are_named_with_their_place(self):
        seen = self.capture.seen()
        for name in ("leaf", "Widget.paint", "größe_π", "generate", "native",
                     "checksum", "digest", "spin", "<module>"):
            self.assertGreater(seen[name], 0, name)
        place = [n for n in self.capture.names.values()
                 if n.startswith("größe_π")]
        self.assertRegex(place[0], r"^größe_π \(/.*program\.py:\d+\)$")

    def test_every_sample_begins_where_the_program_does(self):
        stacks = self.capture.stacks()
        whole = [s for s in stacks if "<module>" in s and "spin" in s]
        self.assertGreater(len(whole), 0.95 * len(stacks))

    def test_native_frames_stand_among_those_of_python(self):
        """zlib < checksum < map() < native() ... < main()"""
        found = {"checksum": 0, "digest": 0}
        for stack in self.capture.stacks():
            function = innermost_python(stack)
            if function not in found:
                continue
            at = stack.index(function)
            below, above = stack[:at], stack[at + 1:]
            if not below or "native" not in above:
                continue
            between = above[:above.index("native")]
            outermost = above[above.index("<module>") + 1:]
            if between and all(n.startswith("[") for n in between) and \
               outermost and all(n.startswith("[") for n in outermost):
                found[function] += 1
        self.assertGreater(found["checksum"], 10)
        self.assertGreater(found["digest"], 10)
        files = {n for s in self.capture.stacks() for n in s}
        self.assertTrue([f for f in files if f.startswith("[libz.")], files)

    def test_each_call_of_the_loop_makes_way_for_its_functions(self):
        low, high = map(int, self.capture.stdout.split())
        samples = self.capture.addresses()
        left = [a for a in samples
                if any(low < address < high for address in a)]
        self.assertLessEqual(len(left), 0.01 * len(samples))

    def test_recursion_is_told_in_full(self):
        depths = [s.count("Widget.paint") for s in self.capture.stacks()
                  if innermost_python(s) == "leaf" and "Widget.paint" in s]
        self.assertEqual(max(depths), 7)


class Options(unittest.TestCase):
    def test_only_python_or_only_native(self):
        for stacks in ("python", "native"):
            capture = record(WORK + f"""
with syscap.sampling(1000, clock="wall", stacks="{stacks}"):
    spin_sampled(200)
""")
            seen = capture.seen()
            native = [s for s in capture.stacks()
                      if any(n.startswith("[") for n in s)]
            if stacks == "python":
                self.assertGreater(seen["spin"], 50)
                self.assertLess(len(native), 0.1 * len(capture.stacks()))
            else:
                self.assertEqual(seen["spin"], 0)
                self.assertGreater(len(native), 50)

    def test_deep_recursion_is_cut_and_not_fatal(self):
        capture = record(WORK + """
sys.setrecursionlimit(40000)
def deep(n):
    return deep(n - 1) if n else spin_sampled(200)
with syscap.sampling(1000, clock="wall"):
    deep(20000)
""")
        stacks = [s for s in capture.stacks() if "deep" in s]
        self.assertGreater(len(stacks), 50)
        self.assertEqual(max(map(len, stacks)), 512)
        # The innermost frames are there, and the outermost native frames
        self.assertIn("deep", stacks[-1][:20])
        self.assertTrue(stacks[-1][-1].startswith("["))

    def test_sampling_may_begin_and_end_often_and_be_nested(self):
        record(WORK + """
for _ in range(20):
    with syscap.sampling(5000, clock="wall"):
        with syscap.sampling():
            spin(0.01)
        assert syscap.sampling_stats()["threads"] > 0
    assert syscap.sampling_stats()["threads"] == 0
print(syscap.start_sampling(100))
syscap.stop_sampling()
""")


class Threads(unittest.TestCase):
    PROGRAM = WORK + """
def counts(n):
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        leaf(1)
def frees_the_gil(n):
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        zlib.crc32(DATA * 10)
def sleeps(n):
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        time.sleep(0.01)
"""

    def check(self, capture):
        by_thread = {}
        for f in capture.of("sample"):
            stack = capture.stack([int(a, 16) for a in f["addrs"]])
            by_thread.setdefault(f["tid"], []).append(stack)
        for function in ("counts", "frees_the_gil", "sleeps"):
            best = max(
                (sum(function in s for s in stacks) / len(stacks), len(stacks))
                for stacks in by_thread.values())
            self.assertGreater(best[0], 0.9, function)
            self.assertGreater(best[1], 50, function)

    def test_threads_that_come_later_have_names(self):
        self.check(record(self.PROGRAM + """
import _thread
from concurrent.futures import ThreadPoolExecutor
with syscap.sampling(500, clock="wall"):
    threading.Thread(target=counts, args=(1,)).start()
    _thread.start_new_thread(frees_the_gil, (1,))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(sleeps, 1)
    for t in threading.enumerate():
        t is threading.current_thread() or t.join()
"""))

    def test_threads_that_were_there_before_have_names(self):
        self.check(record(self.PROGRAM + """
import sys
threads = [threading.Thread(target=f, args=(1,))
           for f in (counts, frees_the_gil, sleeps)]
for t in threads: t.start()
time.sleep(0.1)
with syscap.sampling(500, clock="wall"):
    for t in threads: t.join()
assert sys.getprofile() is None
"""))

    def test_a_profile_function_stays_and_is_told_of(self):
        program = WORK + """
import threading, warnings
calls = 0
def profile(frame, event, argument):
    global calls
    calls += 1
stop = threading.Event()
def other():
    sys.setprofile(profile)
    while not stop.is_set():
        leaf(1)
    sys.setprofile(None)
t = threading.Thread(target=other)
t.start()
time.sleep(0.05)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with syscap.sampling(500, clock="wall"):
        before = calls
        time.sleep(0.2)
assert calls > before
stop.set()
t.join()
print([str(w.message) for w in told])
"""
        self.assertIn("profile function", record(program).stdout)

    def test_threads_come_and_go(self):
        record(WORK + """
def short(n):
    leaf(n)
with syscap.sampling(10000, clock="wall"):
    for n in range(300):
        threads = [threading.Thread(target=short, args=(n,))
                   for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
""")


class Forks(unittest.TestCase):
    PROGRAM = WORK + """
def in_child():
    spin_sampled(400) if {children} else spin(0.3)
idle = threading.Thread(target=time.sleep, args=(0.2,))
with syscap.sampling(1000, clock="wall", children={children}):
    idle.start()
    pid = os.fork()
    if pid == 0:
        in_child()
        import gc; gc.collect()
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
idle.join()
"""

    def seen_in_child(self, children):
        capture = record(self.PROGRAM.format(children=children),
                         options=("-Wignore::DeprecationWarning",))
        return capture.seen()["in_child"]

    def test_a_child_is_sampled_if_asked_for(self):
        self.assertGreater(self.seen_in_child(True), 100)
        self.assertEqual(self.seen_in_child(False), 0)

    def test_multiprocessing_works(self):
        record(WORK + """
import multiprocessing
if __name__ == "__main__":
    with syscap.sampling(2000, clock="wall", children=True):
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            assert pool.map(leaf, range(100)) == [leaf(x) for x in range(100)]
""", options=("-Wignore::DeprecationWarning",))


class Environment(unittest.TestCase):
    def test_sampling_begins_with_the_import(self):
        capture = record(WORK + "spin_sampled(200)",
                         environment={"SYSCAP_SAMPLE": "1000,wall"})
        self.assertGreater(capture.seen()["spin"], 50)

    def test_a_program_that_knows_nothing_is_sampled(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "plain.py")
            program.write_text(
                "import sys, time\n"
                "def plain():\n"
                "    end = time.monotonic() + 0.7\n"
                "    while time.monotonic() < end: sum(range(100))\n"
                "print(sys.argv)\n"
                "if __name__ == '__main__': plain()\n"
                "sys.exit(3)\n")
            capture = pathlib.Path(folder, "x.syscap")
            run = subprocess.run(
                [sys.executable, "-m", "syscap", "-o", str(capture),
                 "--sample=1000,wall", "-m", "plain", "-o", "x"],
                cwd=folder, capture_output=True, text=True, timeout=60,
                check=False)
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertIn("'-o', 'x'", run.stdout)
            dump = subprocess.run([SYSCAP, "dump", str(capture)],
                                  capture_output=True, text=True, check=True)
            self.assertIn('plain (', dump.stdout)
            alone = subprocess.run(
                [sys.executable, "-m", "syscap", str(program)],
                capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(alone.returncode, 2)
            self.assertIn("nothing records", alone.stderr)


class Ends(unittest.TestCase):
    def test_python_may_end_while_it_is_sampled(self):
        for _ in range(3):
            record(WORK + """
def forever():
    while True:
        leaf(1)
        zlib.crc32(DATA)
class Late:
    def __del__(self): leaf(5)
late = Late()
late.itself = late
syscap.start_sampling(20000, clock="wall")
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
spin(0.3)
""")

    def test_subinterpreters_refuse_and_do_no_harm(self):
        capture = record(WORK + """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
with syscap.sampling(5000, clock="wall"):
    spin(0.3)
    i = interpreters.create()
    code = '''
try:
    import syscap
except ImportError as error:
    pass
else:
    raise SystemExit("imported")
def inside():
    return sum(range(1000))
for _ in range(2000):
    inside()
'''
    result = getattr(interpreters, "exec", None) or interpreters.run_string
    assert result(i, code) is None
    interpreters.destroy(i)
    del i
    spin_sampled(200)
""")
        self.assertEqual(capture.seen()["inside"], 0)
        self.assertGreater(capture.seen()["spin"], 50)


if __name__ == "__main__":
    unittest.main()
