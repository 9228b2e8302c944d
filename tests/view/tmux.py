# SPDX-License-Identifier: BSD-2-Clause
"""tmux.py - a terminal with keys and screen under control of a test."""
import os
import re
import subprocess
import time

LIMIT = 150


class Failed(Exception):
    pass


class Terminal:
    """A shell in tmux, of a server of our own."""

    def __init__(self, folder, width=100, height=24):
        self.folder = folder
        self.pressed = set()
        self.socket = os.path.join(folder, "tmux")
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("TMUX") and k not in (
                   "NO_COLOR", "COLORTERM")}
        env.update(PS1="$ ", ENV="", LC_ALL="C.UTF-8", HOME=folder,
                   TERM="xterm")
        self.env = env
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width),
                  "-y", str(height), "-c", folder, "sh")
        self.wait(r"^[$#]")

    def tmux(self, *args):
        return subprocess.run(
            ["tmux", "-u", "-S", self.socket, *args], check=True,
            env=self.env, stdout=subprocess.PIPE).stdout.decode()

    def end(self):
        self.tmux("kill-server")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait(self, pattern, absent=False):
        end = time.monotonic() + LIMIT
        while True:
            screen = self.screen()
            if bool(re.search(pattern, screen, re.M)) != absent:
                return screen
            if time.monotonic() > end:
                raise Failed("%s%r is not on the screen:\n%s" % (
                    "still " if absent else "", pattern, screen))
            time.sleep(0.05)

    def keys(self, *keys):
        self.pressed.update(keys)
        self.tmux("send-keys", *keys)

    def send(self, text):
        self.tmux("send-keys", "-l", text)

    def command(self, line):
        self.send(line)
        self.keys("Enter")

    def flag(self, name):
        return self.tmux("display-message", "-p", "#{%s}" % name).strip()

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()
