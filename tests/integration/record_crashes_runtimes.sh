#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_crashes_runtimes.sh - `syscap record --crashes` hides its actions from
# the runtimes of Python, Rust, Go with C code, and Java.  A crash prints the
# runtime's report, and ends with the same status as without syscap.
set -eu
: "${SYSCAP:?}" "${CC:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
ulimit -S -c 0
tested=0

fail() {
	echo "$*"
	exit 1
}

# same REPORT MESSAGES COMMAND...: the same status, REPORT in the output, and
# the number of recorded crashes
same() {
	report=$1 messages=$2
	shift 2
	status=0 got=0
	"$@" >plain 2>&1 || status=$?
	"$SYSCAP" record -q --force --crashes -o r.syscap -- "$@" >seen 2>&1 ||
		got=$?
	[ $got = $status ] || fail "$*: status $got, not $status: $(cat seen)"
	for file in plain seen; do
		[ -z "$report" ] || grep -q "$report" $file ||
			fail "$*: no $report in $file: $(cat $file)"
	done
	"$SYSCAP" dump --type log r.syscap >logs
	got=$(grep -c '"syscap.crash"' logs || :)
	[ "$got" = "$messages" ] || fail "$*: $got crashes: $(cat logs)"
	tested=$((tested + 1))
}

if command -v python3 >/dev/null; then
	cat >restore.py <<'EOF'
import os, signal
former = signal.signal(signal.SIGABRT, lambda *_: None)
signal.signal(signal.SIGABRT, former)
print(repr(former), flush=True)
os.abort()
EOF
	same 'SIG_DFL' 1 python3 restore.py
	same 'Fatal Python error: Segmentation fault' 0 \
		python3 -X faulthandler -c 'import ctypes; ctypes.string_at(16)'
fi

if command -v rustc >/dev/null; then
	cat >overflow.rs <<'EOF'
use std::hint::black_box;
fn recurse(n: u64) -> u64 {
    let a = black_box([n; 64]);
    if n == u64::MAX { 0 } else { recurse(n + 1) + black_box(a[7]) }
}
fn main() {
    if std::env::args().count() > 1 {
        unsafe { *(black_box(0x10usize) as *mut u8) = 1 }
    }
    println!("{}", recurse(0));
}
EOF
	if rustc -C opt-level=0 overflow.rs >err 2>&1; then
		same 'has overflowed its stack' 1 ./overflow
		same '' 1 ./overflow segv
	fi
fi

if command -v go >/dev/null; then
	mkdir cgo
	cat >cgo/main.go <<'EOF'
package main
// static void crash(void) { *(volatile int *)0x10 = 1; }
import "C"
func main() { C.crash() }
EOF
	printf 'module crash\n\ngo 1.19\n' >cgo/go.mod
	if (cd cgo && HOME=$dir GOFLAGS=-mod=mod CGO_ENABLED=1 go build -o ../c_crash .) \
		>err 2>&1; then
		same 'segmentation violation' 0 ./c_crash
	fi
fi

if command -v javac >/dev/null && command -v java >/dev/null; then
	cat >Crash.java <<'EOF'
public class Crash {
    static native void crash();
    public static void main(String[] a) {
        System.load(System.getProperty("user.dir") + "/libcrash.so");
        crash();
    }
}
EOF
	echo 'void Java_Crash_crash(void *e, void *c) { *(volatile int *)0x10 = 1; }' \
		>crash.c
	if $CC -shared -fPIC -o libcrash.so crash.c && javac Crash.java >err 2>&1; then
		# The runtime's abort() is recorded
		same 'A fatal error has been detected by the Java' 1 \
			java -Xmx64m Crash
	fi
fi
echo "$tested crashes of runtimes"
[ $tested != 0 ] || { echo "skip: there is no runtime"; exit 77; }
