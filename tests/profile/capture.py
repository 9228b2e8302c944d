# SPDX-License-Identifier: BSD-2-Clause
"""capture.py - reader of captures according to docs/format.md, without the
library's C code.

    capture = Capture(open("x.syscap", "rb").read())
    capture.samples     [Sample]    in file order
    capture.waits       [(is_stall, Sample)], with ns as ticks
    capture.marks       [Mark]      in the recording, see cut_marks()
    capture.raw_marks   [Mark]      as in the file
    capture.values      [Value]     of counters, as capture.typed() has them
    capture.logs, capture.losses, capture.allocations
    capture.threads     {(pid, tid): name}

A frame of a stack is (name, binary, category), the outermost first. An inlined
function has the category "inlined ..." and follows the function that contains
its code.  frame.line is (file, line), or None.
"""
import bisect
import collections
import math
import re
import struct

Sample = collections.namedtuple("Sample", "time pid tid ticks frames")
Mark = collections.namedtuple(
    "Mark", "time duration pid tid group name message")
Value = collections.namedtuple("Value", "time pid tid id bits")
Log = collections.namedtuple("Log", "time pid tid severity domain message")
Loss = collections.namedtuple("Loss", "begin end pid tid frames samples bytes")
Allocation = collections.namedtuple(
    "Allocation", "time pid tid address size frames")
Map = collections.namedtuple("Map", "start end offset time path build_id")
PART = re.compile("async=[0-9a-f]+ phase=(begin|end)( |$)")


class Frame(tuple):
    line = None


CUT = Frame(("[stack cut]", None, "note"))
STOPPED = Frame(("[stack incomplete]", None, "note"))
EMPTY = Frame(("[no stack]", None, "note"))
SYSTEM = Frame(("[system]", None, "note"))

# Names by which the sampler explains a sample.
EXPLANATIONS = "no tick came", "signals blocked"

FOLDERS = ("/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
           "/usr/libexec/", "/lib/", "/lib32/", "/lib64/", "/libx32/",
           "/app/lib/", "[vdso]")


def text(data):
    """The text up to the NUL, as it is displayed."""
    shown = data.split(b"\0", 1)[0].decode("utf-8", "replace")
    return "".join("\uFFFD" if ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or
                   0x2028 <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069
                   else c for c in shown)


def is_syscap_code(name, binary):
    """Code of syscap in a recorded program: its libraries, or a linked copy."""
    return (binary or "").startswith(("libsyscap-", "libsyscap.so")) or (
        binary != "syscap" and name.startswith(("syc_", "syscap_")))


def last_part(path):
    name = path.rsplit("/", 1)[-1]
    return name[:-10] if name.endswith(" (deleted)") and len(name) > 10 \
        else name


class Capture:
    def __init__(self, data):
        self.little = data[5] & 1 == 1
        self.order = "<" if self.little else ">"
        self.begin, self.end = self.get("qq", data, 72)
        self.maps = collections.defaultdict(list)
        self.unmapped = collections.defaultdict(list)
        self.exits = collections.defaultdict(list)
        self.forks = {}
        self.names = {}
        self.table = collections.defaultdict(list)
        self.samples, self.marks = [], []
        self.values, self.logs, self.losses = [], [], []
        self.defined, self.latest, self.owners = {}, {}, {}
        self.last = self.begin # the latest event except marks
        self.threads, self.named_at = {}, {}
        self.rates, self.asked = collections.defaultdict(set), None
        self.chunks = self.line_chunks = b""
        self.lines = {}
        self.raw, self.raw_allocations, self.allocations = [], [], []
        self.raw_waits, self.waits = [], []
        self.firsts, self.has_command = {}, False
        at = 256
        while at + 24 <= len(data):
            length, cpu, pid, time, kind = self.get("HhiqB", data, at)
            if length < 24 or length % 8 or at + length > len(data):
                break
            self.take(kind, pid, time, data[at:at + length])
            at += length
        self.take_durations()
        self.cut_marks()
        self.named = {}
        for sample in self.raw:
            self.samples.append(self.name(*sample))
        for is_stall, wait in self.raw_waits:
            wait = self.name(*wait)
            end = wait.time + wait.ticks
            if wait.time >= self.begin or end > self.begin and not is_stall:
                begin = max(wait.time, self.begin)
                self.waits.append((is_stall, wait._replace(
                    time=begin, ticks=end - begin)))
        for time, pid, tid, address, size, stack in self.raw_allocations:
            frames = self.name(time, pid, tid, 1, *stack).frames
            self.allocations.append(Allocation(
                time, pid, tid if tid > 0 else -1, address, size, frames))
        self.units()

    def take_durations(self):
        """Give each wait the ns of its mark, the thread's next mark of a call
        that begins with the wait.  The wait itself states rounded µs."""
        calls = collections.defaultdict(list)
        for mark in self.marks:
            if mark.group in ("io", "io-main"):
                calls[mark.pid, mark.tid, mark.time].append(mark.duration)
        for number, (is_stall, wait) in enumerate(self.raw_waits):
            time, pid, tid, ns = wait[:4]
            unit = 1000
            while ns >= unit << 20:
                unit *= 2
            fitting = [exact for exact in calls[pid, tid, time] if exact < ns +
                       unit and (exact >= ns or ns == 1000)]
            if fitting and not is_stall:
                self.raw_waits[number] = (is_stall, (time, pid, tid, fitting[0],
                                                     *wait[4:]))

    def cut_marks(self):
        """Limit the marks to the recording; self.began has their times in the
        file.  Begins and ends of operations are kept for answers.linked()."""
        self.raw_marks, self.marks, self.began = self.marks, [], []
        for mark in self.raw_marks:
            end = mark.time + mark.duration
            begin = max(mark.time, self.begin)
            if self.begins_falsely(mark):
                continue
            if (mark.time >= self.begin or end > self.begin or
                    PART.match(mark.message)):
                self.marks.append(mark._replace(
                    time=begin, duration=max(end - begin, 0)))
                self.began.append(mark.time)

    def get(self, form, data, at=0):
        return struct.unpack_from(self.order + form, data, at)

    def begins_falsely(self, mark):
        """The command's process began in the recording, and the mark earlier."""
        return self.has_command and mark.time < self.begin <= self.firsts.get(
            mark.pid, mark.time) and not PART.match(mark.message)

    def take(self, kind, pid, time, frame):
        self.firsts.setdefault(pid, time)
        if kind in (2, 3, 4, 5, 6, 9, 12, 14, 16, 17):
            self.last = max(self.last, time)
        padding2, = self.get("I", frame, 20)
        tid = padding2 & 0x3FFFFF if padding2 & 0xFFC00000 == 0x5C000000 \
            else 0
        tid = tid if tid > 0 else -1
        if kind == 2:
            n, flags, tid = self.get("HHi", frame, 24)
            addrs = self.get("%dQ" % n, frame, 32)
            ticks = 1
            if padding2 >> 24 == 0x5D and padding2 & 0xFFFFFF:
                ticks = padding2 & 0xFFFFFF
            if not self.little or flags & ~7:
                flags = 0
            if padding2 >> 24 in (0x5E, 0x5F) and padding2 & 0xFFFFF:
                ns = 1000 * ((padding2 & 0xFFFFF) << (padding2 >> 20 & 15))
                self.raw_waits.append((padding2 >> 24 == 0x5F, (
                    time, pid, tid, ns, addrs, flags)))
                return
            self.raw.append((time, pid, tid, ticks, addrs, flags))
        elif kind == 3:
            start, end, offset = self.get("QQQ", frame, 24)
            found = re.match(rb"[^\0]*\0@([0-9a-f]+)\0", frame[56:])
            self.maps[pid].append(
                Map(start, end, offset, time, text(frame[56:]),
                    found.group(1).decode() if found else ""))
        elif kind == 5:
            child, = self.get("i", frame, 24)
            if child != pid:
                self.forks[child] = (pid, time)
        elif kind == 6:
            self.exits[pid].append(time)
        elif kind == 7:
            n, = self.get("I", frame, 24)
            at = 28
            for _ in range(n):
                address, = self.get("Q", frame, at)
                stop = frame.index(b"\0", at + 8)
                self.names[address] = text(frame[at + 8:stop])
                at = stop + 1
        elif kind == 10:
            duration, = self.get("q", frame, 24)
            group, name = text(frame[32:56]), text(frame[56:96])
            message = text(frame[96:])
            lost = dict(re.findall(r"(\w+)=(\d+)", message))
            if (group, name) == ("syscap", "lost") and "frames" in lost:
                self.losses.append(Loss(
                    time, time + max(duration, 0), pid,
                    int(lost.get("tid", 0)) or -1, int(lost["frames"]),
                    int(lost.get("sample", 0)), int(lost["bytes"])))
                return
            self.marks.append(Mark(time, max(duration, 0), pid, tid, group,
                                   name, message))
        elif kind == 8:
            self.define(pid, frame)
        elif kind == 9:
            for group in range(self.get("H", frame, 24)[0]):
                at = 32 + 96 * group
                for i in range(8):
                    number, = self.get("I", frame, at + 4 * i)
                    bits, = self.get("Q", frame, at + 32 + 8 * i)
                    if number:
                        self.values.append(Value(time, pid, tid, number, bits))
        elif kind == 11 and text(frame[24:64]) == "syscap.thread":
            if time >= self.named_at.get((pid, tid), time):
                self.threads[pid, tid] = text(frame[64:])
                self.named_at[pid, tid] = time
        elif kind == 12:
            severity, = self.get("H", frame, 24)
            self.logs.append(Log(time, pid, tid, severity,
                                 text(frame[32:64]), text(frame[64:])))
        elif kind == 11:
            self.has_command |= pid < 0 and text(frame[24:64]) == \
                "syscap.command"
            self.metadata(pid, time, text(frame[24:64]), text(frame[64:]))
        elif kind == 13 and text(frame[28:284]) == "__symbols__":
            length, = self.get("H", frame, 26)
            self.chunks += frame[284:284 + length]
            if self.get("H", frame, 24)[0] & (1 if self.little else 0x8000):
                self.symbols(self.chunks)
                self.chunks = b""
        elif kind == 13 and text(frame[28:284]) == "__lines__" and \
                not self.lines:
            length, = self.get("H", frame, 26)
            self.line_chunks += frame[284:284 + length]
            if self.get("H", frame, 24)[0] & (1 if self.little else 0x8000):
                self.read_lines(self.line_chunks)
        elif kind == 14:
            address, size, tid, n, flags = self.get("QqiHH", frame, 24)
            addrs = self.get("%dQ" % n, frame, 48)
            if not self.little or flags & ~6:
                flags = 0
            self.raw_allocations.append((time, pid, tid, address, size,
                                         (addrs, flags)))

    def define(self, pid, frame):
        for i in range(self.get("H", frame, 24)[0]):
            one = frame[32 + 128 * i:160 + 128 * i]
            number = int.from_bytes(one[116:119],
                                    "little" if self.little else "big")
            counter = (text(one[:32]), text(one[32:64]), one[119] == 1)
            self.defined[pid, number] = self.latest[number] = counter
            self.owners[number] = pid

    def typed(self, value):
        """(category, name, "double" or "int64", value)"""
        category, name, is_double = self.defined.get(
            (value.pid, value.id), self.latest.get(value.id, ("", "", False)))
        number, = struct.unpack("<d" if is_double else "<q",
                                struct.pack("<Q", value.bits))
        return category, name, "double" if is_double else "int64", number

    def metadata(self, pid, time, key, value):
        if key == "syscap.unmapped":
            bounds = [int(bound, 16) for bound in value.split("-")] \
                if value != "all" else []
            self.unmapped[pid].append((time, *bounds))
        elif key == "syscap.sampler":
            found = re.match(r"each thread (\d+) times a second"
                             r"( of its processor time|, asleep or not)",
                             value)
            if found:
                self.rates[pid].add((10**9 // int(found.group(1)),
                                     "cpu" if "time" in found.group(2)
                                     else "wall"))
        elif key == "syscap.sample":
            found = re.fullmatch(r"(\d+),(auto|cpu|perf|wall)", value)
            if found:
                self.asked = (10**9 // int(found.group(1)),
                              "wall" if found.group(2) == "wall" else "cpu")

    def symbols(self, data):
        at = 0
        while True:
            begin, end, pid, name, tag = self.get("QQIII", data, at)
            if (begin, end, pid, name) == (0, 0, 0, 0):
                break
            self.table[pid].append((begin, end, text(data[name:]),
                                    text(data[tag:]) if tag else ""))
            at += 32
        for ranges in self.table.values():
            ranges.sort()

    def read_lines(self, data):
        """{(build-id or path, offset): [(function, file, line)]}, from the
        function that has the code; always little-endian."""
        n_binaries, n_places, n_frames = struct.unpack_from("<III", data, 12)
        places = 32 + 16 * n_binaries
        frames = places + 16 * n_places
        texts = frames + 12 * n_frames

        def at(offset):
            return text(data[texts + offset:])

        for i in range(n_binaries):
            path, build_id, first, n = struct.unpack_from(
                "<IIII", data, 32 + 16 * i)
            for j in range(first, first + n):
                offset, one, many = struct.unpack_from(
                    "<QII", data, places + 16 * j)
                chain = [struct.unpack_from("<III", data, frames + 12 * k)
                         for k in range(one, one + many)]
                self.lines[at(build_id) or at(path), offset] = [
                    (at(name), at(file), line)
                    for name, file, line in reversed(chain)]

    def chain(self, pid, address, time, is_return):
        """A frame, and the frames of functions inlined at this place."""
        name, binary, category = self.name_one(pid, address, time)
        if category in ("application", "system") and is_syscap_code(name, binary):
            category = "recording"
        where = self.find_map(pid, address, time)
        found = None
        if where and address >> 32 != 0xE0000000:
            offset = address - where.start + where.offset
            key = where.build_id or where.path
            found = (is_return and self.lines.get((key, offset - 1))) or \
                self.lines.get((key, offset))
        frames = [Frame((name, binary, category))]
        for inlined, file, line in (found or ())[1:]:
            inlined = inlined or "[inlined]"
            frames.append(Frame((inlined, binary, "inlined %s" % (
                "recording" if is_syscap_code(inlined, binary) else category))))
        for frame, (_, file, line) in zip(frames, found or ()):
            if file:
                frame.line = (file, line)
        return frames

    def life(self, pid, time):
        return sum(exit < time for exit in self.exits[pid])

    def find_map(self, pid, address, time):
        """The latest definition before this time, or else the first
        definition; or that of the parent at the fork (docs/symbols.md)."""
        since, until = -math.inf, math.inf
        for ended, *bounds in self.unmapped[pid]:
            if bounds and not bounds[0] <= address < bounds[1]:
                continue
            if ended < time:
                since = max(since, ended)
            elif bounds:
                until = min(until, ended)
        over = [m for m in self.maps[pid] if m.start <= address < m.end
                and since < m.time <= until]
        parent, forked = self.forks.get(pid, (None, math.inf))
        if pid in self.exits:
            life = self.life(pid, time)
            lives = {self.life(pid, m.time) for m in self.maps[pid]}
            if life in lives or parent is not None and \
                    self.life(pid, forked) == life:
                over = [m for m in over if self.life(pid, m.time) == life]
        before = [m for m in over if m.time <= time]
        if before:
            return max(before, key=lambda m: m.time)
        if over:
            return min(over, key=lambda m: m.time)
        if parent is None or since > -math.inf:
            return None
        return self.find_map(parent, address, min(time, forked))

    def name_one(self, pid, address, time):
        if address >> 32 == 0xE0000000:
            if address in self.names:
                name = self.names[address]
                return (name, None, "note" if name in EXPLANATIONS else "jit")
            return ("0x%x" % address, None, "jit")
        where = self.find_map(pid, address, time)
        binary = last_part(where.path) if where and where.path else None
        category = None
        if binary:
            category = "system" if where.path.startswith(FOLDERS) else \
                "application"
        ranges = self.table[pid]
        i = bisect.bisect_right(ranges, (address, 1 << 64, "", ""))
        if i > 0:
            begin, end, name, tag = ranges[i - 1]
            if begin == address or address < end:
                if name.startswith("In File "):
                    name = last_part(name[8:])
                if binary:
                    return (name, binary, category)
                return (name, tag or None, "system" if tag else "jit")
        if binary:
            return ("%s+0x%x" % (binary, address - where.start + where.offset),
                    binary, category)
        if 0xFFFF000000000000 <= address:
            return ("0x%x" % address, "[kernel]", "kernel")
        return ("0x%x" % address, None, "application")

    def name(self, time, pid, tid, ticks, addrs, flags):
        frames = [CUT] if flags & 2 else [STOPPED] if flags & 4 else []
        for i in reversed(range(len(addrs))):
            address = addrs[i]
            if address >= 0xFFFFFFFFFFFFF000:
                continue
            is_return = i > 0 and addrs[i - 1] < 0xFFFFFFFFFFFFF000
            key = (pid, address, is_return)
            if key not in self.named:
                self.named[key] = self.chain(pid, address, time, is_return)
            frames += self.named[key]
        return Sample(time, pid, tid if tid > 0 else -1, ticks,
                      tuple(frames) or (EMPTY,))

    def units(self):
        self.period, clocks = {}, set()
        for pid in {sample.pid for sample in self.samples}:
            rates = self.rates.get(pid) or \
                ({self.asked} if self.asked else set())
            if len(rates) != 1:
                self.unit, self.period = "ticks", None
                return
            self.period[pid], clock = next(iter(rates))
            clocks.add(clock)
        if not clocks and self.asked:
            clocks.add(self.asked[1])
        self.unit = "mixed_ns" if len(clocks) > 1 else clocks.pop() + "_ns" \
            if clocks else "ticks"

    def weight(self, sample):
        return sample.ticks * (self.period[sample.pid] if self.period else 1)
