#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lines_broken.sh RECORD_SELF - truncated or invalid debug information ends
# neither the command nor the capture.  Names and remaining lines are readable.
set -eu
: "${SYSCAP:?names the binary to test}"
record_self=$1
for tool in objcopy readelf python3; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }

objcopy --only-keep-debug "$record_self" whole.debug
objcopy -g "$record_self" prog
objcopy --add-gnu-debuglink=whole.debug prog
./prog plain.syscap >wanted
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || { echo "skip: there is no build-id"; exit 77; }
rest=${id#??}
folder=debug/.build-id/${id%"$rest"}
mkdir -p "$folder"
rm prog.debug 2>/dev/null || :

# try NAME: runs symbolize with the current debug file. The limit is little
# more processor time than the 60 s limit of a file
try() {
	rm -f lined.syscap
	status=0
	(ulimit -t 100 && exec "$SYSCAP" symbolize --lines --debug-dir debug \
		-o lined.syscap plain.syscap) >out 2>err || status=$?
	if [ $status = 2 ] && grep -q 'without libdw\|libdw.so.1 is missing' err; then
		cat err
		exit 77
	fi
	[ $status = 0 ] || fail "$1: status $status: $(cat err)"
	"$SYSCAP" check lined.syscap >check ||
		fail "$1: not sound: $(cat check)"
	"$SYSCAP" dump --type sample lined.syscap >dump
	grep -q '"record_alpha"+' dump || fail "$1: names are missing"
}
mv whole.debug "$folder/$rest.debug"
try whole
grep -q 'record_self.c":' dump || fail "no lines: $(cat out err)"
mv "$folder/$rest.debug" whole

size=$(wc -c <whole)
for part in 1 2 3 5 7 9; do
	head -c $((size * part / 10)) whole >"$folder/$rest.debug"
	try "cut at $part/10"
done
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
echo "seed $seed"
n=0
while [ $n -lt 12 ]; do
	python3 - "$seed" $n whole "$folder/$rest.debug" <<'EOF'
import random, re, subprocess, sys
random.seed(int(sys.argv[1]) + int(sys.argv[2]))
data = bytearray(open(sys.argv[3], "rb").read())
text = subprocess.run(["readelf", "-SW", sys.argv[3]], capture_output=True,
                      text=True).stdout
parts = [(int(a, 16), int(b, 16)) for a, b in re.findall(
    r"\.debug_\w+ +PROGBITS +\w+ +(\w+) +(\w+)", text)]
for at, size in parts:
    for _ in range(max(1, size // random.choice((4, 30, 300)))):
        data[at + random.randrange(size)] = random.randrange(256)
open(sys.argv[4], "wb").write(data)
EOF
	try "nonsense $seed+$n"
	n=$((n + 1))
done
