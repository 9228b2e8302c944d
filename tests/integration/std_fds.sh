#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# std_fds.sh - in a process without standard streams, no fd of the library is 0,
# 1 or 2, for all kinds of recording: the program's output never goes into
# syscap's files.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
skip() { echo "skip: $1"; exit 77; }
command -v strace >/dev/null || skip "there is no strace"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/std_fds

fail() {
	echo "$*"
	exit 1
}

# has_marks CAPTURE - CAPTURE has all 20 marks
has_marks() {
	n=$("$SYSCAP" dump --type mark "$1" | grep -c '"std"' || true)
	[ "$n" = 20 ] || fail "$1: $n of 20 marks"
}

# bare COMMAND... - runs COMMAND without standard streams, traced into calls.*
cat >bare <<'END'
exec strace -ff -o calls sh -c 'exec "$@" <&- >&- 2>&-' sh "$@"
END

# no_low_fd WHAT [READS] - only placeholders, files of the loader, and files that
# match the pattern READS have low numbers
no_low_fd() {
	cat calls.* >calls
	grep -q '"/", .*O_PATH' calls ||
		fail "$1: no placeholder is seen"
	low=$(grep -E '^[a-z_0-9]+\(.*\) = [012]$' calls |
		grep -E '^(open|openat|socket|memfd_create|dup|fcntl\(.*F_DUPFD|perf_event_open|epoll_create|eventfd|accept)' |
		grep -vE "${2:-^$}" | grep -vE '"/", .*O_PATH|(\.so[.0-9]*|ld\.so\.cache)", O_RDONLY\|O_CLOEXEC\)' ||
		true)
	low=$low$(grep -E '^pipe2?\(\[([012],|[0-9]+, [012]\])' calls || true)
	low=$low$(grep -E '^recvmsg.*cmsg_data=\[([0-9, ]*, )?[012][],]' calls ||
		true)
	[ -z "$low" ] || fail "$1: $low"
	rm -f calls calls.*
}

# Recorded by the process itself
for thread in 0 1; do
	status=0
	SYSCAP_THREAD=$thread SYSCAP_OUTPUT=$dir/self.syscap \
		sh bare "$program" events || status=$?
	# Two threads may open files of /proc at the same time.  A write to such
	# a file fails, as to a closed fd, and a read succeeds.
	case $thread$status in
	?0 | 14) ;;
	*) fail "SYSCAP_THREAD=$thread: $status" ;;
	esac
	has_marks self.syscap
	reads=
	[ $thread = 0 ] || reads='"/proc/.*", O_RDONLY\|O_CLOEXEC\)'
	no_low_fd "SYSCAP_THREAD=$thread" "$reads"
	rm self.syscap
done
sh bare "$program" start "$dir/start.syscap" || fail "syscap_start(): $?"
has_marks start.syscap
no_low_fd "syscap_start()"

# Killed: frames stay in the ring file
status=0
SYSCAP_OUTPUT=$dir/killed.syscap sh -c 'exec "$@" <&- >&- 2>&-' sh \
	"$program" kill || status=$?
[ $status = 137 ] || fail "killed: $status"
"$SYSCAP" recover killed.syscap >recovered || fail "recover: $(cat recovered)"
has_marks killed.syscap

# Into an inherited file
SYSPROF_TRACE_FD=9 sh bare "$program" events 9>trace.syscap || fail "trace: $?"
has_marks trace.syscap
no_low_fd "SYSPROF_TRACE_FD"

# Record by a recorder, which makes the small rings
for options in --no-symbols --ring-kib=16; do
	"$SYSCAP" record -q --force --no-symbols $options -o r.syscap -- \
		sh bare "$program" events || fail "record $options: $?"
	has_marks r.syscap
	no_low_fd "record $options"
done

# Sampled threads may open fds at the same time: files opened for reading may
# then have low numbers
for options in "--sample=1000,wall" "--sample --io --stalls --memory"; do
	# shellcheck disable=SC2086
	"$SYSCAP" record -q --force --no-symbols $options -o r.syscap -- \
		sh bare "$program" events || fail "record $options: $?"
	has_marks r.syscap
	rm -f calls.*
done
