# SPDX-License-Identifier: BSD-2-Clause
"""debuginfod_hang.py SYSCAP [PROGRAM] - downloads from a server that accepts
connections and never answers. Each download ends at the time limit, and at
Ctrl-C.

Reads plain.syscap in the current directory, and records PROGRAM.
"""
import os
import select
import signal
import socket
import subprocess
import sys
import time

syscap = sys.argv[1]
server = socket.create_server(("127.0.0.1", 0))
env = dict(os.environ, DEBUGINFOD_CACHE_PATH="empty_cache",
           DEBUGINFOD_URLS="http://127.0.0.1:%d/" % server.getsockname()[1])


server.settimeout(30)


def run(limit, interrupt, command=("symbolize", "plain.syscap")):
    """Return the status, the messages and the seconds of a run."""
    # An earlier download may have connected again
    while select.select([server], [], [], 0)[0]:
        server.accept()
    began = time.monotonic()
    process = subprocess.Popen(
        [syscap, command[0], "--debuginfod=" + limit, "-o", "hang.syscap",
         *command[1:]],
        env=env, stderr=subprocess.PIPE, text=True, start_new_session=True)
    if interrupt:
        connection, _ = server.accept()  # the download has begun
        interrupt(process.pid)
    _, messages = process.communicate(timeout=60)
    if interrupt:
        connection.close()  # not earlier: the download would begin again
    return process.returncode, messages, time.monotonic() - began


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(child) for child in file.read().split()]


# The limit ends the download, not the command.
status, messages, seconds = run("1500ms", None)
assert status == 0, (status, messages)
assert "downloads of debug files ended: the time limit" in messages, messages
assert 1 < seconds < 20, seconds
assert os.path.exists("hang.syscap")
os.remove("hang.syscap")

# Ctrl-C ends the command, which leaves no file behind.
status, messages, seconds = run(
    "50s", lambda pid: os.killpg(pid, signal.SIGINT))
assert status == -signal.SIGINT, (status, messages)
assert seconds < 20 and not os.path.exists("hang.syscap"), seconds


# If only the child gets the signal, the command continues.
def interrupt_child(pid):
    for child in children(pid):
        os.kill(child, signal.SIGINT)


status, messages, seconds = run("50s", interrupt_child)
assert status == 0, (status, messages)
assert "ended: they were interrupted" in messages, messages
assert seconds < 20 and os.path.exists("hang.syscap"), seconds

# At the end of a recording, Ctrl-C only ends the downloads.
if len(sys.argv) > 2:
    os.remove("hang.syscap")
    status, messages, seconds = run(
        "50s", lambda pid: os.killpg(pid, signal.SIGINT),
        ("record", "--sample", sys.argv[2]))
    assert status == 0, (status, messages)
    assert "ended: they were interrupted" in messages, messages
    assert seconds < 30 and os.path.exists("hang.syscap"), seconds
