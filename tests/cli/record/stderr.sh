#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/stderr.sh - the command's standard error is recorded line by line, and
# arrives unchanged.
set -eu
: "${SYSCAP:?names the binary to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "$*"
	exit 1
}

# lines CAPTURE
lines() {
	"$SYSCAP" dump --type=log "$1" | sed 's/^.* domain "stderr" message //'
}

record() {
	"$SYSCAP" record -q --force -o a.syscap --stderr -- "$@"
}

# shellcheck disable=SC2016
set -- sh -c 'echo one >&2; echo to stdout; printf "two\r\nthree\0\377" >&2
	kill -0 $$; printf "\n\nlast" >&2; exit 7'
status=0
"$@" >out.plain 2>err.plain || status=$?
[ $status = 7 ]
status=0
record "$@" >out 2>err || status=$?
[ $status = 7 ] || fail "exit status $status"
cmp out out.plain
cmp err err.plain
lines a.syscap >all
printf '%s\n' '"one"' '"two"' '"three��"' '""' '"last"' | cmp - all
"$SYSCAP" check a.syscap >/dev/null
"$SYSCAP" stat --json a.syscap | grep -q '"message": *5' ||
	fail "stat counts other lines"

# Megabytes of random bytes
head -c 3000000 /dev/urandom >random
record sh -c 'cat random >&2' 2>err || fail "random: $?"
# a busy recorder reports its losses after that
head -c 3000000 err | cmp - random
[ "$(wc -c <err)" = 3000000 ] || grep -aq -- '--stderr: the capture lacks some lines' err

# No output at all
record true 2>err
[ ! -s err ]
[ -z "$(lines a.syscap)" ]

# Standard error is a terminal only if it was one
record sh -c '[ ! -t 2 ]'
if command -v script >/dev/null; then
	script -qec "$SYSCAP record -q --force -o a.syscap --stderr -- sh -c '
		[ -t 2 ] && printf \"a\nb\n\" >&2'" /dev/null >typed </dev/null
	printf 'a\r\nb\r\n' | cmp - typed
	printf '"a"\n"b"\n' >wanted
	lines a.syscap | cmp - wanted
fi

# A process that outlives the command can still write
mkfifo go
record sh -c 'echo early >&2
	(read -r _ <go; echo late >&2; echo $? >late.status) </dev/null >/dev/null &
	exit 3' 2>err || status=$?
[ $status = 3 ]
[ "$(lines a.syscap)" = '"early"' ]
echo >go
for _ in $(seq 1200); do
	[ -s late.status ] && [ "$(wc -l <err)" = 2 ] && break
	sleep 0.1
done
[ "$(cat late.status)" = 0 ] || fail "a process that outlives the recorder cannot write"
printf 'early\nlate\n' | cmp - err

# ... also one that outlives the recorder
# shellcheck disable=SC2016
{ record sh -c 'kill -9 $PPID; read -r _ <go; echo still >&2
	echo $? >late.status' || true; } 2>err
rm late.status
echo >go
for _ in $(seq 1200); do
	[ -s late.status ] && grep -q still err && break
	sleep 0.1
done
[ "$(cat late.status)" = 0 ] || fail "a killed recorder stops other processes"
grep -q still err

# Without a reader, a writer gets the usual error
# shellcheck disable=SC2016
record sh -c 'trap "" PIPE
	i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); sleep 0.05
		echo x >&2 || { echo told >told; exit 0; }
	done' 2>&1 >/dev/null | head -n 1 >/dev/null
[ -s told ] || fail "a broken pipe is not reported"

# The command inherits no additional open file
"$SYSCAP" record -q --force -o a.syscap -- sh -c 'ls /proc/self/fd' >plain
record sh -c 'ls /proc/self/fd' >seen
cmp plain seen
