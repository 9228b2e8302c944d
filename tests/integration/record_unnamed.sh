#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_unnamed.sh - if many addresses have no names, `record` reports their
# program and a remedy: a stripped program needs its debug symbols; a process
# killed while the recorder was stopped stays unknown.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
command -v strip >/dev/null || {
	echo "skip: there is no strip"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# says TEXT - the summary contains TEXT
says() {
	grep -q "of the addresses in stacks have names$1" err || {
		cat err
		echo "FAIL: it does not say '$1'"
		exit 1
	}
}

# Most stacks of this program are in its own code.  Many stacks of profile_work
# are in the C library.  No library is preloaded, because a sanitized program
# would not start.
strip -o stripped "$SYSCAP_TEST_BIN/record_sample_marks_sampler"
SYSCAP_SAMPLE=1000 "$SYSCAP" record -o stripped.syscap -- ./stripped 2>err
says '; most others are in stripped: install its debug symbols$'

SYSCAP_SAMPLE=1000 "$SYSCAP" record -o named.syscap -- \
	"$SYSCAP_TEST_BIN/profile_work" 200 2>err
# Without libc6-dbg, half of the addresses may be the C library's
says '\(; most others are in libc\.so\.6: install its debug symbols\)\?$'

# Runs until the process has used its processor time.
cat >killed.sh <<'END'
kill -STOP $PPID
"$@" 100000 &
while [ "$(awk '{ print $14 + $15 }' /proc/$!/stat)" -lt 50 ]; do
	sleep 0.1
done
kill -9 $!
wait $!
kill -CONT $PPID
END
SYSCAP_SAMPLE=1000 "$SYSCAP" record -o killed.syscap -- \
	sh killed.sh "$SYSCAP_TEST_BIN/profile_work" 2>err || [ $? = 0 ]
says '; most others are in no file: '

# Programs built here do not start with a sanitized preloaded library
[ -z "${SYSCAP_SANITIZE:-}" ] || exit 0

# Code in anonymous memory has no debug symbols
cat >jit.c <<-'END'
	#define _GNU_SOURCE
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	static __attribute__((noinline)) void spin(unsigned long n)
	{
		for (volatile unsigned long i = 0; i < n; i++)
			continue;
	}
	int main(void)
	{
		const int fd = memfd_create("code", 0);
		char *code;

		if (fd < 0 || ftruncate(fd, 4096) != 0)
			return 77;
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		            MAP_SHARED, fd, 0);
		if (code == MAP_FAILED)
			return 77;
		memcpy(code, (void *)spin, 256);
		__builtin___clear_cache(code, code + 256);
		((void (*)(unsigned long))code)(300000000);
		return 0;
	}
END
cat >inlined.c <<-'END'
	static inline __attribute__((always_inline)) void inner(unsigned long n)
	{
		for (volatile unsigned long i = 0; i < n; i++)
			continue;
	}
	__attribute__((noinline)) void outer(unsigned long n) { inner(n); }
	int main(void) { outer(200000000); return 0; }
END
cc=${CC:-cc}
if "$cc" -O1 -w -o jit jit.c; then
	status=0
	"$SYSCAP" record --sample -o jit.syscap -- ./jit 2>err || status=$?
	[ $status = 77 ] || says '; most others are in no file: '
fi

# Debug information that dwz moved to another file is found
if command -v dwz >/dev/null && "$cc" -O1 -g -o one inlined.c &&
	"$SYSCAP" record --lines -o lines.syscap -- true 2>/dev/null; then
	cp one two
	dwz -m shared -r one two
	"$SYSCAP" record -q --sample --lines -o one.syscap -- ./one
	"$SYSCAP" stat one.syscap >seen
	grep -q ' inner (inlined)' seen || {
		cat seen
		echo "FAIL: what was inlined has no name"
		exit 1
	}
fi
