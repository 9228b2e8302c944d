#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_sanitized.sh - programs with sanitizers start, are sampled, and end as
# without `syscap record`: as the command, as a child with its own options, and
# with all collectors.
set -eu
: "${SYSCAP:?}"
source=$(cd "$(dirname "$0")" && pwd)/record_sanitized.c
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset ASAN_OPTIONS LSAN_OPTIONS LD_PRELOAD

fail() {
	echo "$*"
	cat said
	exit 1
}

# build NAME FLAG... - false: compiler not installed
build() {
	name=$1
	shift
	"$@" -g -O1 -pthread "$source" -o "$name" 2>said && ./"$name" 2>said
}

samples() {
	"$SYSCAP" dump --type=sample x.syscap | wc -l
}

# run STATUS OPTION... -- COMMAND... - COMMAND must end with STATUS
run() {
	wanted=$1
	shift
	status=0
	"$SYSCAP" record --force -o x.syscap "$@" >said 2>&1 || status=$?
	[ $status = "$wanted" ] || fail "$*: $status, not $wanted"
}

# try NAME LEAKS [OPTION...] - LEAKS: the exit status for leaks
try() {
	name=$1 leaks=$2
	shift 2
	# Sample by wall time: on a busy machine, few ticks by processor time
	# arrive
	run 0 "$@" --sample=1000,wall ./"$name"
	[ "$(samples)" -gt 0 ] || [ "$name" = memory ] ||
		fail "$name $*: no samples"
	run "$leaks" --sample "$@" ./"$name" leak
}

all='--sample --memory=mmap --io --stalls --logs'
build plain gcc -fsanitize=address || {
	echo "skip: gcc cannot build with -fsanitize=address"
	exit 77
}
for options in '' --io --memory "$all"; do
	try plain 1 $options
	grep -q '1 process has AddressSanitizer' said || fail 'not reported'
done
grep -q "AddressSanitizer replaces the allocator" said || fail 'why not reported'

# Options of the program and of the caller are kept
build own gcc -fsanitize=address -DOWN_DEFAULTS || fail own
try own 44
ASAN_OPTIONS=exitcode=45 try own 45 --memory

# A child that replaces the options
run 46 --sample --memory sh -c 'ASAN_OPTIONS=exitcode=46 ./plain leak; exit $?'
grep -q '1 process has AddressSanitizer' said || fail 'child: not reported'

build leaks gcc -fsanitize=leak && try leaks 23 $all
build bounds gcc -fsanitize=undefined && try bounds 0 $all
# ThreadSanitizer ends a program with 66 at a race, also in syscap
build races gcc -fsanitize=thread && try races 0 $all &&
	run 0 --sample=10000,wall ./races && run 0 --sample=10000,wall ./races
command -v clang-14 >/dev/null || exit 0
# MemorySanitizer blocks signals in threads that it starts: there may be few
# samples
build static clang-14 -fsanitize=address && try static 1 $all
build memory clang-14 -fsanitize=memory && try memory 0 $all
libraries=$(clang-14 -print-resource-dir 2>/dev/null)/lib/linux
LD_LIBRARY_PATH=$libraries
export LD_LIBRARY_PATH
build shared clang-14 -fsanitize=address -shared-libsan && try shared 1 $all
exit 0
