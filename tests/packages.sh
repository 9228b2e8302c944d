#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh DIRECTORY - builds the Debian packages twice, in two directories,
# with equal bytes, and checks them by lintian.  Another Debian 12 installs them.
# There, debian/tests/programs builds and records programs.  After the packages
# are removed, no file is left.
#
# Needs what root.sh needs, and 4 GB.  On two cores it takes 15 minutes.
# The packages are in DIRECTORY/packages afterwards.
set -eu
. "$(dirname "$0")/root.sh"
[ $# = 1 ] || { echo "usage: packages.sh DIRECTORY" >&2; exit 2; }
root_in "$1"
packages=${root%/bare}/packages

# step WHAT USER SCRIPT
step() {
	inside "$2" sh -euc "$3" >"$log" 2>&1 || fail "$1: status $?"
	echo "ok    $1"
}

make_root build-essential
name=syscap-$(sed -n 's/^project(syscap VERSION \([0-9.]*\).*/\1/p' \
	"$tree/CMakeLists.txt")
sources "$name"
step "packages for the build are installed" root "apt-get -q update
	apt-get -q -y build-dep --no-install-recommends /srv/$name
	apt-get -q -y install --no-install-recommends lintian"
for place in here another/place; do
	sources "$place/$name"
	tar -C "$root/srv/$place" --exclude="$name/debian" --sort=name \
		--mtime=@0 --owner=0 --group=0 -cJf \
		"$root/srv/$place/syscap_${name#*-}.orig.tar.xz" "$name"
	step "built in $place" 1000:1000 "cd /srv/$place/$name
		umask $([ $place = here ] && echo 022 || echo 002)
		dpkg-buildpackage -us -uc"
done
for file in "$root"/srv/here/*.deb; do
	cmp "$file" "$root/srv/another/place/${file##*/}" >"$log" 2>&1 ||
		fail "two builds of ${file##*/} differ"
done
echo "ok    the packages of both builds are equal"
# No bug report of Debian requests the package
step "lintian" 1000:1000 "cd /srv/here
	lintian --fail-on error,warning --suppress-tags \
		initial-upload-closes-no-bugs syscap_*.changes"
rm -rf "$packages"
mkdir "$packages"
cp "$root"/srv/here/*.deb "$packages"
rm "$packages"/*-dbgsym_*

files() {
	find "$root" -xdev \( -path "$root/var/cache" -o -path "$root/var/lib/apt" \
		-o -path "$root/var/log" -o -path "$root/srv" \
		-o -path "$root/var/lib/dpkg" \) -prune -o -print | sort
}
needed=$(sed -n '/^Depends:/,/^Restrictions:/p' "$tree/debian/tests/control" |
	sed 's/^Depends://; /^Restrictions/d' | tr -d ',\n')
make_root gcc,libc6-dev
sources syscap
mkdir -p "$root/srv/packages"
cp "$packages"/* "$root/srv/packages"
step "other packages are installed" root "apt-get -q update
	apt-get -q -y install --no-install-recommends $(echo "$needed" |
	tr ' ' '\n' | grep -v syscap | tr '\n' ' ') libdw1 libglib2.0-dev"
files >"$log.before"
step "installed" root "apt-get -q -y install --no-install-recommends \
	/srv/packages/*.deb"
step "programs are built, recorded and shown" 1000:1000 \
	'/srv/syscap/debian/tests/programs'
step "removed" root 'apt-get -q -y purge "*syscap*"
	apt-get -q -y autoremove --purge'
files >"$log.after"
diff "$log.before" "$log.after" | grep '^>' >"$log" && fail "files are left"
echo "ok    no file is left"
rm -rf "$root" "$log.before" "$log.after"
