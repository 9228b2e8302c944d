#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# parts.sh DIRECTORY WORK - size that each part of the library adds to a
# program.  The script links small programs with the archives in DIRECTORY, and
# keeps the programs in the directory WORK.  The script prints each name, the
# bytes of text and data, and the bytes of bss, less the bytes of an empty
# program (gcc -O2, stripped).  "parts.sh DIRECTORY WORK table" prints the table
# of docs/weight.md.
#
# The variables are SYSCAP_SOURCE and CC.
set -eu
archives=$1
include=$SYSCAP_SOURCE/include
here=$(cd "$(dirname "$0")" && pwd)
work=$2

# sizes PROGRAM: print the size of text and data, and of bss
sizes() {
	size "$1" | awk 'NR == 2 { print $1 + $2, $3 }'
}

# link NAME FLAG...: link the program on standard input
link() {
	name=$1
	shift
	cat >"$work/$name.c"
	"${CC:-gcc}" -std=gnu11 -O2 -w -s "$work/$name.c" "$@" -pthread \
		-o "$work/$name"
}

echo 'int main(void) { return 0; }' | link empty
sizes "$work/empty" >"$work/none"

# part NAME TITLE FLAG...
part() {
	name=$1 title=$2
	shift 2
	link "$name" "$@"
	sizes "$work/$name" >"$work/sizes"
	paste -d ' ' "$work/sizes" "$work/none" | awk -v name="$name" \
		-v title="$title" '{ print name, $1 - $3, $2 - $4, title }'
}

# native NAME TITLE MORE: a program with one mark, and MORE
native() {
	part "$1" "$2" -I"$include" "$archives/libsyscap.a" <<END
#include <syscap.h>
#include <syscap/runtime.h>
#include <syscap/sampler.h>
#include <syscap/system_counters.h>
SYSCAP_COUNTER(counter, "app", "n", "", SYSCAP_INT64);
int main(int argc, char **argv)
{
	int64_t begin = syscap_begin();
	SYSCAP_MARK_SINCE("app", "step", begin, argv[0]);
	$3
	return 0;
}
END
}

all() {
	part recorder "events towards a recorder only" -I"$include" \
		-I"$SYSCAP_SOURCE/src" "$here/recorder_only.c" \
		"$archives/libsyscap.a" <<'END'
#include <syscap.h>
int main(int argc, char **argv)
{
	int64_t begin = syscap_begin();
	SYSCAP_MARK_SINCE("app", "step", begin, argv[0]);
	return 0;
}
END
	native native "marks; the program can record itself" ""
	[ ! -e "$archives/libsysprof-capture-4.a" ] ||
		part dropin "the same with the drop-in" -I"$include/sysprof-6" \
			"$archives/libsysprof-capture-4.a" <<'END'
#include <sysprof-capture.h>
int main(int argc, char **argv)
{
	int64_t begin = SYSPROF_CAPTURE_CURRENT_TIME;
	sysprof_collector_mark(begin, SYSPROF_CAPTURE_CURRENT_TIME - begin,
			       "app", "step", argv[0]);
	return 0;
}
END
	native counter "marks, counters" 'SYSCAP_COUNTER_SET(counter, argc);'
	native log "marks, logs" 'SYSCAP_LOG(SYSCAP_INFO, "app", argv[0]);'
	native ids "marks and counters by id" \
		'syscap_mark_by_id(syscap_mark_id(argv[0], "x"), 0, 0, "");
		syscap_counter_get(argv[0], "x", "", 0);'
	native file "marks, embedded files" 'syscap_file(argv[0], "x", 1);'
	native start "marks, syscap_start()" \
		'struct syscap_options o = { .size = sizeof(o) };
		syscap_start(&o);'
	native snapshot "marks, syscap_snapshot()" 'syscap_snapshot(argv[0]);'
	native names "marks, names that stand for addresses" \
		'return (int)syscap_jit_intern(argv[0], 1);'
	native allocation "marks, allocations with stacks of your own" \
		'syscap_allocation(1, 1, (void *)argv[1], 0);'
	native backtrace "marks, syscap_backtrace()" \
		'uint64_t at[9]; return syscap_backtrace(at, 9, 0);'
	native system "marks, what the kernel counts" \
		'return syscap_system_counters_choose("");'
	native sampler "marks, the sampler, providers of stacks" \
		'return syscap_sampler_stop();'
}

if [ "${3:-}" = table ]; then
	echo "| what a program uses | adds to text and data | to bss |"
	echo "|---|---|---|"
	all | awk '{
		text = $2
		bss = $3
		$1 = $2 = $3 = ""
		sub(/^ */, "")
		printf "| %s | %.0f KiB | %.1f KiB |\n", $0, text / 1024, \
			bss / 1024
	}'
else
	all
fi
