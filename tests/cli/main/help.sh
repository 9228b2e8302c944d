#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/help.sh - --help of every command fits on a terminal, and has the same
# options as its manual page and the list in syscap(1).
set -eu
: "${SYSCAP:?names the binary to test}"
: "${SYSCAP_SOURCE:?names the source tree}"
man=$SYSCAP_SOURCE/docs/man
failed=0

complain() {
	echo "$1"
	failed=1
}

commands=$("$SYSCAP" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 8 ] || complain "no command is listed"
for command in $commands; do
	help=$("$SYSCAP" "$command" --help)
	page=$man/syscap-$command.1
	[ "$(echo "$help" | wc -l)" -le 24 ] ||
		complain "$command: --help has more than 24 lines"
	! echo "$help" | grep '.\{80\}' ||
		complain "$command: --help is wider than 79 columns"
	grep -q "Cm $command\$" "$man/syscap.1" ||
		complain "$command: not in syscap.1"
	[ -f "$page" ] || { complain "$command: no manual page"; continue; }
	# --name in mdoc ("Fl -name") or man ("\-\-name")
	for option in $(echo "$help" | grep -o -- '--[a-z][a-z-]*' | sort -u); do
		name=${option#--}
		sed '/^\.Bl/d; s/\\-/-/g' "$page" |
			grep -q -e "Fl .*-$name\\b" -e "--$name\\b" ||
			complain "$command: $option is not in its manual page"
	done
done
exit $failed
