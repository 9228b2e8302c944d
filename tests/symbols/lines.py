# SPDX-License-Identifier: BSD-2-Clause
"""lines.py LINES_OF FILE COUNT [MOST [TABLE]] - check of source frames for
lines.sh. The frames of COUNT random addresses of FILE equal those of
`addr2line -i -f` for TABLE (FILE). FILE has debug information and no symbols.

MOST: the number in a thousand that may have another file, on the same line:
binutils 2.40 mistakes the first file of a DWARF 5 line table.
"""

import random
import re
import secrets
import subprocess
import sys

lines_of, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
most = int(sys.argv[4]) if len(sys.argv) > 4 else 0
other = sys.argv[5] if len(sys.argv) > 5 else path
seed = secrets.randbits(32)
random.seed(seed)


def run(command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True,
                          check=True).stdout


def code():
    for line in run(["readelf", "-SW", other]).splitlines():
        found = re.match(r"\s*\[\s*\d+\] \.text\s+\w+\s+(\S+) \S+ (\S+)", line)
        if found:
            return int(found[1], 16), int(found[2], 16)
    sys.exit("no code")


def blocks(text):
    made = []
    for line in text.splitlines():
        if re.fullmatch("0x[0-9a-f]{16}", line):
            made.append((line, []))
        else:
            made[-1][1].append(re.sub(r" \(discriminator \d+\)$", "", line))
    return made


begin, size = code()
addresses = "".join(f"{begin + random.randrange(size):x}\n"
                    for _ in range(count))
theirs = blocks(run(["addr2line", "-a", "-i", "-f", "-e", other], addresses))
ours = blocks(run([lines_of, path], addresses))
if len(ours) != count or len(theirs) != count:
    sys.exit(f"{len(ours)} and {len(theirs)} answers to {count}")
bad = files = none = inlined = 0
for (address, a), (same, b) in zip(theirs, ours):
    # Between functions, addr2line sometimes has a line without a function.
    if b == ["??", "??:0"] and len(a) == 2 and \
            (a[0] == "??" or a[1] in ("??:0", "??:?")):
        none += 1
        continue
    inlined += len(a) > 2
    if a == b:
        continue
    if [t.rsplit(":", 1)[-1] for t in a] == [t.rsplit(":", 1)[-1] for t in b] \
            and a[::2] == b[::2]:
        files += 1
        if most > 0:
            continue
    bad += 1
    if bad <= 3:
        print(address, "addr2line", *a, "ours", *b, sep="\n  ")
print(f"{path}: seed {seed}, {count} addresses, {inlined} inlined, "
      f"{none} nothing, {files} other files, {bad} others")
if bad or files * 1000 > most * count:
    sys.exit(1)
if inlined * 4 < count or none * 3 > count:
    sys.exit("too few inlined functions for a statement")
