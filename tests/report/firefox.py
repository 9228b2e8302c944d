# SPDX-License-Identifier: BSD-2-Clause
"""firefox.py PROGRAM PAGE CASES FOLDER [PICTURES] - the page in Firefox,
driven by Marionette. The page's state agrees with the reader of cases.py, every
view is drawn at 1280 and at 390 pixels, and there are no errors."""
import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

LIMIT = 240
PREFS = {
    "marionette.port": 0, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.startup.homepage_override.mstone": "ignore",
}
# Errors of page scripts are collected here, from before the page's own script on.
WATCH = """
window.complaints = window.complaints || [];
addEventListener("error", (e) => window.complaints.push(String(e.message)));
addEventListener("securitypolicyviolation", (e) =>
    window.complaints.push("policy: " + e.violatedDirective + e.blockedURI));
"""
SETTLE = """
const done = arguments[0];
const wait = () => window.syscap &&
    window.syscap.isReady
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(true)))
    : setTimeout(wait, 50);
wait();
"""
ANSWER = """
const { app, answer } = window.syscap;
app.state = { view: "flame", ...arguments[0] };
return JSON.parse(JSON.stringify(answer()));
"""


class Firefox:
    def __init__(self, program, folder):
        profile = os.path.join(folder, "profile")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w",
                  encoding="utf-8") as file:
            for key, value in PREFS.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(key),
                                                    json.dumps(value)))
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile",
             profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "HOME": folder,
                                         "MOZ_HEADLESS": "1"})
        self.number = 0
        self.connect(os.path.join(profile, "MarionetteActivePort"))
        self.ask("WebDriver:NewSession", capabilities={})
        self.ask("WebDriver:SetTimeouts", script=LIMIT * 1000)

    def connect(self, path):
        end = time.monotonic() + LIMIT
        while True:
            try:
                with open(path, encoding="utf-8") as file:
                    port = int(file.read())
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except (OSError, ValueError):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.2)
        self.file = self.socket.makefile("rb")
        self.read()

    def read(self):
        size = b""
        while not size.endswith(b":"):
            byte = self.file.read(1)
            if not byte:
                raise EOFError("Firefox has hung up")
            size += byte
        return json.loads(self.file.read(int(size[:-1])))

    def ask(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        while True:
            _, number, error, result = self.read()
            if number != self.number:
                continue
            if error:
                raise RuntimeError("%s: %s" % (command, error))
            return result

    def run(self, script, *args, asynchronous=False):
        return self.ask("WebDriver:ExecuteAsyncScript" if asynchronous
                        else "WebDriver:ExecuteScript", script=script,
                        args=list(args), sandbox=None)["value"]

    def open(self, address):
        self.ask("WebDriver:Navigate", url=address)
        self.run(WATCH)
        self.settle()

    def settle(self):
        self.run(SETTLE, asynchronous=True)

    def picture(self, path):
        data = self.ask("WebDriver:TakeScreenshot", full=False)["value"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        return len(data)

    def end(self):
        try:
            self.ask("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, EOFError, RuntimeError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def compare(firefox, cases):
    for case in cases:
        found = firefox.run(ANSWER, case["state"])
        assert found["samples"] == case["samples"], case["want"]
        assert found["total"] == case["total"], case["want"]
        for key in ("functions", "folded"):
            ours, theirs = (sorted(map(json.dumps, rows))
                            for rows in (found[key], case[key]))
            assert ours == theirs, (key, case["want"])
    print("%d answers agree in Firefox" % len(cases))


def walk(firefox, what, pictures):
    views = firefox.run("return Array.from(document.querySelectorAll("
                        "'.tabs button'), (b) => b.textContent)")
    assert len(views) > 5, views
    for view in views:
        firefox.run("for (const b of document.querySelectorAll('.tabs button'))"
                    "if (b.textContent === arguments[0]) b.click()", view)
        firefox.settle()
        wide = firefox.run("return [document.body.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], (what, view, wide)
        name = "firefox-%s-%s.png" % (what, re.sub(r"\W", "-", view))
        assert firefox.picture(os.path.join(pictures, name)) > 3000, view
    complaints = firefox.run("return window.complaints")
    assert not complaints, complaints
    print("%d views drawn, %s" % (len(views), what))


def main(program, page, cases, folder, pictures):
    with open(cases, encoding="utf-8") as file:
        cases = json.load(file)
    os.makedirs(pictures, exist_ok=True)
    firefox = Firefox(program, folder)
    try:
        firefox.ask("WebDriver:SetWindowRect", width=1280, height=1000)
        firefox.open("file://" + page)
        compare(firefox, cases)
        firefox.run("location.hash = '#view=heat'")
        firefox.settle()
        assert firefox.run("return window.syscap.app.state.view") == "heat"
        firefox.run("location.hash = ''")
        firefox.open("file://" + page)
        walk(firefox, "wide", pictures)
        firefox.ask("WebDriver:SetWindowRect", width=390, height=844)
        walk(firefox, "narrow", pictures)
        pdf = firefox.ask("WebDriver:Print")["value"]
        assert len(pdf) > 10000
        print("printed")
    finally:
        firefox.end()


main(*sys.argv[1:])
