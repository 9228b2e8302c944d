# SPDX-License-Identifier: BSD-2-Clause
"""page.py - the columns of a page of `syscap report`, according to decision
0021.

    page = Page(open("x.html").read())
    page.numbers("sample.times")
    page.texts          all, by number
    page.facts          {key: text}
"""
import base64
import itertools
import re
import struct
import zlib

COLUMN = re.compile(
    r'<script type="application/octet-stream" data-name="([a-z0-9_.]+)" '
    r'data-width="(\d)" data-n="(\d+)" data-bytes="(\d+)">([A-Za-z0-9+/=]*)'
    r'</script>\n')

# Columns that a page omits if all their numbers are 0.
RARE = "allocation.lives.high", "allocation.temporary"


class Page:
    def __init__(self, html):
        self.columns = {}
        for name, width, n, size, packed in COLUMN.findall(html):
            data = zlib.decompress(base64.b64decode(packed, validate=True), -15)
            assert len(data) == int(size), name
            assert name not in self.columns, name
            self.columns[name] = int(width), int(n), data
        self.texts = self.text_column("texts") + self.text_column("texts.more")
        facts = self.text_column("facts")
        self.facts = dict(zip(facts[::2], facts[1::2]))
        more = self.text_column("facts.more")
        self.limits = dict(zip(more[::2], more[1::2]))
        self.base = int(self.facts["base"])
        self.rest = COLUMN.sub("", html)

    def numbers(self, name):
        if name in RARE and name not in self.columns:
            return [0] * len(self.numbers("allocation.threads"))
        width, n, data = self.columns[name]
        return list(struct.unpack(
            "<%d%s" % (n, {1: "B", 2: "H", 4: "I", 8: "Q"}[width]), data))

    def sums(self, name):
        total, sums = self.base, []
        runs = name.replace("times", "runs")
        lengths = (self.numbers(runs) if runs in self.columns
                   else itertools.repeat(1))
        for number, length in zip(self.numbers(name), lengths):
            total = (total + number) % 2**64
            sums += [total - 2**64 if total >= 2**63 else total] * length
        return sums

    def times(self, name):
        return [self.base + number for number in self.numbers(name)]

    def text_column(self, name):
        width, n, data = self.columns[name]
        assert width == 0
        texts = data.decode().split("\0")
        assert texts.pop() == "" and len(texts) == n
        return texts

    def named(self, name):
        return [self.texts[number] for number in self.numbers(name)]

    def threads(self):
        """[(pid, tid)] by number."""
        pids = [signed(p) for p in self.numbers("process.pids")]
        return [(pids[process], signed(tid)) for process, tid in zip(
            self.numbers("thread.processes"), self.numbers("thread.tids"))]

    def stacks(self, tree):
        """[((name, binary), ...)] by node."""
        names = list(zip(self.named("function.names"),
                         self.named("function.binaries")))
        path, stacks = [], []
        for depth, function in zip(self.numbers(tree + ".depths"),
                                   self.numbers(tree + ".functions")):
            assert depth <= len(path)
            del path[depth:]
            path.append(names[function])
            stacks.append(tuple(path[1:]))
        return stacks


def signed(number):
    return number - 2**32 if number >= 2**31 else number
