#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# report/usage.sh - wrong use, and the page's file name.
. "$(dirname "$0")/../transcript.sh"
run report --help
run report
run report --reverse everything.syscap
run report --of leaked -o "$work/leaked.html" everything.syscap
run report --of blocked -o "$work/blocked.html" everything.syscap
run report missing.syscap
cp everything.syscap "$work/same.syscap"
run report -o "$work/same.syscap" "$work/same.syscap"
cmp everything.syscap "$work/same.syscap"
run report -o "$work/same.syscap" everything_big.syscap
cmp everything.syscap "$work/same.syscap"
run report -o "$work/no/where" everything.syscap
run report -o "$work/page.html" everything.syscap
grep -q '^</body></html>$' "$work/page.html"
run report -o "$work/page.html" header_only.syscap
grep -q '^</body></html>$' "$work/page.html"
cp "$work/page.html" "$work/old.html"
# An old page stays if the new one cannot be written.
(ulimit -f 8; run report -o "$work/page.html" everything.syscap)
cmp "$work/old.html" "$work/page.html"
(ulimit -f 8; run report --open -o "$work/none.html" everything.syscap)
[ ! -e "$work/none.html" ]
run report -o /dev/full everything.syscap
# A default name must be free, or belong to a page.
echo precious >"$work/same.html"
(cd "$work" && run report same.syscap && run record --report -o same.syscap true)
grep -q precious "$work/same.html"
cp "$work/old.html" "$work/same.html"
(cd "$work" && run report same.syscap)
run report --open -o - everything.syscap
ln -s page.html "$work/link.html"
chmod 640 "$work/page.html"
run report -o "$work/link.html" everything.syscap
[ -h "$work/link.html" ]
[ "$(stat -c %a "$work/page.html")" = 640 ]
ls "$work" >"$work/list"
! grep -q part "$work/list"
"$SYSCAP" report -o - everything_big.syscap | tail -1 >>"$work/transcript"
sed -i "s,$work,WORK,g" "$work/transcript"
finish
