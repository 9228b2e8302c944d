# SPDX-License-Identifier: BSD-2-Clause
"""view.py SYSCAP FILE - processor time of `syscap view` for a large capture.

The script measures the time until the first screen, and the times from each key
until the first and the last change of the screen."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

KEYS = [("move in the flame graph", b"\x1b[B"), ("zoom in", b"\r"),
        ("zoom out", b"\x7f"), ("functions, with all sums", b"3"),
        ("move in functions", b"\x1b[B"), ("sort them", b"s"),
        ("flame chart", b"2"), ("move in the chart", b"\x1b[C"),
        ("less time in the chart", b"+"), ("marks", b"4"),
        ("move in marks", b"\x1b[B"), ("back to the flame graph", b"1"),
        ("only with a function (walks over all samples)", b"\x1b[B\x1b[Bf"),
        ("the filter taken back", b"\x7f")]


def spent(pid):
    """Seconds of processor time of the viewer, all threads."""
    total = 0
    for task in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, task),
                  encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def drain(fd, text=b""):
    while select.select([fd], [], [], 0.02)[0]:
        try:
            text += os.read(fd, 65536)
        except OSError:
            break
    return text


def rest(pid, fd):
    """Wait until the viewer uses no more processor time."""
    text, before, idle = b"", -1.0, 0
    while True:
        text = drain(fd, text)
        now = spent(pid)
        idle = idle + 1 if now - before < 0.002 else 0
        if idle == 5:
            return text
        before = now
        time.sleep(0.3)


def row(what, number, unit, aim=""):
    print("  %-44s%9s %s%s" % (what, number, unit,
                               "  (aim %s)" % aim if aim else ""))


def main(syscap, path):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execv(syscap, [syscap, "view", path])
    try:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        began = time.monotonic()
        text = b""
        while b"quit" not in text and time.monotonic() - began < 60:
            text = drain(fd, text)
        row("view: first screen, by the clock",
            "%.2f" % (time.monotonic() - began), "s", "1")
        row("and in processor time", "%.2f" % spent(pid), "s")
        rest(pid, fd)
        row("all is read", "%.2f" % spent(pid), "s")
        for what, key in KEYS:
            before = spent(pid)
            os.write(fd, key)
            select.select([fd], [], [], 5)  # times out if unchanged
            first = spent(pid) - before
            rest(pid, fd)
            row("key: " + what, "%.1f" % (first * 1000), "ms", "20")
            if spent(pid) - before > first + 0.005:
                row("... and all of its picture",
                    "%.1f" % ((spent(pid) - before) * 1000), "ms")
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            for line in file:
                if line.startswith(("RssAnon", "VmHWM")):
                    row(line.split(":")[0],
                        "%d" % (int(line.split()[1]) / 1024), "MiB")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


main(*sys.argv[1:])
