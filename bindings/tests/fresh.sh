#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# fresh.sh FOLDER [LANGUAGE]... - what the READMEs of the bindings tell, word
# for word, in a Debian that has nothing else.
#
# Each language has a root of its own below FOLDER: Debian 12 as debootstrap
# makes it, the packages that the README names, these sources as they are
# committed in /syscap, and the library in /opt/syscap, built and installed in
# another such root as the README of all tells.  There fresh/LANGUAGE.sh types
# what the README says, makes packages, installs them, and records what uses
# them.  fresh/typed.sh refuses a line that the README does not have.
#
# Root, network (Debian's archive, where this machine's apt finds it), 4 GB
# and half an hour on two cores.  Roots are made anew each time but for the
# first, FOLDER/base.  FRESH_PREFIX: a prefix in which the library is installed
# already, in place of the one that is built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || { echo "usage: fresh.sh FOLDER [LANGUAGE]..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- cpp gi python node rust lua
skip() { echo "skip: $*"; exit 77; }
for program in debootstrap unshare git; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"

# inside ROOT COMMAND...: as in a machine of its own, whose processes all end
# with it; standard input is its own
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

# Where apt of this machine finds Debian
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
	# minbase has no certificates, and asks no key of http
	cp /etc/resolv.conf "$folder/base/etc/"
	touch "$folder/base.ready"
}

# make_root NAME: a Debian with these sources
make_root() {
	rm -rf "${folder:?}/$1"
	cp -a "$folder/base" "$folder/$1"
	mkdir -p "$folder/$1/syscap" "$folder/$1/user"
	git -C "$tree" archive HEAD | tar -x -C "$folder/$1/syscap"
	# What is being worked on
	cp -a "$here/fresh" "$folder/$1/user/fresh"
}

# follow NAME: its lines, and what came of them
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
