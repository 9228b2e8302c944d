# SPDX-License-Identifier: BSD-2-Clause
"""top.py SYSCAP LOOP - `syscap top` on a loop of known shares, in tmux. The
screens during the run are correct, and all kinds of ends work."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tmux import Failed, Terminal  # noqa: E402

SYSCAP, LOOP = map(os.path.abspath, sys.argv[1:3])


def share_of(screen, name):
    found = re.search(r"([\d.]+) %%  %s\b" % name, screen)
    return float(found[1]) if found else None


def watch(terminal):
    terminal.command("clear; \"%s\" top -- \"%s\" 0; echo \"END $?\"" % (
        SYSCAP, LOOP))
    terminal.wait(r"recording · .* \d+,\d\d\d samples")
    screen = terminal.screen()
    samples = int(re.search(r"([\d,]+) samples", screen)[1].replace(",", ""))
    # The deviation by chance of so many samples
    most = 2 + 200 * (0.75 * 0.25 / samples) ** 0.5
    for name, wanted in (("three_quarters", 75), ("one_quarter", 25)):
        share = share_of(screen, name)
        if share is None or abs(share - wanted) > most:
            raise Failed("%s has %s %%:\n%s" % (name, share, screen))
        print("%s: %.1f %% of %d samples" % (name, share, samples))
    terminal.keys("1")
    terminal.wait(r"· all$")
    terminal.keys("q")
    # Killed by the SIGTERM that q is
    terminal.wait(r"^END 143$")


def end_by_itself(terminal):
    """The command's output is on the terminal afterwards, and the capture
    exists."""
    terminal.command("clear; \"%s\" top -o kept.syscap -- \"%s\" 300; "
                     "echo \"END $?\"" % (SYSCAP, LOOP))
    terminal.wait(r"^kept.syscap")
    terminal.wait(r"recording", absent=True)
    terminal.keys("q")
    terminal.wait(r"(?s)^a turn$.*^END 3$")
    terminal.command("clear; \"%s\" top kept.syscap; echo \"END $?\"" % SYSCAP)
    terminal.wait(r"three_quarters")
    terminal.keys("q")
    terminal.wait(r"^END 0$")


def wait_for_it(terminal):
    """`top` waits for a command that ignores SIGTERM; Ctrl-C ends the wait."""
    command = ("clear; \"%s\" top -- sh -c 'trap \"\" TERM; "
               "until [ -e %s ]; do sleep 0.1; done; exit 9'; "
               "echo \"END $?\"")
    terminal.command(command % (SYSCAP, "may-end"))
    terminal.wait(r"^q quit")
    terminal.keys("q")
    terminal.wait("waiting for the command to end")
    open(os.path.join(terminal.folder, "may-end"), "w").close()
    terminal.wait(r"^END 9$")
    terminal.command(command % (SYSCAP, "left"))
    terminal.wait(r"^q quit")
    terminal.keys("q")
    terminal.wait("waiting for the command to end")
    terminal.keys("C-c")
    terminal.wait(r"^(\^C)?END 130$")
    open(os.path.join(terminal.folder, "left"), "w").close()


def outlive(terminal):
    """If the recorder was killed, `top` does not wait for more data."""
    terminal.command(
        "clear; sh -c 'echo $$ >pid; exec \"%s\" record -q --sample -o "
        "grown.syscap -- sh -c \"echo \\$\\$ >loop; exec %s 0\"' & "
        "until [ -s loop ] && [ -s grown.syscap ]; do sleep 0.1; done; "
        "\"%s\" top grown.syscap; echo \"END $?\"" % (SYSCAP, LOOP, SYSCAP))
    try:
        terminal.wait(r"(?s)recording · .*three_quarters")
        os.kill(int(terminal.read("pid")), signal.SIGKILL)
    finally:
        os.kill(int(terminal.read("loop")), signal.SIGKILL)
    terminal.wait(r"recording", absent=True)
    terminal.wait(r"three_quarters")
    terminal.keys("q")
    terminal.wait(r"^END 0$")


def resize(terminal):
    """While it records: small, too small, and back."""
    terminal.command("clear; \"%s\" top -- \"%s\" 0; echo \"END $?\"" % (
        SYSCAP, LOOP))
    terminal.wait(r"three_quarters")
    for width, height, shows in ((20, 8, r"thr…"), (1, 1, r"\A…\s*\Z"),
                                 (100, 24, r"three_quarters")):
        terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        terminal.wait(shows)
    terminal.keys("q")
    terminal.wait(r"^END 143$")


def dumb(terminal):
    """`top` reports an unusable terminal, and starts no command."""
    terminal.command("clear; TERM=dumb \"%s\" top -- touch started; "
                     "echo \"END $?\"; ls started" % SYSCAP)
    terminal.wait(r"(?s)TERM='dumb'.*^END 2$.*(cannot access|No such)")


def fail(terminal):
    terminal.command("clear; \"%s\" top -- ./missing; echo \"END $?\"" % SYSCAP)
    terminal.wait(r"(?s)cannot run './missing'.*^END 127$")


def be_killed(terminal):
    """No file remains, for every kind and time of the end."""
    folder = os.path.join(terminal.folder, "tmp")
    os.mkdir(folder)
    for command, has_ended in (("\"%s\" 0" % LOOP, False),
                               ("\"%s\" 1" % LOOP, True)):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            terminal.command(
                "clear; TMPDIR='%s' sh -c 'echo $$ >pid; exec \"%s\" top -- "
                "%s'; echo \"END $?\"" % (folder, SYSCAP, command))
            terminal.wait(r"^q quit")
            terminal.wait(r"recording", absent=has_ended)
            os.kill(int(terminal.read("pid")), number)
            # A killed command leaves the terminal raw: no Enter, a newline.
            terminal.send("reset; echo O''VER\n")
            terminal.wait(r"^OVER$")
            if os.listdir(folder):
                raise Failed("signal %d: left behind: %s" % (
                    number, os.listdir(folder)))


def fill_the_disk(terminal):
    """The screen shows that recording stopped; at the end `top` prints the
    reason and the command's output."""
    script = os.path.join(terminal.folder, "full")
    disk = os.path.join(terminal.folder, "disk")
    os.mkdir(disk)
    with open(script, "w") as file:
        file.write("mount -t tmpfs -o size=64k none %s || exit 77\n"
                   "TMPDIR=%s exec \"$@\"\n" % (disk, disk))
    if subprocess.run(["unshare", "-rm", "sh", script, "true"],
                      stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: a full disk, which needs a mount")
        return
    terminal.command("clear; unshare -rm sh full \"%s\" top -- sh -c 'echo "
                     "hel''lo; exec \"%s\" 0'; echo \"END $?\"" % (SYSCAP, LOOP))
    terminal.wait(r"^q quit")
    terminal.wait(r"recording", absent=True)
    terminal.keys("q")
    terminal.wait(r"(?s)^hello$.*No space left on device; the recording ends"
                  r".*^END \d+$")


def end_loops():
    """End the commands of killed instances of `top`, which continue."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as file:
                if file.read().split("\0")[:2] == [LOOP, "0"]:
                    os.kill(int(pid), signal.SIGKILL)
        except (OSError, UnicodeDecodeError):
            pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder)
        try:
            for part in (fail, dumb, end_by_itself, watch, resize,
                         wait_for_it, outlive, be_killed, fill_the_disk):
                part(terminal)
                print("ok - %s" % part.__name__, flush=True)
        except Failed as failed:
            sys.exit("FAILED: %s" % failed)
        finally:
            terminal.end()
            end_loops()


main()
