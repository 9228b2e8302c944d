#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_changed_clock.sh - times in a capture are the kernel's, independent of
# a replaced clock_gettime() in the program or the recorder.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
clock=$SYSCAP_TEST_BIN/changed_clock.so
program=$SYSCAP_TEST_BIN/record_changed_clock

# number NAME: the first NAME in the JSON
number() {
	sed -n "s/.*\"$1\":\\([0-9]*\\).*/\\1/p" json
}

# look WHAT: the capture and its sampled time are shorter than a minute
look() {
	"$SYSCAP" check x >/dev/null
	"$SYSCAP" stat --json x >json
	echo "$1: $(number duration_ns) ns, weight $(number weight)"
	[ "$(number duration_ns)" -lt 60000000000 ]
	[ "$(number weight)" -lt 60000 ]
}

for options in --sample=1000,cpu --sample=1000,wall --sample=1000,perf \
	"--memory --stalls --io"; do
	for place in 'LD_PRELOAD=$0:$LD_PRELOAD' 'LD_PRELOAD=$LD_PRELOAD:$0'; do
		# shellcheck disable=SC2086
		"$SYSCAP" record -qo x --force $options -- \
			sh -c "export $place; exec \"\$1\"" "$clock" "$program"
		look "$options, $place"
	done
done
LD_PRELOAD=$clock "$SYSCAP" record -qo x --force --sample=1000 -- "$program"
look "recorder too"
