#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/operations.sh - an operation with a mark for its begin and one for its
# end is one row with its duration.  The test compares stat, its JSON, filters,
# and diff.
set -eu
: "${SYSCAP:?}" "${SYSCAP_BINARY:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$SYSCAP" record -q -o x.syscap -- "$SYSCAP_BINARY/bin/05_async"
# Three operations of at least two milliseconds each
for filter in '' --from=0s; do
	"$SYSCAP" stat --json $filter x.syscap | tr -d ' \n' >json
	grep -Eq '"name":"request","count":3,"min_ns":[0-9]{7,}' json || {
		echo "stat $filter: not three requests with durations"
		tr '}' '\n' <json | grep request
		exit 1
	}
done
"$SYSCAP" stat --mark=example/request --slowest=9 x.syscap |
	sed -n '/^Slowest/,/^$/p' >slowest
[ "$(grep -c ' ms .*request' slowest)" = 3 ] || {
	cat slowest
	exit 1
}
"$SYSCAP" diff x.syscap x.syscap >diff || :
! grep request diff | grep -E '(^| )6( |$)' || exit 1
