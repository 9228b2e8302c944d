# SPDX-License-Identifier: BSD-2-Clause
# root.sh - sourced by scripts that make a Debian 12 of their own.  Sets tree
# (these sources).  root_in DIRECTORY sets root and log.
#
# Needs root, and Debian's archive (where this machine's apt finds it).  Skips,
# with the reason, if there is no debootstrap or if the archive is out of reach.
tree=$(cd "$(dirname "$0")/.." && pwd)
skip() { echo "skip: $*"; exit 77; }

root_in() {
	local program
	for program in debootstrap unshare git; do
		command -v $program >/dev/null || skip "there is no $program"
	done
	[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
	commit=$(git -C "$tree" rev-parse -q --verify HEAD) ||
		skip "the sources are not a git clone"
	mkdir -p "$1"
	root=$(cd "$1" && pwd)/bare
	log=$(cd "$1" && pwd)/bare.log

	# shellcheck disable=SC2016 # they are apt's
	archive=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' |
		head -n 1)
	[ -n "$archive" ] || skip "apt has no list of Debian 12"
	/usr/lib/apt/apt-helper download-file \
		"${archive%/}/dists/bookworm/InRelease" \
		"$log.release" >"$log" 2>&1 ||
		skip "$archive is unreachable: $(grep '^E:' "$log" | tail -n 1)"
	rm -f "$log.release"
}

# make_root PACKAGES: a new root with these packages, separated by commas
make_root() {
	rm -rf "$root"
	debootstrap --variant=minbase --include="$1" \
		bookworm "$root" "$archive" >"$log" 2>&1 ||
		fail "debootstrap cannot make a root"
	cp /etc/resolv.conf "$root/etc/"
}

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
			DEBIAN_FRONTEND=noninteractive TERM=dumb CI=true LC_ALL=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			"$@"' - "$root" "$user" "$@" </dev/null
}

fail() { # WHY
	echo "FAIL  $1; the end of $log:"
	tail -n 40 "$log"
	exit 1
}

# sources DIRECTORY: the committed sources, below /srv of the root
sources() {
	mkdir -p "$root/srv/$1"
	git -C "$tree" archive "$commit" | tar -x -C "$root/srv/$1"
	chown -R 1000:1000 "$root/srv"
}
