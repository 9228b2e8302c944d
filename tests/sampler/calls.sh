#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# calls.sh - the system calls of a tick, by strace, are those listed in
# docs/sampling.md, in a program sampled by the preload library.
set -eu
skip() { echo "SKIP: $1"; exit 77; }
command -v strace >/dev/null || skip "there is no strace"
command -v xz >/dev/null || skip "there is no xz to sample"
[ -z "${SYSCAP_SANITIZE:-}" ] || skip "the sanitizer makes system calls"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
head -c 6000000 /dev/urandom >"$dir/data"
# One thread: xz's own threads block all signals.
strace -ff -o "$dir/calls" "$SYSCAP" record --sample=1000 \
	-o "$dir/capture" -- xz -6 -k -T1 "$dir/data" \
	>"$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }

# Prints "first" or "later", and the name, for each call between a tick and its
# return.
for file in "$dir"/calls.*; do
	awk '
	/^--- SIG.*si_code=SI_TIMER/ { inside = 1; print "ticks", ++n; next }
	/^rt_sigreturn\(/ { inside = 0; next }
	inside && /^[a-z_0-9]+\(/ {
		sub(/\(.*/, "")
		print n == 1 ? "first" : "later", $0
	}' "$file"
done >"$dir/all"
ticks=$(grep -c '^ticks ' "$dir/all" || true)
echo "$ticks ticks"
[ "$ticks" -ge 100 ] || { echo "too few to say anything"; exit 1; }

# A thread's first tick may be the first event of the thread and the process,
# which makes an arena of rings and hands the arena over.
awk '
BEGIN {
	n = split("gettid futex getpid process_vm_readv rt_sigprocmask " \
		"get_robust_list arch_prctl clock_gettime", calls)
	for (i = 1; i <= n; i++)
		listed["first " calls[i]] = listed["later " calls[i]] = 1
	n = split("tgkill openat ioctl read close prlimit64 fstat sendto " \
		"recvmsg poll mmap munmap memfd_create newfstatat " \
		"ftruncate fcntl madvise munlock mprotect mremap " \
		"sendmsg prctl", calls)
	for (i = 1; i <= n; i++)
		listed["first " calls[i]] = 1
	# Calls that check whether the recorder exists, if it has read nothing
	# for a second
	listed["later newfstatat"] = listed["later poll"] = 1
}
$1 != "ticks" { count[$0]++ }
END {
	for (call in count)
		print count[call], call
	for (call in count)
		if (!listed[call]) {
			print "not listed:", call
			bad = 1
		}
	exit bad
}' "$dir/all"
