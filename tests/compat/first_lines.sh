#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# first_lines.sh SYSCAP [NAME...] - records six programs, and prints the first
# lines of `syscap stat` as docs/profile.md shows them.
set -eu
[ $# -ge 1 ] || { echo "usage: first_lines.sh SYSCAP [NAME...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
SYSCAP=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
SYSCAP_SOURCE=$(cd "$here/../.." && pwd)
shift
. "$here/record_programs.sh"
[ $# -gt 0 ] || set -- xz python make node tar widgets
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
prepare_programs "$@"
for name; do
	case $name in
	xz) what="xz -9 -k\` of 10 MB" options="--sample" ;;
	python) what="python3\` reads and writes JSON" \
		options="--sample --memory --io" ;;
	make) what="make -j2\` compiles three files with \`gcc -O2\`" \
		options="--sample" ;;
	node) what="node\` sorts 600,000 texts" options="--sample --io" ;;
	tar) what="tar\` of /usr/include into \`gzip -1\`" options="--sample --io" ;;
	sqlite) what="sqlite3\` makes a table and an index" \
		options="--sample --memory --io" ;;
	gjs) what="gjs\` runs a main loop" options="--sample --stalls --logs" ;;
	widgets) what="gtk4-widget-factory\`, the first 12 s" \
		options="--sample --memory=64K --io --stalls --logs --counters" ;;
	esac
	# shellcheck disable=SC2086
	record_program "$name" $options
	printf '**`%s; `%s`**\n\n```\n' "$what" "$options"
	# Up to the first empty line
	"$SYSCAP" stat "$name.syscap" | sed '/^$/,$d'
	printf '```\n\n'
done
