#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# import/perf.sh - an imported recording of perf keeps its counts and names.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v perf >/dev/null || { echo "skip: there is no perf (linux-perf)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >busy.c <<'EOF'
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void innermost(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sum += i * i;
}
__attribute__((noinline)) void between(void)
{
	innermost();
	sum++;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		between();
}
EOF
${CC:-cc} -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o busy busy.c
if ! perf record -q -g -F 500 -e cpu-clock:u -o data ./busy >said 2>&1; then
	echo "skip: perf can't record here: $(head -n 1 said)"
	exit 77
fi
perf script -F comm,pid,tid,time,event,ip,sym,dso -i data >text 2>said ||
	{ echo "skip: perf script: $(head -n 1 said)"; exit 77; }
n=$(grep -c 'cpu-clock:u:' text || true)
# A very busy machine gives few ticks
[ "$n" -ge 5 ] || { echo "skip: perf took $n samples"; exit 77; }
"$SYSCAP" import -f perf-script -o c.syscap text
"$SYSCAP" check c.syscap
"$SYSCAP" export -f folded c.syscap >folded 2>/dev/null
got=$(awk '{ sum += $NF } END { print sum }' folded)
[ "$got" = "$n" ] || { echo "$n samples have become $got"; exit 1; }
# The capture has as many stacks with the chain as perf's output
want=$(awk '/cpu-clock:u:/ { inner = 0; n += has; has = 0 }
	/ innermost\+/ { inner = 1 } / between\+/ && inner { has = 1 }
	END { print n + has }' text)
got=$(awk '/between;innermost/ { sum += $NF } END { print sum + 0 }' folded)
[ "$got" = "$want" ] || { echo "$want of between;innermost have become $got"; exit 1; }
echo "$n samples, $want of between;innermost"
