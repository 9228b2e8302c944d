# SPDX-License-Identifier: BSD-2-Clause
"""chromium.py - driver of a headless Chromium through two pipes
(--remote-debugging-pipe), without other programs."""
import json
import os
import subprocess
import sys
import time

CHUNK = 1 << 20


class Browser:
    def __init__(self, folder):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def give():
            # Use higher fds, since a pipe's fd may equal one of the target fds
            ends = [os.dup(fd) for fd in (to_read, to_write)]
            ends = [os.dup2(fd, 50 + i) for i, fd in enumerate(ends)]
            for i, fd in enumerate(ends):
                os.dup2(fd, 3 + i)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-dev-shm-usage",
             "--allow-file-access-from-files",
             "--user-data-dir=" + os.path.join(folder, "profile"),
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=give, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=folder))
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest = 0, b""

    def ask(self, method, session=None, **params):
        """Send a command, and return the result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.back, CHUNK)
                if not piece:
                    raise EOFError("the browser has gone")
                self.rest += piece
            message, self.rest = self.rest.split(b"\0", 1)
            message = json.loads(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise ValueError(f"{method}: {message['error']}")
                return message["result"]

    def run(self, session, expression):
        result = self.ask("Runtime.evaluate", session, expression=expression,
                          awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise ValueError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def close(self):
        os.close(self.to)
        self.process.terminate()
        self.process.wait()

    def open(self, url):
        """Open a page; later commands use its session."""
        page = self.ask("Target.createTarget", url=url)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=page,
                           flatten=True)["sessionId"]
        # Until the page has loaded, events belong to an empty page.
        while not self.run(session, "location.href !== 'about:blank' && "
                                    "document.readyState === 'complete'"):
            time.sleep(0.05)
        return session


def start(folder):
    """Start a browser; exit with 77 if that fails."""
    try:
        browser = Browser(folder)
        browser.ask("Browser.getVersion")
        return browser
    except (OSError, EOFError) as error:
        print(f"skip: chromium does not run: {error}")
        sys.exit(77)
