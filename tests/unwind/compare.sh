#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# compare.sh LIBRARY [STACKS [SHARE]] - stacks of stock programs at random
# times.  Compares syscap's stacks with libunwind's from the same registers, and
# some with gdb's.
#
# Prints the figures and every place where two stacks differ.  Fails if fewer
# than SHARE in 1,000 (990) are equal, or fewer than 980 reach the outermost
# frame.  Stacks that differ in code without tables are not comparable, since
# each unwinder guesses there.  Such stacks are printed and not counted, but
# must be fewer than half.  These differences come from libjpeg's assembly, and
# from start files of a library.  There libunwind trusts any frame pointer, and
# gdb reads the code. syscap's unwinder checks whether the return address is
# after a call.
#
# At least a fifth of the stacks of xz must be of its second thread.
#
# Reads SYSCAP_SOURCE, CC.
set -eu
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: the programs are not sanitized"
	exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip: compare_preload.c knows x86-64 only"
	exit 77
fi
library=$1 stacks=${2:-1000} share=${3:-990}
here=$SYSCAP_SOURCE/tests/unwind
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags="-std=gnu11 -O2 -g -I$SYSCAP_SOURCE/include -I$SYSCAP_SOURCE/src
	-I$SYSCAP_SOURCE/tests"

# shellcheck disable=SC2086
"$CC" $flags -fPIC -shared "$here/compare_preload.c" "$library" \
	-o preload.so -pthread -ldl
# shellcheck disable=SC2086
if ! "$CC" $flags "$here/compare_ptrace.c" -o compare_ptrace \
	-lunwind-ptrace -lunwind-generic -lunwind 2>errors; then
	echo "skip: no libunwind-ptrace: $(head -n 1 errors)"
	exit 77
fi

export LC_ALL=C GDK_BACKEND=x11 GSK_RENDERER=cairo NO_AT_BRIDGE=1 GTK_A11Y=none
failed=0

# judge WHO: report holds the figures of one program
judge() {
	cat report
	awk -v who="$1" -v share="$share" -v least="${least:-0}" '
	/ stacks/ { all = $1 }
	/ reached the outermost/ {
		for (i = 2; i <= NF; i++)
			if ($i == "reached")
				reached = $(i - 1)
		cut = $(NF - 1)
	}
	$1 == who ":" { equal = $2 }
	/ not comparable/ { compared = all - $1 }
	/ of other threads/ { others = $1 }
	END {
		if (all == 0) {
			print "no stacks"
			exit 1
		}
		printf "%.2f %% reached the outermost or were cut, " \
			"%.2f %% equal\n", (reached + cut) * 100 / all,
			equal * 100 / (compared ? compared : 1)
		if (others < least) {
			print "fewer than " least " of other threads"
			exit 1
		}
		exit compared * 2 < all || (reached + cut) * 1000 < all * 980 ||
			equal * 1000 < compared * share
	}' report || failed=1
}

# against_libunwind MICROSECONDS COMMAND...
against_libunwind() {
	wait=$1
	shift
	echo "--- $*, against libunwind"
	COMPARE_WAIT=$wait $prefix ./compare_ptrace "$work/preload.so" \
		"$stacks" "$@" >report 2>errors || tail -n 5 errors
	judge libunwind
}

# against_gdb MICROSECONDS PROGRAM ARGUMENTS
against_gdb() {
	if ! command -v gdb >/dev/null; then
		echo "--- left out: there is no gdb"
		return
	fi
	echo "--- $2 $3, against gdb"
	rm -f report
	COMPARE_WAIT=$1 COMPARE_ARGS="$3 >/dev/null" \
		COMPARE_PRELOAD=$work/preload.so \
		COMPARE_STACKS=$((stacks / 10)) COMPARE_REPORT=$work/report \
		$prefix timeout 100 gdb -nx -batch -x "$here/compare_gdb.py" "$2" \
		>out 2>&1 || true
	[ -s report ] || { tail -n 5 out >report; }
	judge gdb
}

cat >work.py <<'END'
import hashlib, json, random, re, zlib
numbers = random.Random(1)
def fibonacci(n):
    return 1 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
for i in range(1000000):
    some = [numbers.random() for _ in range(40)]
    text = json.dumps({"a": some, "b": sorted(some, key=lambda x: -x)})
    json.loads(text)
    re.sub(r"(\d+)\.(\d)", lambda match: match.group(2), text)
    hashlib.sha256(zlib.compress(text.encode())).digest()
    fibonacci(10), max(map(float, map(str, some)))
END
# data that does not compress well
awk 'BEGIN { srand(1); for (i = 0; i < 700000; i++) print rand(), i }' >data

prefix=
xz=$(command -v xz || true) python=/usr/bin/python3
if [ -n "$xz" ]; then
	against_libunwind 1000 "$xz" -9 -k -c data
	least=$((stacks / 5))
	against_libunwind 1000c "$xz" -T2 --block-size=1MiB -6 -k -c data
	least=0
	against_gdb 3000 "$xz" "-9 -k -c data"
fi
if [ -x $python ]; then
	against_libunwind 500 $python work.py
	against_gdb 3000 $python work.py
fi
# Record other interpreters, compilers and programs with assembly, if installed.
cc1=$("$CC" -print-prog-name=cc1)
awk 'BEGIN { for (i = 0; i < 20000; i++)
	printf "int f%d(int x) { for (int i = 0; i < x; i++) x ^= i * %d; return x; }\n",
		i, i }' >many.c
other() {
	program=$(command -v "$1" || true)
	shift
	[ -z "$program" ] || against_libunwind 500 "$program" "$@"
}
other perl -e 'my %h; for my $i (1..1e8) { my $w = "w" . $i * 7 % 4001;
	$h{$w}++; $w =~ /(\d)\1/; }'
other ruby -e '1e8.to_i.times { |i| "w#{i * 7 % 4001}" =~ /(\d)\1/ }'
other php -r 'for ($i = 0; $i < 1e9; $i++) $h["w" . $i * 7 % 4001] = md5($i);'
other bash -c 'for ((i = 0; i < 100000000; i++)); do x=${x:0:40}w$i; done'
other mawk 'BEGIN { for (i = 0; i < 1e9; i++) h["w" i * 7 % 4001]++ }'
other sqlite3 :memory: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1
	FROM c LIMIT 100000000) SELECT sum(x * 7 % 4001), group_concat(x % 7) FROM c'
other jq -n '[range(1e8)] | map(. * 7 % 4001) | add'
other openssl speed -seconds 30 -evp aes-128-gcm
other bzip2 -9 -k -c data data data data
[ ! -x "$cc1" ] || other "$cc1" -quiet -O2 many.c -o /dev/null

gtk=$(command -v gtk4-widget-factory || true)
if [ -n "$gtk" ] && command -v xvfb-run >/dev/null; then
	prefix="xvfb-run -a"
	against_libunwind 300 "$gtk"
	against_gdb 3000 "$gtk" ""
else
	echo "--- left out: there is no gtk4-widget-factory or no xvfb-run"
fi
exit $failed
