#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bare.sh [--short] DIRECTORY - the README's two commands in a Debian 12 with
# only gcc, make, CMake and libc6-dev.
#
# Makes the root DIRECTORY/bare by debootstrap, with the committed sources,
# without git.  There it runs both commands as root, as a normal user, and with
# clang in place of gcc.  --short: as root, the demo, a quick build, and the
# tests that depend on installed programs or packages.
#
# Needs what root.sh needs, and 3 GB.  On two cores it takes 50 minutes, --short 4.
set -eu
. "$(dirname "$0")/root.sh"
is_short=
[ "${1:-}" != --short ] || { is_short=yes; shift; }
[ $# = 1 ] || { echo "usage: bare.sh [--short] DIRECTORY" >&2; exit 2; }
root_in "$1"

# run WHAT USER SCRIPT...: its result in one line; each skip has a reason
TIMEFORMAT='%R s, %U + %S s of processor time'
run() {
	local what=$1 status=0 name
	{ time inside "$2" sh -euc "cd /srv/syscap; $3" >"$log" 2>&1 ||
		status=$?; } 2>"$log.time"
	[ $status = 0 ] || fail "$what: status $status"
	for name in $(sed -n 's/^[ \t]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$log"); do
		grep -q "^$name: ." "$log" || fail "$what: why is $name skipped?"
	done
	echo "ok    $what: $(grep '^100% tests passed' "$log" || echo done)," \
		"$(cat "$log.time")"
	grep -A 1000 '^Why tests were skipped' "$log" || true
}

make_root gcc,make,cmake,libc6-dev

if [ -n "$is_short" ]; then
	rm -rf "$root/srv"
	sources syscap
	run "demo" root 'cmake --workflow --preset demo'
	run "tests" root 'cmake -B build/bare -DSYSCAP_BENCH=OFF -DSYSCAP_WERROR=ON
		cmake --build build/bare -j 2
		ctest --test-dir build/bare -j 2 --output-on-failure \
			-LE "^verylong$" \
			-R "^(symbols|cli\.(report|import|main))\.|^consumer\.(pkg-config|plain|cxx)$|record_(io|ends|unnamed|memory|logs|sanitized|sshd)$"'
	rm -rf "$root"
	exit 0
fi
for user in root 1000:1000; do
	rm -rf "$root/srv"
	sources syscap
	run "demo, as $user" "$user" 'cmake --workflow --preset demo'
	run "test, as $user" "$user" 'cmake --workflow --preset test'
done
rm -rf "$root/srv"
sources syscap
inside root sh -c 'apt-get -q update && apt-get install -q -y \
	--no-install-recommends clang && apt-get remove -q -y gcc' >"$log" 2>&1 ||
	fail "clang can't be installed"
run "demo, by clang" root 'CC=clang cmake --workflow --preset demo'
run "test, by clang" root 'CC=clang cmake --workflow --preset test'
rm -rf "$root"
