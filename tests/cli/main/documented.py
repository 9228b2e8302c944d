# SPDX-License-Identifier: BSD-2-Clause
"""documented.py SYSCAP SOURCE FOLDER - run each command of the README, docs/
and the man pages, unchanged.

A shell runs each command in the directory FOLDER, which has the programs
(./app) and the captures that the command names. The exit status has to be 0.
Missing programs are reported.  ELSEWHERE has the commands of other programs,
with the test that runs the command or the reason that no test does.  For
recordings in the bindings' READMEs, and for `syscap ...` in a sentence, the
test only checks that the options exist.
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

PROMPT = re.compile(r"[$%>] (.*)")
COMMAND = re.compile(r"""(?:[A-Z_]+=\S+\ )*(?:
    syscap|\./\w+|make|tests/\S+|build/\S+|sh|for|cc|cmake|ctest|meson|npm|npx|go|sqlite3|
    duckdb|perf|kcachegrind|callgrind_annotate|sysprof|sysprof-cli|mkdir|
    apt-get|\.)\ .*""", re.VERBOSE)

# Commands that do not run here: a test of this tree, or a reason.
ELSEWHERE = [
    (r"busctl --user call org\.gnome\.Shell .*",
     "tests/integration/record_bus.sh"),
    (r"(SYSCAP_ATTACH=1 .*|syscap record -p .*)",
     "tests/integration/record_pid.sh"),
    (r"(SYSCAP_MODE=flight .*|syscap snapshot .*|syscap report stutter\.syscap)",
     "tests/integration/flight.sh"),
    (r"syscap record --crashes .*", "tests/integration/record_crashes.sh"),
    (r"cmake .*|ctest .*|build/fuzz/\S+ .*", "these commands build this tree and run the tests"),
    (r"apt-get .*|npm .*|mkdir .*npm.*", ".ci/run"),
    (r"npx speedscope .*", "tests/export/speedscope_app.sh"),
    (r"go tool pprof .*|sqlite3 .*|duckdb .*", "tests/export/formats.sh"),
    (r"kcachegrind .*", "tests/export/kcachegrind.sh"),
    (r"callgrind_annotate .*", "tests/export/callgrind.sh"),
    (r"perf .*", "tests/cli/import/perf.sh"),
    (r"sysprof .*", "tests/compat/sysprof_gui.sh"),
    (r"sysprof-cli .*", "tests/compat/sysprof_cli.sh"),
    (r"cc .*lines\.c .*", "tests/consumer/consumer.sh"),
    (r"cc .*06_analyse.c .*|\./analyse .*", "tests/consumer/consumer.sh"),
    (r".*& sleep 1; kill -9 \$!", "tests/cli/recover/killed.sh"),
    (r"(.* )?tests/compat/(harmless|consumers|gjs_names)\.sh.*",
     "the command needs sources of other programs, or hours"),
    (r"tests/bare\.sh .*", "the command installs a Debian; .ci/run and tests.bare run it"),
    (r".* meson setup .*", "tests/compat/consumers.sh"),
    (r"for i in .*", "the command compares two builds"),
    (r"\. <\(syscap completion bash\)|\. <\(syscap completion zsh\)|"
     r"syscap completion fish \| source", "tests/cli/main/completion.sh"),
    (r"syscap view (?!.*--snapshot).*", "tests/view/screens.sh"),
    (r"syscap top .*", "tests/view/top.sh"),
]


def lines_of_man(path):
    """Commands after a "$"."""
    is_literal = False
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n").replace("\\-", "-")
            if line.startswith((".nf", ".fi", ".Bd", ".Ed")):
                is_literal = line.startswith((".nf", ".Bd"))
            elif line.startswith(".Dl "):
                yield number, line[4:]
            elif is_literal:
                yield number, line


def lines_of_markdown(path):
    """Commands in blocks of code."""
    is_fenced = False
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                is_fenced = not is_fenced
            elif is_fenced:
                yield number, line.rstrip()
            elif line.startswith(("    ", "\t")):
                yield number, re.sub("^(    |\t)", "", line.rstrip())


def commands_of(path):
    """(line number, command); each command has one line."""
    lines = lines_of_man if path.endswith(".1") else lines_of_markdown
    before = None
    for number, line in lines(path):
        prompt = PROMPT.fullmatch(line)
        if before is not None:
            before[1] += " " + line
        elif COMMAND.fullmatch(prompt[1] if prompt else line):
            before = [number, prompt[1] if prompt else line]
        elif prompt and line.startswith("$"):
            sys.exit(f"{path}:{number}: what program is that? {line}")
        if before is not None and not before[1].endswith("\\"):
            yield before
            before = None
        elif before is not None:
            before[1] = before[1][:-1].rstrip()


def documented():
    """(file, number of the line, command)"""
    for path in [f"{SOURCE}/README.md"] + sorted(
            glob.glob(f"{SOURCE}/docs/*.md") +
            glob.glob(f"{SOURCE}/docs/man/*.1")):
        if path.endswith("/tutorial.md"):
            continue # tests/docs/tutorial.sh runs it in order
        for number, command in commands_of(path):
            yield os.path.relpath(path, SOURCE), number, command


def looked_at():
    """The same for commands that are not run."""
    for path in sorted(glob.glob(f"{SOURCE}/bindings/**/README.md",
                                 recursive=True)):
        for number, command in commands_of(path):
            if "syscap " in command:
                yield os.path.relpath(path, SOURCE), number, command
    for path in [f"{SOURCE}/README.md"] + sorted(
            glob.glob(f"{SOURCE}/docs/*.md") +
            glob.glob(f"{SOURCE}/bindings/**/README.md", recursive=True)):
        with open(path) as file:
            text = file.read()
        for found in re.finditer(r"`(syscap [a-z][^`]*)`", text):
            yield (os.path.relpath(path, SOURCE),
                   text.count("\n", 0, found.start()) + 1,
                   " ".join(found[1].split()))


def options():
    """The options of each command, read from the completion script."""
    script = subprocess.run([SYSCAP, "completion", "bash"], check=True,
                            capture_output=True, text=True).stdout
    return {name: set(words.split()) for name, words in re.findall(
        r"\n\t([a-z]+)\)\n\t\toptions='([^']*)'", script)}


def is_wrong(command, known):
    """The reason, or None."""
    words = re.search(r"(?:^|[ |])syscap ([a-z]+)(.*)", command)
    if words is None or words[1] in ("help", "completion"):
        return None
    if words[1] not in known:
        return f"there is no {words[1]}"
    for word in re.split(r" -- | [|<>]", words[2])[0].split():
        option = word.split("=")[0]
        if re.fullmatch(r"--?[a-z][\w-]*", option) and \
                option not in known[words[1]]:
            return f"{words[1]} has no {option}"
    return None


PID = 2582  # as in the docs
WAITS = {"io-main": 0x5E000000, "loop": 0x5F000000}


def make_capture(path):
    """A capture with marks of the requested names, and an embedded file."""
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
    """The reason of a failure, or None."""
    names = set(re.findall(r"[\w-]+\*?\.syscap", command))
    for left in glob.glob(f"{FOLDER}/*.syscap*"):
        os.unlink(left)
    for name in names - set(re.findall(r"-o ([\w-]+\.syscap)", command)):
        for one in {name.replace("*", "1"), name.replace("*", "2")}:
            shutil.copy(f"{FOLDER}/capture", f"{FOLDER}/{one}")
    # Only the ring files of this test
    command = re.sub(r"recover --all( -n)?(?= *(#|$))",
                         r"recover --all\1 .", command)
    command = command.replace("/var/tmp/", "./")
    done = subprocess.run(["sh", "-c", command], cwd=FOLDER, text=True,
                          capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return done.stderr or f"status {done.returncode}"
    # Programs that record themselves have done so
    if re.match("SYSPROF_TRACE_FD|SYSCAP_OUTPUT", command) and not [
            made for made in glob.glob(f"{FOLDER}/*.syscap")
            if os.path.getsize(made) > 1000]:
        return "there is no capture"
    return None


def elsewhere(command):
    for pattern, where in ELSEWHERE:
        if re.fullmatch(pattern, command):
            if where.startswith(("tests/", ".ci/")) and \
                    not os.path.exists(f"{SOURCE}/{where}"):
                sys.exit(f"{command}: there is no {where}")
            return where
    return None


def lacking(command):
    tool = re.search(r"(?<!\|)\| (\w+)|-- (xz) |^(?:\w+=\S+ )*(make)", command)
    tool = tool and (tool[1] or tool[2] or tool[3])
    if tool and shutil.which(tool) is None:
        return f"there is no {tool}"
    if os.environ.get("SYSCAP_SANITIZE") and (
            re.search("--(sample|memory|io|stalls|logs)", command)):
        return "programs do not start with a sanitized library preloaded"
    return None


def main():
    os.symlink(SYSCAP, f"{FOLDER}/syscap")
    os.environ["PATH"] = f"{FOLDER}:{os.environ['PATH']}"
    make_capture(f"{FOLDER}/capture")
    with open(f"{FOLDER}/some-file", "w") as file:
        file.write("a line\n" * 1000)
    with open(f"{FOLDER}/Makefile", "w") as file:
        file.write("all:\n\t./app\n")
    n = n_looked = bad = 0
    for path, number, command in documented():
        reason = elsewhere(command) or lacking(command)
        if reason:
            print(f"not run: {command}: {reason}")
            continue
        n += 1
        why = run(command)
        if why is not None:
            bad += 1
            print(f"{path}:{number}: {command}\n    {why}")
    known = options()
    for path, number, command in looked_at():
        n_looked += 1
        why = is_wrong(command, known)
        if why is not None:
            bad += 1
            print(f"{path}:{number}: {command}: {why}")
    print(f"{n} commands run, options of {n_looked} commands checked")
    return 1 if bad or n < 60 or n_looked < 60 else 0


sys.exit(main())
