# SPDX-License-Identifier: BSD-2-Clause
"""Compare stacks of compare_preload.so with those of gdb, as compare_ptrace.c
does with those of libunwind.  Run by compare.sh: gdb -batch -x compare_gdb.py
PROGRAM

Reads COMPARE_PRELOAD, COMPARE_ARGS (for the program, as a shell reads them),
COMPARE_STACKS (number of stacks) and COMPARE_REPORT (a file for the figures).
"""

import os
import re
import subprocess
import tempfile

import gdb

MAX = 512
CUT, STOPPED = 2, 4


def execute(text):
    return gdb.execute(text, to_string=True)


def where(addr):
    if addr is None:
        return "nothing"
    name = gdb.solib_name(addr)
    if name is None:
        return execute("info symbol %d" % addr).strip()
    return "%s: %s" % (name, execute("info symbol %d" % addr).strip())


tables = {}  # of a module: its addresses, and the addresses in its tables


def module_tables(path):
    if path not in tables:
        with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
            starts = [int(line.split("-")[0], 16) for line in maps
                      if line.rstrip().endswith(" " + path)]
        text = subprocess.run(["readelf", "-W", "--debug-dump=frames", path],
                              stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL).stdout
        ranges = [(int(a, 16), int(b, 16)) for a, b in
                  re.findall(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", text)]
        tables[path] = (min(starts, default=0), ranges)
    return tables[path]


def is_guess(addr):
    """Code of a library without tables: gdb finds the frame by the
    instructions, the library by a word that looks like a return address."""
    path = gdb.solib_name(addr)
    if path is None:
        return False
    start, ranges = module_tables(os.path.realpath(path))
    if not ranges:
        return False
    return not any(a <= addr - start < b for a, b in ranges)


def ours():
    shared = gdb.parse_and_eval("(unsigned long)compare_shared")
    memory = gdb.selected_inferior().read_memory(int(shared), 16 + 8 * MAX)
    words = memoryview(memory).cast("B").cast("I")
    if words[0] != 1:
        return None, 0
    n, flags = words[2], words[3]
    addrs = memoryview(memory).cast("B")[16:].cast("Q")
    return list(addrs[:n]), flags


def interrupted():
    """The interrupted frame, below that of the handler."""
    frame = gdb.newest_frame()
    while frame is not None and frame.type() != gdb.SIGTRAMP_FRAME:
        frame = frame.older()
    return frame and frame.older()


def theirs():
    addrs = []
    frame = interrupted()
    exact = True
    while frame is not None and len(addrs) < 4096:
        # gdb also lists inlined functions and tail calls
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pc = int(frame.pc())
            addrs.append(pc if exact else pc - 1)
            exact = frame.type() == gdb.SIGTRAMP_FRAME
        frame = frame.older()
    return addrs


def compare(a, flags, b):
    """The frame before the first difference, or None."""
    if flags & CUT:
        if a[-16:] != b[-16:]:
            return 0
        a = a[: MAX - 16]
        b = b[: MAX - 16]
    for i in range(max(len(a), len(b))):
        if i >= len(a) or i >= len(b) or a[i] != b[i]:
            return i
    return None


def run():
    wanted = int(os.environ["COMPARE_STACKS"])
    counts = {"equal": 0, "differ": 0, "guess": 0, "reached": 0, "stopped": 0, "cut": 0}
    places = {}
    shared = tempfile.NamedTemporaryFile()
    shared.truncate(65536)
    for text in (
        "set confirm off",
        "set pagination off",
        "set backtrace past-main on",
        "set backtrace past-entry on",
        "set backtrace limit unlimited",
        "handle SIGPROF nostop noprint pass",
        "handle SIGALRM SIGCHLD SIGPIPE SIG32 SIG33 SIG34 nostop noprint pass",
        "set exec-wrapper env LD_PRELOAD=%s COMPARE_FD=9"
        % os.environ["COMPARE_PRELOAD"],
        # gdb starts the program by a shell, and closes its own fds
        "run %s 9<>%s" % (os.environ.get("COMPARE_ARGS", ""), shared.name),
    ):
        execute(text)
    while gdb.selected_thread() is not None:
        try:
            a, flags = ours()
        except gdb.error:
            break
        if a is not None:
            b = theirs()
            at = compare(a, flags, b)
            counts["cut"] += flags & CUT != 0
            counts["stopped"] += flags & STOPPED != 0
            counts["reached"] += flags == 0
            what = "equal"
            if at is not None:
                what = "guess" if any(map(is_guess, a[:at])) else "differ"
                key = "%s, %s" % (where(a[at - 1]), what)
                entry = places.setdefault(
                    key,
                    [
                        0,
                        where(a[at] if at < len(a) else None),
                        where(b[at] if at < len(b) else None),
                    ],
                )
                entry[0] += 1
            counts[what] += 1
            execute("set var *(unsigned *)compare_shared = 0")
        if counts["equal"] + counts["differ"] + counts["guess"] >= wanted:
            break
        try:
            execute("continue")
        except gdb.error:
            break
    with open(os.environ["COMPARE_REPORT"], "w") as out:
        out.write(
            "%d stacks: %d reached the outermost, %d stopped, %d cut\n"
            "gdb: %d equal, %d differ\n"
            "%d not comparable: they part in code without tables\n"
            % (
                counts["equal"] + counts["differ"] + counts["guess"],
                counts["reached"],
                counts["stopped"],
                counts["cut"],
                counts["equal"],
                counts["differ"],
                counts["guess"],
            )
        )
        for key, (n, a, b) in sorted(places.items(), key=lambda x: -x[1][0]):
            out.write("\t%d times, from %s:\n" % (n, key))
            out.write("\t\tours %s\n\t\ttheirs %s\n" % (a, b))


run()
try:
    execute("kill")
except gdb.error:
    pass
