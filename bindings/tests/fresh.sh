#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# fresh.sh DIRECTORY [LANGUAGE]... - a run of the instructions in the bindings'
# READMEs, word for word, in a minimal Debian.
#
# Each language has its own root below DIRECTORY: Debian 12 by debootstrap, the
# packages that the README names, and the committed sources in /syscap.  Another
# root builds and installs the library for /opt/syscap by the common README.  In
# each root, fresh/LANGUAGE.sh runs the README's commands, makes and installs
# packages, and records programs that use these packages.  fresh/typed.sh
# refuses a line that the README does not have.
#
# The script needs root, network (Debian's archive, from this machine's apt),
# 4 GB and half an hour on two cores.  Each run makes the roots anew, except
# DIRECTORY/base.  FRESH_PREFIX: a prefix with an installed library, instead of
# a build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || { echo "usage: fresh.sh DIRECTORY [LANGUAGE]..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- cpp gi python node rust lua
skip() { echo "skip: $*"; exit 77; }
for program in debootstrap unshare git; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"

# inside ROOT COMMAND...: runs COMMAND as in a separate machine, whose processes
# all end with COMMAND; standard input is /dev/null
inside() {
	local root=$1
	shift
	# shellcheck disable=SC2016 # they are the inner shell's
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1; shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/tmp"
		exec chroot "$root" env -i HOME=/user LANG=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive TERM=dumb \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			"$@"' - "$root" "$@" </dev/null
}

# Prints the URL of Debian's archive in this machine's apt
archive() {
	# shellcheck disable=SC2016 # they are apt's
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Codename: bookworm' | head -n 1
}

make_base() {
	[ ! -e "$folder/base.ready" ] || return 0
	rm -rf "$folder/base"
	debootstrap --variant=minbase bookworm "$folder/base" "$(archive)" \
		>"$folder/base.log" 2>&1 ||
		{ tail -n 5 "$folder/base.log"; exit 1; }
	# minbase has no certificates; http needs none
	cp /etc/resolv.conf "$folder/base/etc/"
	touch "$folder/base.ready"
}

# make_root NAME: a Debian with these sources
make_root() {
	rm -rf "${folder:?}/$1"
	cp -a "$folder/base" "$folder/$1"
	mkdir -p "$folder/$1/syscap" "$folder/$1/user"
	git -C "$tree" archive HEAD | tar -x -C "$folder/$1/syscap"
	# The working tree's version
	cp -a "$here/fresh" "$folder/$1/user/fresh"
}

# follow NAME: runs its lines, and prints the result
follow() {
	local status=0
	SECONDS=0
	inside "$folder/$1" sh -eu "/user/fresh/$1.sh" \
		>"$folder/$1.log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "ok    $1: $(grep -c '^\$ ' "$folder/$1.log") lines" \
			"typed, $SECONDS s"
	else
		echo "FAIL  $1: status $status; the end of $folder/$1.log:"
		tail -n 15 "$folder/$1.log"
		failed=yes
	fi
	return $status
}

failed=
make_base
prefix=${FRESH_PREFIX:-$folder/library/opt/syscap}
if [ -z "${FRESH_PREFIX:-}" ]; then
	make_root library
	follow library || exit 1
fi
for language; do
	make_root "$language"
	cp -a "$prefix" "$folder/$language/opt/syscap"
	follow "$language" || continue
	rm -rf "${folder:?}/$language"
done
[ -z "$failed" ]
