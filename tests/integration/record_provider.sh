#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_provider.sh PROGRAM - the provider example, built with -O2, has all
# frames of its interpreter in nearly every stack.
set -eu
: "${SYSCAP:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$SYSCAP" record -q -o "$dir/x.syscap" --sample -- "$1"
"$SYSCAP" export --format=folded -o "$dir/x.folded" "$dir/x.syscap"
awk '
	/;script;(parse|draw);/ { good += $NF }
	/;script;parse;/ { parse += $NF }
	/;script;draw;/ { draw += $NF }
	{ all += $NF }
	END { exit !(all > 0 && good >= 0.9 * all && parse > 0 && draw > 0) }
' "$dir/x.folded" || {
	cat "$dir/x.folded"
	exit 1
}
