# SPDX-License-Identifier: BSD-2-Clause
"""terminal.py SYSCAP MANUAL - `syscap view` in tmux: every key that MANUAL
lists (docs/view.md), the mouse, sizes. The terminal is restored after every
kind of end. The test waits for the expected text, without a time limit of its
own."""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tmux import Failed, Terminal  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SYSCAP, MANUAL = map(os.path.abspath, sys.argv[1:3])
# As tmux calls them
KEYS = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "Tab": "Tab",
        "Shift-Tab": "BTab", "Page Up": "PageUp", "Page Down": "PageDown",
        "Backspace": "BSpace", "Esc": "Escape", "Ctrl-L": "C-l",
        "Ctrl-Z": "C-z", "Ctrl-C": "C-c"}


def start(terminal, more="", variables=""):
    """Saves the terminal's state before and after in files."""
    for name in ("pid", "before", "after"):
        path = os.path.join(terminal.folder, name)
        if os.path.exists(path):
            os.unlink(path)
    terminal.command(
        "clear; stty -a >before; %s sh -c 'echo $$ >pid; exec \"%s\" view %s "
        "app.syscap'; echo \"END $?\"; stty -a >after; echo 'NO''W'" % (
            variables, SYSCAP, more))
    terminal.wait(r"^q quit|too small")


def ended(terminal, how, said="NOW"):
    screen = terminal.wait("^%s$" % said)
    before, after = [re.sub(r"rows \d+; columns \d+", "",
                            terminal.read(name))
                     for name in ("before", "after")]
    if before != after:
        raise Failed("%s: the terminal is in another mode" % how)
    for name, value in (("alternate_on", "0"), ("mouse_any_flag", "0"),
                        ("cursor_flag", "1")):
        if terminal.flag(name) != value:
            raise Failed("%s: %s is not %s" % (how, name, value))
    return screen


def press_every_key(terminal):
    start(terminal)
    steps = [
        ("2", r"thread app"), ("+", r"2\.5\d\d s "), ("-", r"5\.1\d\d s "),
        ("t", r"thread loader"), ("T", r"thread app"),
        ("f", r"› thread app"), ("u", r" 5\.173 s "), ("u", r"^everything$"),
        ("3", r"1 of 13 functions"), ("Down", r"2 of 13 functions"),
        ("j", r"3 of 13"), ("k", r"2 of 13"), ("End", r"13 of 13"),
        ("Home", r"^ *\S+ ms.*cairo_fill"), ("s", r"total ▼"),
        ("S", r"total ▲"), ("s", r"function ▼"), ("s", r"self ▼"),
        ("PageDown", r"13 of 13"), ("PageUp", r"1 of 13"),
        ("Enter", r"callers: 1"), ("BSpace", r"1 of 13"),
        ("f", r"› with cairo_fill"), ("u", r"^everything$"),
        ("x", r"› without cairo_fill"), ("Escape", r"^everything$"),
        ("z", r"› below cairo_fill"), ("BSpace", r"^everything$"),
        ("r", r"› callees first"), ("r", r"› callers first"),
        ("u", r"callees first$"), ("u", r"^everything$"),
        ("y", r"› without system libraries"), ("u", r"^everything$"),
        ("o", r"› with syscap itself"), ("u", r"^everything$"),
        ("e", r"515000000"), ("e", r"515\.000 ms"),
        ("4", r"3 names"), ("Enter", r"1 of 300"), ("Enter", r"thread app"),
        ("4", r"1 of 300"), ("BSpace", r"3 names"),
        ("f", r"inside gtk/frameclock cycle"), ("u", r"^everything$"),
        ("4", r"3 names"),
        ("c", r"slowest 1 % of gtk/frameclock"), ("+", r"slowest 5 %"),
        ("-", r"slowest 1 %"), ("Right", r"slowest 1 % of gtk/paint"),
        ("Left", r"slowest 1 % of gtk/frameclock"), ("s", r"slowest, total"),
        ("Enter", r"inside the slowest 1 %"), ("u", r"^everything$"),
        ("5", r"slowest, total"), ("1", r"self 0 ns · all"),
        ("6", r"memory: heap"), ("Enter", r"300 values"),
        ("BSpace", r"gtk: frames"),
        ("7", r"frame 49 took"), ("s", r"debug and worse"),
        ("S", r"other and worse"), ("8", r"1 of 1 interval"),
        ("?", r"another page"), ("?", r"1 of 1 interval"),
        ("Tab", r"self 0 ns · all"), ("BTab", r"1 of 1 interval"),
        ("1", r"self 0 ns · all"), ("Down", r"· main$"),
        ("Right", r"· load_points$"), ("Left", r"· main$"),
        ("l", r"· load_points$"), ("h", r"· main$"), ("Up", r"· all$"),
        ("C-l", r"· all$"),
    ]
    for key, shows in steps:
        terminal.keys(key)
        try:
            terminal.wait(shows)
        except Failed as failed:
            raise Failed("key %s: %s" % (key, failed)) from None
    search(terminal)
    terminal.keys("q")
    if "END 0" not in ended(terminal, "q"):
        raise Failed("q: the exit status is not 0")


def search(terminal):
    for text, answer in (("brn", "no name contains brn; this name has"),
                         ("xyz", "nothing on this page matches xyz")):
        terminal.keys("/")
        terminal.wait(r"^/")
        terminal.send(text)
        terminal.keys("Enter")
        terminal.wait("^" + answer)
    terminal.keys("/")
    terminal.wait(r"^/")
    terminal.send("burn_in")
    terminal.wait(r"^/burn_in")
    terminal.keys("Enter")
    terminal.wait(r"^13\.0 % found · .*burn_in_a_frame$")
    terminal.keys("3", "n")
    terminal.wait(r"^5 of 13 functions")
    terminal.keys("N")
    terminal.wait(r"^5 of 13 functions")
    terminal.keys("/", "Up")
    terminal.wait(r"^/burn_in")
    terminal.keys("Escape")
    terminal.wait(r"^q quit")
    # Pasted bytes are text, including newlines.
    terminal.keys("/")
    terminal.send("\x1b[200~q\rq\x1b[201~")
    terminal.wait(r"^/qq")
    terminal.keys("Escape")
    terminal.wait(r"^q quit")


def documented_keys():
    """The keys of the manual's table, by tmux's names."""
    with open(MANUAL, encoding="utf-8") as file:
        table = file.read().split("\n## Keys\n")[1].split("\n## ")[0]
    for row in re.findall(r"^\| (.*?) \|", table, re.M):
        if re.search(r"`1` … `8`", row):
            yield from "12345678"
        for key in re.findall(r"`(.+?)`", row):
            yield KEYS.get(key, key)


def look_for_forgotten(terminal):
    keys = set(documented_keys())
    if len(keys) < 40:
        raise Failed("the manual has no keys: %s" % keys)
    if not keys <= terminal.pressed:
        raise Failed("never pressed: %s" % sorted(keys - terminal.pressed))


def click(terminal, x, y, button=0):
    terminal.send("\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm" % (button, x, y, button,
                                                    x, y))


def use_mouse(terminal):
    start(terminal, "--page functions")
    click(terminal, 5, 6)
    terminal.wait(r"^2 of 13 functions")
    click(terminal, 5, 6)
    terminal.wait(r"callers: ")
    click(terminal, 1, 1, 2)
    terminal.wait(r"^2 of 13 functions")
    click(terminal, 30, 4)
    terminal.wait(r"total ▼")
    click(terminal, 1, 10, 65)
    terminal.wait(r"^4 of 13 functions")
    click(terminal, 35, 2)
    terminal.wait(r"3 names")
    click(terminal, 2, 2)
    terminal.wait(r"· all$")
    click(terminal, 3, 5)
    terminal.wait(r"· main$")
    terminal.keys("C-c")
    ended(terminal, "Ctrl-C")


def resize(terminal):
    # Too small from the beginning: no page was ever laid out
    for page, keys in (("flame", "\x1b[B"), ("chart", "/a\r")):
        subprocess.run([SYSCAP, "view", "--snapshot", page, "--size", "1x1",
                        "--keys", keys, terminal.folder + "/app.syscap"],
                       check=True, stdout=subprocess.DEVNULL)
    start(terminal)
    for width, height in ((20, 8), (1, 1), (200, 60), (100, 24)):
        terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        if width < 20:
            # The page has no rows to select or to search.
            terminal.wait(r"\A…\s*\Z")
            terminal.keys("Down", "2", "/", "a", "Enter", "+")
        else:
            # The keys are in the last of so many lines.
            terminal.wait(r"\A(?:.*\n){%d}q quit" % (height - 1))
    terminal.keys("q")
    ended(terminal, "resized")


def stop(terminal):
    start(terminal)
    terminal.keys("C-z")
    terminal.wait(r"Stopped|suspended")
    if terminal.flag("alternate_on") != "0":
        raise Failed("stopped: the other screen is still there")
    terminal.command("fg")
    terminal.wait(r"^q quit")
    terminal.keys("3")
    terminal.wait(r"of 13 functions")
    terminal.keys("q")
    terminal.wait(r"^q quit", absent=True)
    # The shell continued when the command stopped: its NOW is there.
    terminal.command("clear; stty -a >after; echo 'LA''TER'")
    ended(terminal, "stopped", "LATER")


def kill(terminal):
    """All signals that end a process and can be handled, except INT, after
    which a shell skips the remaining commands."""
    names = ["HUP", "QUIT", "ILL", "ABRT", "BUS", "FPE", "SEGV", "USR1",
             "PIPE", "ALRM", "TERM", "SYS", "RTMIN"]
    if os.environ.get("SYSCAP_SANITIZE"):
        names = ["HUP", "TERM"]
    for name in names:
        number = getattr(signal, "SIG" + name)
        start(terminal)
        os.kill(int(terminal.read("pid")), number)
        screen = ended(terminal, name)
        if "END %d" % (128 + number) not in screen:
            raise Failed("%s: not the end of it:\n%s" % (name, screen))


def cut(terminal):
    """The capture is truncated while the viewer shows it: the viewer
    continues, and reports the truncation at its end."""
    path = os.path.join(terminal.folder, "app.syscap")
    with open(path, "rb") as file:
        whole = file.read()
    start(terminal)
    os.truncate(path, 4096)
    terminal.keys("4", "Enter", "7", "3")
    terminal.wait(r"of 13 functions")
    terminal.keys("q")
    screen = ended(terminal, "cut")
    if not re.search(r"(?s)truncated an input file.*^END 1$", screen, re.M):
        raise Failed("cut: not a word of it:\n%s" % screen)
    with open(path, "wb") as file:
        file.write(whole)


def colours(terminal):
    start(terminal, variables="NO_COLOR=1")
    terminal.wait(r"^│main")
    if re.search(r"\x1b\[[0-9;]*[34]8;", terminal.tmux("capture-pane", "-e",
                                                       "-p")):
        raise Failed("NO_COLOR: there are colours")
    terminal.keys("q")
    ended(terminal, "NO_COLOR")
    start(terminal, "--ascii --colors none")
    if not terminal.wait(r"^\|main").isascii():
        raise Failed("--ascii: there is something else")
    terminal.keys("q")
    ended(terminal, "--ascii")
    terminal.command("clear; TERM=dumb \"%s\" view app.syscap; echo $?" %
                     SYSCAP)
    terminal.wait(r"(?s)TERM='dumb'.*^2$")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, HERE + "/frames.py",
                        folder + "/app.syscap"], check=True)
        terminal = Terminal(folder)
        try:
            for part in (press_every_key, use_mouse, resize, kill, cut, colours,
                         stop, look_for_forgotten):
                part(terminal)
                print("ok - %s" % part.__name__, flush=True)
        except Failed as failed:
            sys.exit("FAILED: %s" % failed)
        finally:
            terminal.end()


main()
