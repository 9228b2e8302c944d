# SPDX-License-Identifier: BSD-2-Clause
# transcript.sh - compare the command's output with a committed transcript.
#
#	. "$(dirname "$0")/../transcript.sh"
#	run stat everything.syscap
#	finish
#
# Sourced by the tests in neighbouring directories; the transcript of stat/x.sh
# is stat/x.expected.  Commands run in the directory of the fuzzer's captures.
# UPDATE=1 writes the transcript again. Check the difference before a commit.
set -eu
: "${SYSCAP:?names the binary to test}"
tests=$(cd "$(dirname "$0")/../.." && pwd)
expected=${0%.sh}.expected
case $expected in /*) ;; *) expected=$PWD/$expected ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tests/fuzz/corpus/reader"
unset NO_COLOR
export LC_ALL=C

# run ARGUMENTS... - appends its output, errors and exit status to the
# transcript.
run() {
	status=0
	"$SYSCAP" "$@" >"$work/out" 2>"$work/err" || status=$?
	{
		echo "\$ syscap $*"
		cat "$work/out"
		sed '/because syscap was built without zlib/d; s/^/stderr: /' "$work/err"
		echo "exit status $status"
		echo
	} >>"$work/transcript"
}

finish() {
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$work/transcript" "$expected"
	fi
	diff -u "$expected" "$work/transcript"
}
