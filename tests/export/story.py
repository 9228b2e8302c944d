# SPDX-License-Identifier: BSD-2-Clause
"""story.py - a capture with all kinds of data that an exporter reads.

    story = Story(seed)
    story.write(path)
    story.samples       [(time, pid, tid, ticks, names)], outermost first

Names come from a JIT map, so any text is possible.  Tests compute the expected
exports from these lists, without the library's C code.
"""
import random
import struct

HOSTILE = [
    "</script><script>alert(1)</script>", "]]><b>&amp;\"'", "a;b;c 7",
    "=HYPERLINK(\"x\")", "\u202egnp.exe", "line\nbreak", "esc\x1b[31m",
    "\u00fc\u4e2d\U0001f600", "comma, \"quote\"", "x" * 300, "back\\slash",
]
PLAIN = ["main", "work", "parse", "hash", "walk", "read_all", "sort", "free"]
BEGIN = 1_000_000_000
PERIOD = 1_000_000


def shown(name):
    """Names as the model returns them: without control and direction
    characters."""
    return "".join("\ufffd" if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or
                   0x2028 <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069
                   else c for c in name)


def text(value, size):
    data = value.encode()
    assert len(data) < size
    return data.ljust(size, b"\0")


class Story:
    def __init__(self, seed=1, n=2000, slower=None):
        self.rng = random.Random(seed)
        self.names = PLAIN + HOSTILE
        self.frames = []
        self.samples, self.marks, self.values, self.logs = [], [], [], []
        self.allocations = []
        self.threads = [(10, 10), (10, 11), (20, 20)]
        for pid in (10, 20):
            self.frame(4, pid, BEGIN, 0, b"/usr/bin/story --flag\0")
            self.frame(11, pid, BEGIN, 0x5C000000 | pid,
                       text("syscap.sampler", 40) + b"each thread 1000 times "
                       b"a second of its processor time, by signal 23\0")
        self.jitmap(10)
        self.jitmap(20)
        self.add_samples(n, slower)
        self.add_marks()
        self.add_rest()

    def frame(self, kind, pid, time, tag, body):
        length = (24 + len(body) + 7) // 8 * 8
        head = struct.pack("<HhiqBxxxI", length, 1, pid, time, kind, tag)
        self.frames.append((head + body).ljust(length, b"\0"))

    def address(self, number):
        return 0xE000000000000000 + 1 + number

    def jitmap(self, pid):
        body = struct.pack("<I", len(self.names))
        for i, name in enumerate(self.names):
            body += struct.pack("<Q", self.address(i)) + name.encode() + b"\0"
        self.frame(7, pid, BEGIN, 0, body)

    def add_samples(self, n, slower):
        """Stacks of 1 to 12 frames; many have a common prefix."""
        stacks = [[0] + [self.rng.randrange(len(self.names))
                         for _ in range(self.rng.randrange(12))]
                  for _ in range(60)]
        for i in range(n):
            pid, tid = self.rng.choice(self.threads)
            stack = self.rng.choice(stacks)
            ticks = 1 if i % 50 else 3
            if slower is not None and slower in stack:
                ticks += 4
            time = BEGIN + i * PERIOD
            self.sample(time, pid, tid, ticks, stack)

    def sample(self, time, pid, tid, ticks, stack):
        addresses = [self.address(f) for f in reversed(stack)]
        self.frame(2, pid, time, 0x5D000000 | ticks if ticks > 1 else 0,
                   struct.pack("<HHi%dQ" % len(stack), len(stack), 0, tid,
                               *addresses))
        self.samples.append((time, pid, tid, ticks,
                             [shown(self.names[f]) for f in stack]))

    def without_samples(self):
        """Remove the marks, and return them."""
        samples, self.samples = self.samples, []
        self.frames = [f for f in self.frames if f[16] != 2]
        return samples

    def mark(self, pid, tid, time, duration, group, name, message=""):
        self.frame(10, pid, time, 0x5C000000 | tid,
                   struct.pack("<q", duration) + text(group, 24) +
                   text(name, 40) + message.encode() + b"\0")
        self.marks.append((time, duration, pid, tid, group, name, message))

    def add_marks(self):
        for pid, tid in self.threads:
            for i in range(20):
                at = BEGIN + i * 10_000_000
                self.mark(pid, tid, at, 8_000_000, "frame", "draw",
                          "number %d" % i)
                self.mark(pid, tid, at + 1_000_000, 3_000_000, "frame",
                          "layout")
                self.mark(pid, tid, at + 1_500_000, 0, "app", "=now",
                          "a, \"b\"\nc")
            # partial overlap: one track cannot hold both
            self.mark(pid, tid, BEGIN + 5_000_000, 9_000_000, "late",
                      "</b>&")

    def add_rest(self):
        counter = (text("memory", 32) + text("heap, \"used\"", 32) +
                   text("", 52) + struct.pack("<I", 7) + struct.pack("<Q", 0))
        ratio = (text("memory", 32) + text("ratio", 32) + text("", 52) +
                 struct.pack("<I", 8 | 1 << 24) + struct.pack("<Q", 0))
        self.frame(8, 10, BEGIN, 0, struct.pack("<HHI", 2, 0, 0) + counter +
                   ratio)
        for i in range(100):
            time = BEGIN + i * 1_000_000
            number, real = i * 1000 - 5, i / 8
            ids = [7, 8] + [0] * 6
            values = struct.pack("<qd", number, real) + bytes(48)
            self.frame(9, 10, time, 0, struct.pack("<HHI", 1, 0, 0) +
                       struct.pack("<8I", *ids) + values)
            self.values += [(time, 10, "memory", "heap, \"used\"", number),
                            (time, 10, "memory", "ratio", real)]
        for i in range(10):
            time = BEGIN + i * 7_000_000
            self.frame(12, 20, time, 0x5C000000 | 20,
                       struct.pack("<HHI", 1 << 4, 0, 0) + text("app", 32) +
                       b"careful: \"%d\", <b>\0" % i)
            self.logs.append((time, 20, 20, "app", 'careful: "%d", <b>' % i))
        for i in range(30):
            time = BEGIN + i * 3_000_000
            size = 0 if i % 3 == 2 else 100 * i + 1
            self.frame(14, 10, time, 0, struct.pack(
                "<QqiHHQ", 0x1000 + i // 3, size, 10, 1, 0, self.address(1)))
            self.allocations.append((time, 10, 10, 0x1000 + i // 3, size))

    def write(self, path):
        end = self.samples[-1][0] + PERIOD
        head = struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                           b"2026-01-02T03:04:05Z", BEGIN, end, 0)
        with open(path, "wb") as file:
            file.write(head + b"".join(self.frames))
