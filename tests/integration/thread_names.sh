#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# thread_names.sh - the recorder records threads' names: of short threads,
# renamed threads, main threads, threads after exec, of languages, and in a
# namespace.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/thread_names

fail() {
	echo "$*"
	exit 1
}

# names FILE - the names of all threads from dump, without times and ids
names() {
	"$SYSCAP" dump --type metadata "$1" |
		sed -n 's/.*id "syscap.thread" text //p'
}

# has FILE NAME
has() {
	names "$1" | grep -qxF "\"$2\"" || {
		names "$1"
		fail "$1: no thread is called $2"
	}
}

timeout 600 "$SYSCAP" record -q -o plain.syscap -- "$program" "$PWD/plain.syscap"
for name in thread_names "worker 1" "worker 2" "last name"; do
	has plain.syscap "$name"
done
# The kernel's name has 15 bytes, which are valid text in the file.
[ "$(names plain.syscap | grep -c 'fifteen-bytes-')" = 1 ]
"$SYSCAP" check plain.syscap >check.out || { cat check.out; exit 1; }

# Filters and tables use the names.
"$SYSCAP" stat --thread "worker 2" --json plain.syscap >stat.json
grep -q '"logs":{"info":1}' stat.json || fail "not one line of worker 2's"
grep -q '"thread_names":\[[^]]*"last name"' stat.json || fail "not in --json"
"$SYSCAP" stat plain.syscap | grep -q ' (worker 1)' || fail "not in stat"
[ "$("$SYSCAP" dump --thread "last name" --type log plain.syscap |
	wc -l)" = 1 ] || fail "dump --thread"
for format in perfetto chrome firefox; do
	"$SYSCAP" export --format $format -o out plain.syscap
	grep -qa 'worker 2' out || fail "not in $format"
done

# A sanitized library can't be preloaded into other programs.
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "sanitized: programs with the preloaded library are left out"
	exit 0
fi

# Main threads have the program's name, also after exec.
# shellcheck disable=SC2016
timeout 600 "$SYSCAP" record -q --sample=1000 -o exec.syscap -- sh -c '
	i=0
	while [ $i -lt 20000 ]; do i=$((i + 1)); done
	exec "$0"' "$program"
has exec.syscap sh
has exec.syscap thread_names

# In a namespace, threads have other ids: checks their first names.
if unshare -Upf --map-root-user true 2>/dev/null; then
	timeout 600 "$SYSCAP" record -q -o inside.syscap -- \
		unshare -Upf --map-root-user "$program"
	has inside.syscap "worker 1"
	has inside.syscap "first-name"
else
	echo "no namespaces of pids here: they are left out"
fi

# Names that a language gives the kernel for its threads.
command -v python3 >/dev/null || exit 0
cat >threads.py <<'END'
import ctypes
import threading
import time
libc = ctypes.CDLL(None)
def work(name):
    libc.prctl(15, name, 0, 0, 0)
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        pass
threads = [threading.Thread(target=work, args=(b"python-%d" % i,))
           for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
END
timeout 600 "$SYSCAP" record -q --sample=1000 -o python.syscap -- python3 threads.py
for i in 0 1 2; do
	has python.syscap python-$i
	"$SYSCAP" stat --threads python.syscap | grep -q "^Thread.* python-$i of"
done
