#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debuginfod.sh RECORD_SELF - --debuginfod downloads the debug file of a stripped
# program from elfutils' server, and nothing is sent without the option.
set -eu
: "${SYSCAP:?names the binary to test}"
record_self=$1
here=$(cd "$(dirname "$0")" && pwd)
for tool in debuginfod objcopy strip python3; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
server=
finish() {
	[ -z "$server" ] || { kill "$server"; wait "$server" || true; } 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
cd "$work"
fail() { echo "failed: $*"; [ ! -s err ] || cat err; exit 1; }
unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export HOME="$work" DEBUGINFOD_CACHE_PATH="$work/cache"
mkdir served cache

# The program has a build-id of its own.
cp "$record_self" prog
readelf -n prog | grep -q 'Build ID' || { echo "skip: no build-id"; exit 77; }
./prog plain.syscap >wanted
objcopy --only-keep-debug prog served/prog.debug
strip prog
./prog plain.syscap >wanted
is_named() {
	"$SYSCAP" dump "$1" | grep -q '"record_alpha"+'
}

# Without servers, the option is refused at once.
status=0
"$SYSCAP" symbolize --debuginfod plain.syscap 2>err || status=$?
[ $status = 2 ] || fail "no servers: status $status"
grep -q 'DEBUGINFOD_URLS names no server' err || fail "no reason"
status=0
"$SYSCAP" symbolize --debuginfod=soon plain.syscap 2>err || status=$?
[ $status = 2 ] || fail "no time: status $status"


# Without the library, too.
if [ -z "${SYSCAP_SANITIZE:-}" ] && command -v "${CC:-cc}" >/dev/null; then
	cat >hide.c <<-'EOF'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <string.h>
	void *dlopen(const char *name, int flags)
	{
		void *(*next)(const char *, int) =
			(void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
		return name && strstr(name, "debuginfod") ? NULL : next(name, flags);
	}
	EOF
	"${CC:-cc}" -shared -fPIC -o hide.so hide.c
	status=0
	DEBUGINFOD_URLS=http://127.0.0.1:1/ LD_PRELOAD="$work/hide.so" \
		"$SYSCAP" record --debuginfod touch ran 2>err || status=$?
	[ $status = 2 ] && [ ! -e ran ] || fail "no library: status $status"
	grep -q 'libdebuginfod.so.1 is missing' err || fail "no reason"
	cat >busy.c <<-'EOF'
	#include <time.h>
	int main(void)
	{
		const clock_t end = clock() + CLOCKS_PER_SEC / 2;

		while (clock() < end)
			continue;
	}
	EOF
	"${CC:-cc}" -s -Wl,--build-id -o busy busy.c
fi

port=$(python3 -c 'import socket; s = socket.socket()
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export DEBUGINFOD_URLS="http://127.0.0.1:$port/"
# Clear the list of servers, because the server would forward requests to these
# servers.
env -u DEBUGINFOD_URLS debuginfod -v -d :memory: -p "$port" -t 0 -g 0 -F served >log 2>&1 &
server=$!
id=$(readelf -n prog | sed -n 's/ *Build ID: //p')
n=0
until python3 -c 'import sys, urllib.request
urllib.request.urlopen(sys.argv[1])' "${DEBUGINFOD_URLS}buildid/$id/debuginfo" \
	2>/dev/null
do
	n=$((n + 1))
	[ $n -lt 100 ] || fail "the server does not start: $(cat log)"
	sleep 0.1
done

requests=$(grep -c GET log)
"$SYSCAP" symbolize -q -o without.syscap plain.syscap
is_named without.syscap && fail "names without a debug file"
[ "$(grep -c GET log)" = "$requests" ] ||
	fail "a request without the option: $(cat log)"

# libc's debug file, which the server lacks, is missing without an error.
"$SYSCAP" symbolize -q --debuginfod -o with.syscap plain.syscap 2>err ||
	fail "status $?"
is_named with.syscap || fail "no names: $(tail -20 log)"
[ "$(grep -c GET log)" -gt "$requests" ] || fail "no request: $(cat log)"

# The cache is enough without the server and the option.
kill "$server"
wait "$server" || true
server=
"$SYSCAP" symbolize -q -o cached.syscap plain.syscap
is_named cached.syscap || fail "no names from the cache"

# A server that never answers.
python3 "$here/debuginfod_hang.py" "$SYSCAP" \
	$([ ! -e busy ] || echo "$work/busy") || fail "a server that hangs"
