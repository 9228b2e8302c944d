#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# adverse.sh [whole] - pages of bad input, and of hostile names, in a browser.
# adverse.py makes the pages, and adverse.mjs walks through each.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir"
mkdir "$dir/pages"
python3 "$here/adverse.py" "$SYSCAP" "$dir/pages" "$@" >"$dir/list"
node "$here/adverse.mjs" "$dir/list"
PYTHONPATH=$here/../export python3 -c 'import story, sys
story.Story(n=300).write(sys.argv[1])' "$dir/whole.syscap"
"$SYSCAP" report -o "$dir/whole.html" "$dir/whole.syscap"
head -c -5 "$dir/whole.syscap" >"$dir/torn.syscap"
"$SYSCAP" report -o "$dir/torn.html" "$dir/torn.syscap" 2>/dev/null || test $? = 1
node "$here/damaged.mjs" "$dir/whole.html" "$dir/torn.html"
