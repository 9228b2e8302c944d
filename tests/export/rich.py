# SPDX-License-Identifier: BSD-2-Clause
"""rich.py FILE SEED - a capture with operations, arrows, names of threads,
losses and counters of every kind, in addition to the events of story.py."""
import struct
import sys

from story import BEGIN, Story, text

PHASES = ("whole", "begin", "begin", "step", "end", "end")


class Rich(Story):
    def add_rest(self):
        super().add_rest()
        self.threads += [(30, 30), (30, 31)]
        for pid, tid, name in ((10, 11, "gdk-loader"), (20, 20, "main \u4e2d"),
                               (30, 31, "\x1b[31m</b>"), (30, 99, "idle")):
            self.frame(11, pid, BEGIN + 5, 0x5C000000 | tid,
                       text("syscap.thread", 40) + name.encode() + b"\0")
        self.frame(11, 10, BEGIN + 4, 0x5C000000 | 11,
                   text("syscap.thread", 40) + b"what it was\0")
        for _ in range(300):
            pid, tid = self.rng.choice(self.threads)
            self.add_linked(pid, tid, BEGIN +
                            self.rng.randrange(200_000_000))
        for i in range(6):
            self.frame(10, 10, BEGIN + i * 20_000_000, 0,
                       struct.pack("<q", 30_000_000 if i % 2 else 5) +
                       text("syscap", 24) + text("lost", 40) +
                       b"frames=%d bytes=900 tid=%d sample=2 mark=%d\0" % (
                           i + 3, (10, 0, 11)[i % 3], i + 1))
        # Counters that are set but not defined, and a counter that another
        # process defines.
        for pid, ids in ((20, (7, 9)), (30, (9,)), (-1, (8, 9))):
            for i in range(10):
                self.set(pid, BEGIN + i * 9_000_000, ids)
        self.log(30, 31, 4, "", "an error\nof two lines")
        self.log(30, 0, 1 << 7, "<i>", "of no thread")
        self.log(-1, 0, 1 << 9, "journal", "of no process")
        self.mark(30, 30, BEGIN - 5_000, 20_000, "early", "began before it")
        self.early()
        self.lanes()

    def early(self):
        """Marks and operations that began before the recording."""
        for time, duration in ((-2_160_000_000_000, 2_160_003_000_000),
                               (-9_000, 8_000), (-7_000, 7_000), (-3_000, 0),
                               (-6_000, 90_000_000)):
            self.mark(30, 31, BEGIN + time, duration, "early", "a mark")
        for number, times in enumerate((
                (("begin", -800), ("end", 4_000)),
                (("begin", -800), ("step", -600), ("end", -400)),
                (("begin", -800), ("end", 0)), (("begin", -800),),
                (("end", -800), ("end", 70)),
                (("begin", -900), ("begin", -700), ("end", 900)),
                (("whole", -500),), (("out", -500), ("in", 60)))):
            for phase, time in times:
                self.mark(20, 20, BEGIN + time,
                          900 if phase == "whole" else 0, "early", "operation",
                          "%s=%x phase=%s" % (
                              "flow" if phase in ("out", "in") else "async",
                              number, phase))

    def add_linked(self, pid, tid, time):
        group = self.rng.choice(("net", "disk"))
        if self.rng.random() < 0.4:
            self.mark(pid, tid, time, self.rng.choice((0, 0, 700)), group,
                      "job", "flow=%x phase=%s now" % (
                          self.rng.randrange(4),
                          self.rng.choice(("out", "in"))))
            return
        phase = self.rng.choice(PHASES)
        name = {"step": "redirect", "end": self.rng.choice(
            ("GET", "done"))}.get(phase, "GET")
        self.mark(pid, tid, time,
                  self.rng.randrange(10_000_000) if phase == "whole" else 0,
                  group, name, "async=%x phase=%s" % (
                      self.rng.choice((0, 1, 2, 2**64 - 1)), phase))

    def set(self, pid, time, ids):
        values = struct.pack("<8Q", *(list(ids) + [0] * 8)[:8])
        self.frame(9, pid, time, 0, struct.pack("<HHI", 1, 0, 0) +
                   struct.pack("<8I", *(list(ids) + [0] * 8)[:8]) + values)

    def log(self, pid, tid, severity, domain, message):
        self.frame(12, pid, BEGIN + 77, 0x5C000000 | tid,
                   struct.pack("<HHI", severity, 0, 0) + text(domain, 32) +
                   message.encode() + b"\0")

    def lanes(self):
        """Random marks: of equal length, at equal times, nested."""
        for _ in range(200):
            self.mark(30, self.rng.choice((30, 31)),
                      BEGIN + self.rng.randrange(60) * 1_000_000,
                      self.rng.randrange(8) * 1_000_000, "lane",
                      self.rng.choice("abc"))


Rich(int(sys.argv[2])).write(sys.argv[1])
