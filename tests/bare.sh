#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bare.sh [--short] DIRECTORY - the README's two commands in a Debian 12 with
# only gcc, make, CMake and libc6-dev.
#
# Makes the root DIRECTORY/bare by debootstrap, with the committed sources,
# without git.  There it runs both commands as root, as a normal user, and with
# clang in place of gcc.  --short: as root, the demo, a quick build, and the
# tests that such a root changes: those that look for programs or packages.
#
# Needs root, Debian's archive (where this machine's apt finds it) and 3 GB.
# On two cores it takes 50 minutes, --short 4.  Skips, with the reason, if there
# is no debootstrap or if the archive is out of reach.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
is_short=
[ "${1:-}" != --short ] || { is_short=yes; shift; }
[ $# = 1 ] || { echo "usage: bare.sh [--short] DIRECTORY" >&2; exit 2; }
skip() { echo "skip: $*"; exit 77; }
for program in debootstrap unshare git; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
git -C "$tree" rev-parse -q --verify HEAD >/dev/null ||
	skip "these sources are no clone"
mkdir -p "$1"
root=$(cd "$1" && pwd)/bare
log=$(cd "$1" && pwd)/bare.log

# shellcheck disable=SC2016 # they are apt's
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
	'Origin: Debian' 'Codename: bookworm' | head -n 1)
[ -n "$archive" ] || skip "apt knows no archive of Debian 12"
/usr/lib/apt/apt-helper download-file "${archive%/}/dists/bookworm/InRelease" \
	"$log.release" >"$log" 2>&1 ||
	skip "$archive is out of reach: $(grep '^E:' "$log" | tail -n 1)"
rm -f "$log.release"

# inside USER COMMAND...: runs COMMAND as in a separate machine, whose processes
# all end with COMMAND; standard input is /dev/null
inside() {
	local user=$1
	shift
	# shellcheck disable=SC2016 # they are the inner shell's
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1 user=$2; shift 2
		mount -t proc proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/tmp"
		exec chroot --userspec="$user" "$root" env -i HOME=/srv \
			DEBIAN_FRONTEND=noninteractive TERM=dumb CI=true \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			"$@"' - "$root" "$user" "$@" </dev/null
}

fail() { # WHY
	echo "FAIL  $1; the end of $log:"
	tail -n 40 "$log"
	exit 1
}

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

sources() {
	rm -rf "$root/srv"
	mkdir -p "$root/srv/syscap"
	git -C "$tree" archive HEAD | tar -x -C "$root/srv/syscap"
	chown -R 1000:1000 "$root/srv"
}

rm -rf "$root"
debootstrap --variant=minbase --include=gcc,make,cmake,libc6-dev \
	bookworm "$root" "$archive" >"$log" 2>&1 ||
	fail "debootstrap makes no root"
cp /etc/resolv.conf "$root/etc/"

if [ -n "$is_short" ]; then
	sources
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
	sources
	run "demo, as $user" "$user" 'cmake --workflow --preset demo'
	run "test, as $user" "$user" 'cmake --workflow --preset test'
done
sources
inside root sh -c 'apt-get -q update && apt-get install -q -y \
	--no-install-recommends clang && apt-get remove -q -y gcc' >"$log" 2>&1 ||
	fail "clang can't be installed"
run "demo, by clang" root 'CC=clang cmake --workflow --preset demo'
run "test, by clang" root 'CC=clang cmake --workflow --preset test'
rm -rf "$root"
