# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# typed.sh - sourced in a fresh root: functions that run a README's
# instructions.  The sourcing file sets README.
export PATH="$PATH:/opt/syscap/bin"
PKG_CONFIG_PATH=$(dirname "$(find /opt/syscap -name syscap.pc 2>/dev/null)")
export PKG_CONFIG_PATH

# has TEXT: the README contains TEXT, across lines
has() {
	tr -s ' \n' ' ' <"$README" | grep -qF -- "$1" || {
		echo "$README does not say: $1"
		exit 1
	}
}

# typed LINE: runs LINE, which the README must contain
typed() {
	has "$1"
	echo "\$ $1"
	eval "$1"
}

# packages NAMES: installs NAMES, which the README must contain
packages() {
	has "$1"
	echo "\$ apt-get install $1"
	[ -e /user/updated ] || apt-get -q update
	touch /user/updated
	# shellcheck disable=SC2086 # several
	apt-get install -q -y $1
}

# block N: the README's Nth block of code
block() {
	awk -v n="$1" '
		/^```/ { if (!fenced) count++; fenced = !fenced; next }
		fenced { if (count == n) print; next }
		/^    / && (blank || inside) {
			if (!inside) count++
			inside = 1
			if (count == n) print substr($0, 5)
			blank = 0
			next
		}
		/^$/ { if (inside && count == n) print; blank = 1; next }
		{ inside = 0; blank = 0 }' "$README"
}

# recorded CAPTURE TEXT...: checks that the statistics of CAPTURE contain each
# TEXT
recorded() {
	capture=$1
	shift
	syscap check "$capture" >/dev/null
	syscap stat --all --functions=2000 "$capture" >/user/stat
	for text; do
		grep -qE -- "$text" /user/stat || {
			cat /user/stat
			echo "$capture does not say: $text"
			exit 1
		}
	done
}
