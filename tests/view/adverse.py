# SPDX-License-Identifier: BSD-2-Clause
"""adverse.py SYSCAP [whole] - `syscap view` and `syscap top` in a terminal, on
adverse captures. The captures are fuzzers' findings, are extreme or truncated,
or have names with terminal escapes. `top` also reads such a file while it
grows in pieces.

Each handles every key, and ends by q with 0 or 1. Names are printed as text
only.  Without "whole" uses a random part of the captures; SEED repeats the
choice."""
import concurrent.futures
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "profile"))
import adverse as profile  # noqa: E402

SYSCAP = os.path.abspath(sys.argv[1])
WHOLE = "whole" in sys.argv[2:]
SIZES = [(80, 24), (20, 8), (200, 50), (1, 1)]
FEW = 24
GROWING = 8
LIMIT = 150
# Output of the viewer itself: CSI, and its characters.
OURS = re.compile(r"\x1b(\[[0-9;?<>=]*[ -/]?[@-~]|[78=>]|[()][0B])")
KEYS = profile.ALL_KEYS.replace("\x1b[C", "l").encode()


class Failed(Exception):
    pass


class Shown:
    """A command in a terminal of @columns and @lines."""

    def __init__(self, words, size):
        self.what = " ".join(words)
        self.out = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(
                TERM="xterm-256color", ASAN_OPTIONS="detect_leaks=0:exitcode=99",
                UBSAN_OPTIONS="exitcode=99:print_stacktrace=1")
            os.execv(SYSCAP, [SYSCAP, *words])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", size[1], size[0], 0, 0))

    def read(self, seconds):
        """False: the output has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.out += data
        return bool(data)

    def type(self, keys):
        try:
            os.write(self.fd, keys)
        except OSError:
            pass # the command has ended

    def end(self):
        """End the command by q; its output is read, so that the command does
        not block."""
        end = time.monotonic() + LIMIT
        goes_on = True
        while goes_on and time.monotonic() < end:
            # The command does not ask for confirmation: one of the two q is for
            # an open search
            self.type(b"\x1b")
            goes_on = self.read(0.1)
            self.type(b"q")
            goes_on = goes_on and self.read(0.1)
        if goes_on:
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        if goes_on:
            raise Failed("%s: does not end" % self.what)
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in (0, 1):
            raise Failed("%s: ended with %x: %r" % (self.what, status,
                                                    self.out[-2000:]))
        self.judge()

    def judge(self):
        for c in OURS.sub("", self.out.decode(errors="replace")):
            if (ord(c) < 32 and c not in "\n\r\b") or \
                    0x7f <= ord(c) < 0xa0 or 0x2028 <= ord(c) <= 0x202e or \
                    0x2066 <= ord(c) <= 0x2069:
                raise Failed("%s: %r gets out: %r" % (self.what, c,
                                                      self.out[-2000:]))


def look(words, size):
    shown = Shown(words, size)
    goes_on = True
    while goes_on and b"quit" not in shown.out and b"\xe2\x80\xa6" not in \
            shown.out:
        goes_on = shown.read(LIMIT)
    for i in range(0, len(KEYS), 8):
        shown.type(KEYS[i:i + 8])
        shown.read(0.02)
    shown.end()


def grow(path, data, rng):
    """The file of a recorder that was killed at a random time."""
    places = sorted(rng.randrange(min(256, len(data)), len(data) + 1)
                    for _ in range(4))
    with open(path, "wb", buffering=0) as file:
        file.write(data[:places[0]])
        shown = Shown(["top", path], SIZES[rng.randrange(2)])
        for i, place in enumerate(places):
            file.write(data[file.tell():place])
            end = time.monotonic() + 1.3 # `top` reads the file once a second
            while time.monotonic() < end and shown.read(0.1):
                shown.type(KEYS[8 * i:8 * i + 8])
    shown.end()


def captures(scratch, rng):
    """Paths of all captures, and of some truncated captures."""
    found = []

    def keep(name, data):
        path = os.path.join(scratch, name)
        with open(path, "wb") as file:
            file.write(data)
        found.append(path)

    for name, data in profile.extremes():
        keep(name, data)
    for path in profile.corpus():
        with open(path, "rb") as file:
            data = file.read()
        keep("corpus%d" % len(found), data)
        keep("cut%d" % len(found), data[:rng.randrange(len(data) + 1)])
    return found


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print("SEED=%d" % seed, flush=True)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        profile.SCRATCH = scratch
        paths = captures(scratch, rng)
        hostile = os.path.join(scratch, "hostile")
        if len(paths) < 50:
            raise Failed("there is no corpus")
        chosen = paths if WHOLE else [hostile] + rng.sample(paths, FEW)
        jobs = [(look, [command, path], rng.choice(SIZES))
                for path in chosen for command in ("view", "top")]
        jobs += [(look, [command, "--page", page, hostile], (200, 50))
                 for page in profile.PAGES for command in ("view", "top")]
        for i, path in enumerate([hostile] + rng.sample(
                paths, 40 if WHOLE else GROWING)):
            with open(path, "rb") as file:
                data = file.read()
            jobs.append((grow, os.path.join(scratch, "growing%d" % i), data,
                         random.Random(rng.random())))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for run in [pool.submit(*job) for job in jobs]:
                run.result()
        print("%d captures, %d runs" % (len(paths), len(jobs)))


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit("FAILED: %s" % failed)
