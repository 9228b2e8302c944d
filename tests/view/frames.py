# SPDX-License-Identifier: BSD-2-Clause
"""frames.py FILE [wait] - the captures of docs/view.md: a program that draws
300 frames. Every 50th frame takes 40 ms more. With "wait" the program waits
for a disk in these frames, and the samples have wall time.  Always the
same."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "export"))
from story import BEGIN, Story, text  # noqa: E402

MS = 1_000_000
PID = 2582
NAMES = ["main", "g_application_run", "g_main_context_iteration",
         "gdk_frame_clock_paint", "gtk_widget_layout", "gtk_widget_snapshot",
         "draw_chart", "burn_in_a_frame", "cairo_fill", "pango_layout_draw",
         "load_points", "parse_line", "strtod", "save_state", "fsync", "poll"]
FRAME = [0, 1, 2, 3]
LAYOUT, DRAW = FRAME + [4], FRAME + [5, 6]
PARTS = [LAYOUT, DRAW + [8], DRAW + [9], DRAW + [8]]


class Frames(Story):
    def __init__(self, waits=False):
        self.waits = waits
        super().__init__(seed=1)

    def add_samples(self, n, slower):
        self.names, self.frames = NAMES, []
        self.threads = []
        self.frame(4, PID, BEGIN, 0, b"./app --frames 300\0")
        for tid, name in ((PID, "app"), (PID + 1, "loader")):
            self.frame(11, PID, BEGIN, 0x5C000000 | tid,
                       text("syscap.thread", 40) + name.encode() + b"\0")
        self.frame(11, PID, BEGIN, 0x5C000000 | PID,
                   text("syscap.sampler", 40) + b"each thread 1000 times "
                   b"a second" + (b", asleep or not" if self.waits else
                                  b" of its processor time") +
                   b", by signal 23\0")
        self.jitmap(PID)
        self.at = BEGIN + 5 * MS
        for number in range(300):
            self.draw(number)
        for i in range(400):
            self.sample(BEGIN + i * MS, PID, PID + 1, 1,
                        [10, 11] + ([12] if i % 3 else []))

    def draw(self, number):
        begin, slow = self.at, number % 50 == 49
        for i, part in enumerate(PARTS):
            self.tick(part if (number + i) % 7 else part[:4])
        for _ in range(40 if slow else 0):
            self.tick(DRAW + ([13, 14] if self.waits else [7]))
        took = self.at - begin + self.rng.randrange(100_000, 900_000)
        self.mark(PID, PID, begin, took, "gtk", "frameclock cycle")
        self.mark(PID, PID, begin, MS, "gtk", "layout")
        self.mark(PID, PID, begin + MS, took - MS - 50_000, "gtk", "paint",
                  "frame %d" % number)
        if slow:
            self.log(self.at, "frame %d took %d ms" % (number, took // MS))
        self.value(self.at, 40_000_000 + number * 50_000 +
                   (number % 40) * 900_000, MS * 1000 / took)
        end = begin + max(16_666_667, took)
        while self.waits and self.at + MS < end:
            self.tick(FRAME[:3] + [15])
        self.at = end

    def tick(self, stack):
        self.at += MS
        self.sample(self.at, PID, PID, 1, stack)

    def log(self, time, message):
        self.frame(12, PID, time, 0x5C000000 | PID,
                   struct.pack("<HHI", 1 << 4, 0, 0) + text("app", 32) +
                   message.encode() + b"\0")

    def value(self, time, size, rate):
        self.frame(9, PID, time, 0, struct.pack("<HHI", 1, 0, 0) +
                   struct.pack("<8I", 7, 8, *[0] * 6) +
                   struct.pack("<qd", size, rate) + bytes(48))

    def add_marks(self):
        counters = b"".join(
            text(category, 32) + text(name, 32) + text("", 52) +
            struct.pack("<IQ", number, 0)
            for category, name, number in (("memory", "heap", 7),
                                           ("gtk", "frames", 8 | 1 << 24)))
        self.frame(8, PID, BEGIN, 0, struct.pack("<HHI", 2, 0, 0) + counters)

    def add_rest(self):
        self.frame(10, PID, BEGIN + 900 * MS, 0,
                   struct.pack("<q", 30 * MS) + text("syscap", 24) +
                   text("lost", 40) + b"frames=311 bytes=29856 tid=%d "
                   b"sample=30 mark=281\0" % PID)

    def write(self, path):
        self.samples.sort()
        super().write(path)


if __name__ == "__main__":
    Frames("wait" in sys.argv[2:]).write(sys.argv[1])
