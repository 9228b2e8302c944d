#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/exec.sh - a process that execs another program has the name of the last
# program, also if no image sends events.
set -eu
: "${SYSCAP:?names the binary to test}"
dir=$(mktemp -d)
recorder=
trap 'exec 3>&-; test -z "$recorder" || kill $recorder; rm -rf "$dir"' EXIT
cd "$dir"
mkfifo fifo

names() {
	"$SYSCAP" stat --json x.syscap 2>/dev/null |
		grep -o '"cmdline":"[^"]*"' | cut -d'"' -f4
}

# check OPTIONS EXPECTED COMMAND...
# The program reads the fifo until the capture has the expected names.
check() {
	options=$1 expected=$2
	shift 2
	rm -f x.syscap
	exec 3<>fifo # waits for no other process
	"$SYSCAP" record -q $options -o x.syscap -- "$@" <fifo 3>&- &
	recorder=$!
	until test "$(names)" = "$expected"; do
		if ! kill -0 $recorder; then
			echo "record $options -- $*: expected $expected; has"
			names
			exit 1
		fi
		sleep 0.05
	done
	exec 3>&-
	wait $recorder
	recorder=
	if test "$(names)" != "$expected"; then
		echo "record $options -- $*: expected $expected; at the end"
		names
		exit 1
	fi
}

for options in '' --sample; do
	check "$options" 'cat -u' sh -c 'exec cat -u'
	check "$options" 'cat -u -' env A=1 sh -c 'exec env B=1 cat -u -'
done
# The program is a child of timeout.  A process without a tick sends nothing.
script='BEGIN { for (i = 0; i < 5e6; i++) n += i; getline }'
check '' "timeout 900 awk $script" timeout 900 awk "$script"
check --sample "timeout 900 awk $script
awk $script" timeout 900 awk "$script"
