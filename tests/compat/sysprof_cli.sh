#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sysprof_cli.sh PROGRAM - the events of PROGRAM are in a recording of the
# system's sysprof-cli.
#
# PROGRAM prints the expected events, one per line:
#
#	mark GROUP NAME COUNT
#	counter CATEGORY NAME LAST
#	log COUNT
#
# Reads SYSCAP (the command) and REF_COUNT (ref_count).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
skip() { echo "skip: $*"; exit 77; }
[ -n "${REF_COUNT:-}" ] || skip "there is no libsysprof-capture-4"
for command in sysprof-cli dbus-daemon dbus-run-session; do
	command -v $command >/dev/null || skip "there is no $command"
done
[ -x /usr/libexec/sysprofd ] || skip "there is no sysprofd"
[ -x /usr/lib/polkit-1/polkitd ] || [ -x /usr/libexec/polkitd ] ||
	skip "there is no polkitd"
[ "$(id -u)" = 0 ] || skip "a private system bus with polkitd needs root"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/sysprof_cli_run.sh" "$work/cli.syscap" \
	sh -c '"$1" >"$2"' - "$program" "$work/expected" >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
"$here/compare_counts.sh" "$work/cli.syscap"

[ -s "$work/expected" ] || { echo "$program printed nothing"; exit 1; }
"$SYSCAP" stat --json "$work/cli.syscap" | tr '\n' ' ' |
	sed 's/" *: */":/g; s/ *, *"/,"/g' | tr '{' '\n' >"$work/objects"

# has WHAT REGEX: matches an object of the JSON, whose keys have a fixed order.
has() {
	grep -Eq "$2" "$work/objects" && return
	echo "not arrived: $1"
	cat "$work/objects"
	exit 1
}
while read -r what group name value; do
	case $what in
	mark)
		has "$what $group $name $value" \
			"\"group\":\"$group\",\"name\":\"$name\",\"count\":$value,"
		;;
	counter)
		has "$what $group $name $value" \
			"\"category\":\"$group\",\"name\":\"$name\",.*\"last\":$value,"
		;;
	log)
		n=$("$REF_COUNT" "$work/cli.syscap" | sed -n 's/^log //p')
		[ "$n" = "$group" ] ||
			{ echo "${n:-0} logs arrived, not $group"; exit 1; }
		;;
	*)
		echo "cannot read: $what $group $name $value"
		exit 1
		;;
	esac
done <"$work/expected"
