#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bursts.sh PROGRAM - sysprof-cli records all 26,000 marks of PROGRAM, or the
# recording reports them as lost.  They come faster than sysprof-cli reads its
# rings.  On a busy machine it reads late, so only half of the marks must be in
# one of five recordings.
#
# Reads SYSCAP (the command).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
skip() { echo "skip: $*"; exit 77; }
for command in sysprof-cli dbus-daemon dbus-run-session; do
	command -v $command >/dev/null || skip "there is no $command"
done
[ -x /usr/libexec/sysprofd ] || skip "there is no sysprofd"
[ -x /usr/lib/polkit-1/polkitd ] || [ -x /usr/libexec/polkitd ] ||
	skip "there is no polkitd"
[ "$(id -u)" = 0 ] || skip "a private system bus with polkitd needs root"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in 1 2 3 4 5; do
	"$here/sysprof_cli_run.sh" "$work/$i.syscap" "$program" \
		>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
	"$SYSCAP" stat --json "$work/$i.syscap" >"$work/json"
	kept=$(sed -n 's/.*"group":"burst","name":"mark","count":\([0-9]*\).*/\1/p' \
		"$work/json")
	lost=$(sed -n 's/.*"lost":{"frames":\([0-9]*\).*/\1/p' "$work/json")
	echo "$kept marks are kept, $lost are reported as lost"
	[ $((kept + lost)) = 26000 ] || { echo "they are not 26000"; exit 1; }
	[ "$kept" -lt 13000 ] || exit 0
done
echo "too few are kept"
exit 1
