#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ci.sh [TREE] - test of .ci/run, which prints skipped presets, fails if a
# preset fails or is stopped, and lists tests that pass only alone.
set -eu
command -v bash >/dev/null || { echo "skip: there is no bash"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
tree=${1:-$here/../..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp -r "$tree/.ci" "$work/.ci"

# Replace cmake --workflow --preset NAME by a program that runs the file NAME
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
[ ! -f "$3" ] || . "./$3"
echo "100% tests passed, 0 tests failed out of 2"
END
chmod +x "$work/bin/cmake"
mkdir "$work/tests"
printf '#!/bin/sh\nexit 0\n' >"$work/tests/bare.sh"
chmod +x "$work/tests/bare.sh"

run() { # run SECONDS STATUS: run .ci/run, with output to $work/out
	status=0
	(cd "$work" && CI='' CI_SECONDS=$1 PATH="$work/bin:$PATH" .ci/run) \
		>"$work/out" 2>&1 || status=$?
	if [ "$status" != "$2" ]; then
		cat "$work/out"
		echo "status $status, not $2"
		exit 1
	fi
}

expect() { # expect LINE
	grep -qx -- "$1" "$work/out" && return 0
	cat "$work/out"
	echo "no line: $1"
	exit 1
}

run 3900 0
expect '=== all passed after [0-9]* s'

echo 'echo "skip: no mirror"; exit 77' >>"$work/tests/bare.sh"
sed -i '/^exit 0$/d' "$work/tests/bare.sh"
run 3900 0
expect '!!! LEFT OUT: tests/bare.sh, no mirror'
echo 'exit 1' >"$work/tests/bare.sh"
run 3900 1
: >"$work/tests/bare.sh"

echo 'sleep 2; echo "2/2 Test #2: client.two ......***Skipped"' >"$work/test"
run 1 0
expect '!!! LEFT OUT: asan, .*'
expect '!!! LEFT OUT: tsan, .*'
[ "$(tail -n 1 "$work/out" | cut -c 1-11)" = '!!! passed,' ]

: >"$work/test"
echo 'echo "1/2 Test #1: client.one ......***Skipped"; sleep 60' >"$work/asan"
run 12 0 # With fewer seconds, a busy machine skips all presets
expect '!!! LEFT OUT: the rest of asan, .*'

echo 'echo "1/2 Test #1: client.one ......***Failed"; sleep 60' >"$work/asan"
run 12 1

echo 'exit 0' >"$work/asan" # this preset ends like a killed ctest
run 3900 1
expect '!!! asan ended before its tests did'
echo 'exit 3' >"$work/asan"
run 3900 3
echo 'exit 4' >"$work/test"
run 3900 4

# Replace ctest: the tests pass at the second run, or not
printf '#!/bin/sh\n. ./again\n' >"$work/bin/ctest"
chmod +x "$work/bin/ctest"
fail() { # fail NUMBER: as many tests of the preset test fail
	mkdir -p "$work/build/test/Testing/Temporary"
	seq "$1" | sed 's/.*/&:client.t&/' \
		>"$work/build/test/Testing/Temporary/LastTestsFailed.log"
	echo 'exit 8' >"$work/test"
}
rm "$work/asan"
fail 2
echo 'exit 0' >"$work/again"
run 3900 0
expect '!!! UNSTEADY: test: client.t1 client.t2 failed, then passed alone'
[ "$(tail -n 1 "$work/out" | cut -c 1-11)" = '!!! passed,' ]
echo 'exit 8' >"$work/again"
run 3900 8
fail 4
echo 'exit 0' >"$work/again"
run 3900 8
