# SPDX-License-Identifier: BSD-2-Clause
"""documented.py SYSCAP SOURCE FOLDER - run each syscap command that the README,
docs/ and the man pages show, as it stands there.

Each is run in FOLDER, where the programs ./app and the like are, by a shell,
with the captures that it names; it has to end with 0.  What it needs and this
machine lacks is told.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys

SYSCAP, SOURCE, FOLDER = sys.argv[1:4]
sys.path.insert(0, os.path.join(SOURCE, "tests", "export"))
from story import BEGIN, Story, text  # noqa: E402

COMMAND = re.compile(r"(?:\.Dl |    )(?:\$ )?((?:[A-Z_]+=\S+ )*syscap [a-z].*)")


def documented():
    """(file, number of the line, command)"""
    for path in [f"{SOURCE}/README.md"] + sorted(
            glob.glob(f"{SOURCE}/docs/*.md") +
            glob.glob(f"{SOURCE}/docs/man/*.1")):
        with open(path) as file:
            for number, line in enumerate(file, 1):
                found = COMMAND.fullmatch(line.rstrip("\n"))
                if found:
                    yield os.path.relpath(path, SOURCE), number, found[1]


PID = 2582  # as in the docs
WAITS = {"io-main": 0x5E000000, "loop": 0x5F000000}


def make_capture(path):
    """With marks of the names that are asked for, and a file in it."""
    story = Story(n=200)
    story.frame(4, PID, BEGIN, 0, b"./app\0")
    for i, (group, name) in enumerate([
            ("gtk", "frameclock cycle"), ("gtk", "frame"), ("gtk", "draw"),
            ("work", "turn"), ("io-main", "fsync"), ("loop", "stall")] * 5):
        at = BEGIN + i * 5_000_000
        story.mark(PID, PID, at, 4_000_000, group, name)
        story.sample(at, PID, PID, 1, [0, 1])
        if group in WAITS: # of 4 ms
            story.frame(2, PID, at, WAITS[group] | 4000, struct.pack(
                "<HHiQ", 1, 0, PID, story.address(0)))
    story.frame(13, 10, BEGIN, 0, struct.pack("<HH", 1, 5) +
                text("/proc/mounts", 256) + b"none\n")
    story.write(path)


def run(command):
    """Why it failed, or None."""
    names = set(re.findall(r"[\w-]+\*?\.syscap", command))
    for left in glob.glob(f"{FOLDER}/*.syscap*"):
        os.unlink(left)
    for name in names - set(re.findall(r"-o ([\w-]+\.syscap)", command)):
        for one in {name.replace("*", "1"), name.replace("*", "2")}:
            shutil.copy(f"{FOLDER}/capture", f"{FOLDER}/{one}")
    # Not those of everybody on this machine
    command = re.sub(r"recover --all(?= *(#|$))", "recover --all .", command)
    done = subprocess.run(["sh", "-c", command], cwd=FOLDER, text=True,
                          capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    return done.stderr if done.returncode != 0 else None


def lacking(command):
    tool = re.search(r"(?<!\|)\| (\w+)|-- (xz) ", command)
    tool = tool and (tool[1] or tool[2])
    if tool and shutil.which(tool) is None:
        return f"there is no {tool}"
    if re.match(r"syscap (view|top) ", command) and \
            "--snapshot" not in command:
        return "it wants a terminal; tests/view has them"
    if os.environ.get("SYSCAP_SANITIZE") and (
            re.search("--(sample|memory|io|stalls)", command)):
        return "programs do not start with a sanitized library preloaded"
    return None


def main():
    os.symlink(SYSCAP, f"{FOLDER}/syscap")
    os.environ["PATH"] = f"{FOLDER}:{os.environ['PATH']}"
    make_capture(f"{FOLDER}/capture")
    with open(f"{FOLDER}/some-file", "w") as file:
        file.write("a line\n" * 1000)
    n = bad = 0
    for path, number, command in documented():
        reason = lacking(command)
        if reason:
            print(f"not run: {command}: {reason}")
            continue
        n += 1
        why = run(command)
        if why is not None:
            bad += 1
            print(f"{path}:{number}: {command}\n    {why}")
    print(f"{n} commands")
    return 1 if bad or n < 20 else 0


sys.exit(main())
