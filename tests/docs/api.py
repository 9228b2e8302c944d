# SPDX-License-Identifier: BSD-2-Clause
"""api.py FOLDER FUNCTIONS - check of the HTML pages in FOLDER. The pages are
well-formed, and the targets of their links exist. Each name in the file
FUNCTIONS has a section with code and text."""
import glob
import html.parser
import os
import sys

VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.name = os.path.basename(path)
        self.open, self.ids, self.links, self.faults = [], [], [], []
        self.sections = {}  # id of a section: [code, text]
        self.section = None
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        if self.open:
            self.faults.append(f"<{self.open[-1]}> has no end")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = ["", ""]
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.faults.append(f"two elements have the id {attrs['id']}")
            self.ids.append(attrs["id"])
            if self.section is not None:
                self.sections[attrs["id"]] = self.section
        if "href" in attrs:
            self.links.append(attrs["href"])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> ends nothing")
        if tag == "section":
            self.section = None

    def handle_data(self, data):
        if self.section is not None and "pre" in self.open:
            self.section[0] += data
        elif self.section is not None and "p" in self.open:
            self.section[1] += data


def main():
    folder, functions = sys.argv[1:3]
    pages = {page.name: page for page in
             map(Page, sorted(glob.glob(f"{folder}/*.html")))}
    faults = [f"{page.name}: {fault}"
              for page in pages.values() for fault in page.faults]
    n_links = 0
    for page in pages.values():
        for link in page.links:
            n_links += 1
            name, _, anchor = link.partition("#")
            target = pages.get(name or page.name)
            if target is None or (anchor and anchor not in target.ids):
                faults.append(f"{page.name}: {link} leads nowhere")
    sections = {name: section for page in pages.values()
                for name, section in page.sections.items()}
    with open(functions, encoding="ascii") as file:
        names = file.read().split()
    for name in names:
        if name not in sections:
            faults.append(f"no page has {name}")
        elif name + "(" not in sections[name][0]:
            faults.append(f"{name} is not declared in its section")
        elif not sections[name][1].strip():
            faults.append(f"{name} has no comment")
    print("\n".join(faults) or f"{len(pages)} pages, {n_links} links, "
          f"{len(names)} functions")
    return 1 if faults or len(pages) < 8 or len(names) < 100 else 0


sys.exit(main())
