# SPDX-License-Identifier: BSD-2-Clause
"""documented.py SYSCAP PAGE... - check of the screens in a document. The
screens equal those of the capture that frames.py makes. With the word WAIT,
the capture has waits.  Each screen follows a line

    <!-- view --snapshot PAGE OPTION... -->

UPDATE=1 replaces the screens."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SYSCAP = sys.argv[1]
SCREEN = re.compile(r"(<!-- view (.*) -->\n)(```\n[^`]*```\n)?")


def screen(capture, words):
    keys = {"ENTER": "\r", "DOWN": "\x1b[B"}
    args = [keys.get(word, word) for word in words.split() if word != "WAIT"]
    if "WAIT" in words.split():
        capture = os.path.join(os.path.dirname(capture), "wait.syscap")
    shown = subprocess.run([SYSCAP, "view", *args, capture], check=True,
                           stdout=subprocess.PIPE).stdout.decode()
    return "```\n" + shown.rstrip("\n") + "\n```\n"


def main():
    differs = False
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "app.syscap")
        subprocess.run([sys.executable, HERE + "/frames.py", capture],
                       check=True)
        subprocess.run([sys.executable, HERE + "/frames.py",
                        os.path.join(folder, "wait.syscap"), "wait"],
                       check=True)
        for path in sys.argv[2:]:
            with open(path) as file:
                before = file.read()
            after = SCREEN.sub(
                lambda found: found[1] + screen(capture, found[2]), before)
            if before == after:
                continue
            if os.environ.get("UPDATE"):
                with open(path, "w") as file:
                    file.write(after)
            else:
                with open(os.path.join(folder, "new"), "w") as file:
                    file.write(after)
                subprocess.run(["diff", "-u", path, folder + "/new"])
                differs = True
    sys.exit(1 if differs else 0)


main()
