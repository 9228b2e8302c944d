# SPDX-License-Identifier: BSD-2-Clause
"""redacted.py SYSCAP FOLDER - a page contains no text that --redact omits."""
import os
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "export")]

from page import Page  # noqa: E402
from story import BEGIN, Story, text  # noqa: E402

HOME = b"/home" + b"/ann-lee"
# Other places of user names in paths
AT = "/home"
HOMES = (AT + "/./ann-lee", "/" + AT + "//ann-lee", AT + "/corp.example/ann-lee",
         AT + "/users/ann-lee", "/nfs" + AT + "/ann-lee",
         AT + "/.ecryptfs/ann-lee", "/proc/1/root" + AT + "/ann-lee",
         "/var/lib/systemd" + AT + "/ann-lee.home",
         "/media/ann-lee/USB", "/run/media/ann-lee/USB", "/data/ann-lee")
# The end of a path after the home directory is unknown
FOLDERS = ("Acme Plan/bin", "a:acme", "acme,x", "acme;x", "acme(x)", "acme'x",
           'acme"x', "acme=x", " acme", "media/acme", "root/x")
SECRETS = ("acme", "Acme", "zoe", "ann-lee", "hunter2", "secret-message", "secret-value",
           "secret-file", "secret-log", "secret-name")


def make(capture):
    story = Story(n=50)
    pid = 77
    story.frame(4, pid, BEGIN, 0,
                HOME + b"/bin/app --password hunter2\0")
    story.frame(3, pid, BEGIN, 0, struct.pack(
        "<QQQQ", 0x1000, 0x9000, 0, 0) + HOME + b"/bin/app\0")
    for i, home in enumerate(HOMES):
        story.frame(4, pid + 1 + i, BEGIN, 0,
                    b"%s/app%d --arg\0" % (home.encode(), i))
        story.frame(3, pid + 1 + i, BEGIN, 0, struct.pack(
            "<QQQQ", 0x1000, 0x9000, 0, 0) +
            b"%s/lib%d.so:%s\0" % (home.encode(), i, HOME))
        story.frame(3, pid + 1 + i, BEGIN, 0, struct.pack(
            "<QQQQ", 0x9000, 0xa000, 0, 0) + b"%s/app%d\0" % (home.encode(), i))
    for i, folder in enumerate(FOLDERS):
        path = ("%s/%s/tool%d" % (HOME.decode(), folder, i)).encode()
        story.frame(4, pid + 100 + i, BEGIN, 0, path + b" --arg hunter2\0")
        story.frame(3, pid + 100 + i, BEGIN, 0, struct.pack(
            "<QQQQ", 0x1000, 0x9000, 0, 0) + path + b"\0")
    # No mapping shows the end of this file's path
    story.frame(4, pid + 200, BEGIN, 0, HOME + b"/Acme Plan/unknown 5\0")
    story.frame(4, pid + 201, BEGIN, 0, (AT + "/zoe ann-lee/x y\0").encode())
    story.frame(4, pid + 202, BEGIN, 0, b"KEY=hunter2 x\0")
    story.mark(pid, pid, BEGIN + 5, 10, "app", "turn", "secret-message")
    story.frame(12, pid, BEGIN, 0, struct.pack("<HHI", 1 << 5, 0, 0) +
                text("app", 32) + b"secret-log\0")
    story.frame(11, pid, BEGIN, 0, text("key", 40) + b"secret-value\0")
    story.frame(13, pid, BEGIN, 0, struct.pack("<HH", 1, 5) +
                text("/tmp/secret-file", 256) + b"bytes\0\0\0")
    story.write(capture)


def texts_of(syscap, path, *options):
    html = subprocess.run([syscap, "report", "-o", "-", *options, path],
                          stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "HOME": "/data" + "/ann-lee"}
                          ).stdout.decode()
    page = Page(html)
    return "\n".join(page.texts + list(page.facts.values())) + page.rest


def main(syscap, folder):
    path = os.path.join(folder, "secret-name.syscap")
    make(path)
    whole = texts_of(syscap, path)
    # Typed texts are names, too: a filter, and the file's name
    clean = texts_of(syscap, path, "--redact", "--drop",
                     (HOME + b"/bin/nothing").decode())
    for secret in SECRETS:
        assert secret in whole, secret
        assert secret not in clean, secret
    assert "~/app" in clean and "turn" in clean
    for i in range(len(HOMES)):
        assert "~/app%d" % i in clean and "~/lib%d.so:~" % i in clean, HOMES[i]
    for i in range(len(FOLDERS)):
        assert "~/tool%d" % i in clean, FOLDERS[i]
    print("none of %d secrets is in the page" % len(SECRETS))


main(*sys.argv[1:])
