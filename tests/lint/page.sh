#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# page.sh [TREE] - check of the page of `syscap report`.  The page makes no
# markup from texts, runs no text, and has no network address.  The modules can
# be joined, and are small.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}/src/report/page"
bad=0
complain() { echo "$1"; bad=1; }

# Exported files contain SVG's namespace; a saved page reads outerHTML.
if grep -nE 'innerHTML|outerHTML *[+]?=|insertAdjacent|document\.write|DOMParser|eval\(|new Function|setTimeout\(.?['\''"]|https?:|//[a-z]+\.|fetch\(|XMLHttp|WebSocket|EventSource|sendBeacon|await import\(|localStorage' \
	./*.js ./*.html ./*.css | grep -v 'xmlns="http://www.w3.org/2000/svg"'; then
	complain "the page contains a forbidden call or address"
fi
if grep -niE '</script|<!--|</style' ./*.js ./*.css; then
	complain "this text would end the script, or the style"
fi

# Joined modules share one scope: names must differ, and each module must be in
# the list.
grep -hoE '^(export )?(async )?(function|class|const|let) [A-Za-z_$0-9]+' ./*.js |
	awk '{ print $NF }' | sort | uniq -d | while read -r name; do
	echo "$name is at the top of two modules"
done | grep . && complain "names at the top of modules must be unique"
for module in ./*.js; do
	grep -qw "${module#./}" ../../CMakeLists.txt ||
		complain "$module is not in the list of src/CMakeLists.txt"
done
grep -nE "^import .* from '[^.]" ./*.js && complain "modules may import only each other"
grep -nE '^export (default|\*)|^import \*|^import [^{]* as ' ./*.js &&
	complain "join.cmake does not support this form"

size=$(cat ./*.js ./*.css ./*.html | wc -c)
[ "$size" -le 320000 ] || complain "the page's source has $size bytes: the limit is 320000"
echo "$size bytes of source"
exit $bad
