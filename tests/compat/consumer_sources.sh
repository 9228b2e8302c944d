#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# consumer_sources.sh DIRECTORY PACKAGE [DROP] - unpack Debian's source of PACKAGE
# as DIRECTORY/src/PACKAGE, and install its build dependencies.
#
# The sources come from the archive in this machine's apt configuration.  apt's
# state is in DIRECTORY/apt, so that the machine's state does not change.  Build
# dependencies whose line in debian/control matches the regular expression DROP
# are skipped.  With CONSUMERS_TESTS=no, the dependencies of its own tests are
# skipped, too.  Only root installs packages; other users need to have them.
set -eu
work=$(cd "$1" && pwd)
package=$2
drop=${3:-}
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

fail() { echo "consumer_sources.sh: $*" >&2; exit 1; }

begin_apt() {
	export APT_CONFIG=$work/apt/apt.conf
	[ ! -e "$work/apt/stamp" ] || return 0
	mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
	# shellcheck disable=SC2016 # they are apt's
	APT_CONFIG='' apt-get indextargets \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u |
	while read -r uri release component; do
		echo "deb $uri $release $component"
		echo "deb-src $uri $release $component"
	done >"$work/apt/sources.list"
	[ -s "$work/apt/sources.list" ] ||
		fail "apt has no list of a Debian archive; run apt-get update"
	cat >"$APT_CONFIG" <<-END
		Dir::Etc::sourcelist "$work/apt/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State::lists "$work/apt/lists";
		Dir::Cache "$work/apt/cache";
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
	END
	apt-get -q update
	touch "$work/apt/stamp"
}

# needs COMMAND: apt-get build-dep with it (-s, -y) for the package
needs() {
	local profiles=nodoc,noinsttest

	[ "${CONSUMERS_TESTS:-yes}" = yes ] || profiles+=,nocheck
	apt-get -q -o DPkg::Lock::Timeout=1800 "$1" build-dep \
		--no-install-recommends --arch-only -P "$profiles" \
		"$work/needs/$package"
}

begin_apt
if [ ! -e "$work/src/$package/debian/control" ]; then
	# The directory's name contains the version.
	rm -rf "$work/src/$package" "$work/src/$package.unpacked"
	mkdir -p "$work/src/$package.unpacked"
	(cd "$work/src/$package.unpacked" &&
		apt-get -q source --only-source "$package")
	mv "$work/src/$package.unpacked/"*/ "$work/src/$package"
fi

mkdir -p "$work/needs/$package/debian"
cp "$work/src/$package/debian/changelog" "$work/needs/$package/debian/"
grep -v -E "${drop:-^\$}" "$work/src/$package/debian/control" \
	>"$work/needs/$package/debian/control"
if needs -s | grep -q '^Inst '; then
	[ "$(id -u)" = 0 ] || { needs -s | grep '^Inst '
		fail "run as root, or install these packages for $package"; }
	needs -y
fi
