#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# records.sh - the example's events in a recorder's capture, with samples if the
# environment requests samples.
#
# The test reads SYSCAP (the command), SYSCAP_SOURCE, CARGO, CARGO_TARGET_DIR.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT
"$CARGO" --offline --locked build --release --example words \
	--manifest-path "$SYSCAP_SOURCE/bindings/rust/Cargo.toml"
program=$CARGO_TARGET_DIR/release/examples/words
cd "$work"

# has TEXT
has() {
	grep -Fq "$1" dump || {
		echo "not there: $1"
		cat dump
		exit 1
	}
}

[ "$("$program")" = "not recorded" ]
SYSCAP_SAMPLE=5000,wall "$SYSCAP" record -o words.syscap -- "$program"
"$SYSCAP" check words.syscap
"$SYSCAP" dump --json words.syscap >dump
has '"group":"words","name":"make text"'
has '"message":"6 words differ"'
has '"category":"words","name":"seen"'
has '"domain":"words","message":"no words"'
has '"type":"sample"'
[ "$(grep -c '"name":"count"' dump)" = 4 ]
