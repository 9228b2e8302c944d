#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# headers.sh [whole] - the drop-in's headers, included like in callers: each
# alone, in C and C++, with every installed compiler.  Without "whole" each
# compiler has one standard of the language, at random.
#
# Reads SYSCAP_SOURCE (the tree).
set -eu
form=${1:-}
here=$(cd "$(dirname "$0")" && pwd)
tree=${SYSCAP_SOURCE:-$here/../..}
headers=$tree/include/sysprof-6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "headers.sh: $*"
	exit 1
}

c_compilers=
for compiler in gcc clang; do
	! command -v $compiler >/dev/null || c_compilers="$c_compilers $compiler"
done
[ -n "$c_compilers" ] || c_compilers=${CC:-cc}
cxx_compilers=
for compiler in g++ clang++; do
	! command -v $compiler >/dev/null ||
		cxx_compilers="$cxx_compilers $compiler"
done
echo "with$c_compilers$cxx_compilers"

# --- the directory, which is on the command line of every GLib program

wanted="sysprof-address.h sysprof-capture-condition.h sysprof-capture-cursor.h
sysprof-capture-reader.h sysprof-capture-types.h sysprof-capture-writer.h
sysprof-capture.h sysprof-clock.h sysprof-collector.h sysprof-macros.h
sysprof-platform.h sysprof-version-macros.h sysprof-version.h"
for header in $wanted; do
	[ -f "$headers/$header" ] || fail "there is no $header"
done
for file in "$headers"/* "$headers"/.[!.]*; do
	[ -e "$file" ] || continue
	case ${file##*/} in
	sysprof-*) ;;
	*) fail "$file may hide a header of another library" ;;
	esac
done
found=$(grep -hoE '^ *# *define +[A-Za-z_0-9]+' "$headers"/*.h |
	grep -vE ' _?SYSPROF_[A-Z0-9_]+$' || true)
[ -z "$found" ] || fail "a macro lacks the library's prefix: $found"

# --- each alone, twice

# alone COMPILER LANGUAGE STANDARD AS: -isystem, a system header; -I, one's own
alone() {
	for header in "$headers"/*.h; do
		name=${header##*/}
		printf '#include <%s>\n#include <%s>\nextern int one;\n' \
			"$name" "$name" >one
		"$1" -x "$2" -std="$3" -Wall -Wextra -pedantic -Werror \
			"$4" "$headers" -fsyntax-only one ||
			fail "$1 -std=$3 $4: $name"
	done
}

# standards STANDARD... - all standards, or one
standards() {
	if [ "$form" = whole ]; then
		echo "$@"
	else
		shuf -n 1 -e "$@"
	fi
}

# Warnings depend on the standard, except in a system header
for compiler in $c_compilers; do
	alone "$compiler" c gnu11 -isystem
	for standard in $(standards gnu11 gnu17 c11); do
		alone "$compiler" c $standard -I
	done
done
for compiler in $cxx_compilers; do
	alone "$compiler" c++ c++11 -isystem
	for standard in $(standards c++11 c++14 c++17 c++20); do
		alone "$compiler" c++ $standard -I
	done
done

# --- uses by callers

# compiles FLAG... <CODE: in C, all compilers; the output is in "said"
compiles() {
	cat >code.c
	for compiler in $c_compilers; do
		"$compiler" -std=gnu11 -Wall -Wextra -Werror -I "$headers" \
			-I "$tree/include" "$@" -fsyntax-only code.c \
			2>>said || return 1
	done
}

must_compile() {
	what=$1
	shift
	: >said
	compiles "$@" || {
		cat said
		fail "$what"
	}
}

must_not_compile() {
	what=$1
	shift
	: >said
	! compiles "$@" || fail "$what: but it compiles"
}

# elfutils, which includes the header with others
must_compile "types of later frames can be added" <<'CODE'
#include <sysprof-6/sysprof-capture-types.h>
#if SYSPROF_CAPTURE_FRAME_LAST < 19
#undef SYSPROF_CAPTURE_FRAME_LAST
#define SYSPROF_CAPTURE_FRAME_STACK_USER 18
#define SYSPROF_CAPTURE_FRAME_LAST 19
SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint64_t size;
	int32_t tid;
	uint32_t padding;
	uint8_t data[0];
} SysprofCaptureStackUser SYSPROF_ALIGNED_END(1);
SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	uint32_t n_regs;
	uint32_t abi;
	uint64_t regs[0];
} SysprofCaptureUserRegs SYSPROF_ALIGNED_END(1);
#endif
#if SYSPROF_CAPTURE_FRAME_LAST != 19
#error
#endif
_Static_assert(sizeof(SysprofCaptureStackUser) == 40, "");
CODE

# Mesa includes only these headers.
must_compile "sysprof-collector.h brings the clock" <<'CODE'
#include <sysprof-collector.h>
SysprofTimeStamp begin(void);
void end(SysprofTimeStamp begin);
SysprofTimeStamp begin(void)
{
	return SYSPROF_CAPTURE_CURRENT_TIME;
}
void end(SysprofTimeStamp begin)
{
	sysprof_collector_mark(begin, SYSPROF_CAPTURE_CURRENT_TIME - begin,
		"group", "name", NULL);
}
CODE

# Mutter
must_compile "sysprof-capture-writer.h and sysprof-clock.h are enough" <<'CODE'
#include <sysprof-capture-writer.h>
#include <sysprof-clock.h>
SysprofCaptureWriter *start(const char *name);
SysprofCaptureWriter *start(const char *name)
{
	sysprof_clock_init();
	return sysprof_capture_writer_new(name, 4096 * 4);
}
CODE

use_overlay() {
	cat <<'CODE'
#include <sysprof-capture.h>
bool use(SysprofCaptureWriter *writer);
bool use(SysprofCaptureWriter *writer)
{
	return sysprof_capture_writer_add_overlay(writer, 0, 0, 0, 0, "", "");
}
CODE
}
use_overlay | must_compile "all is allowed"
use_overlay | must_compile "what is old enough is allowed" \
	-DSYSPROF_VERSION_MIN_REQUIRED=SYSPROF_VERSION_3_38 \
	-DSYSPROF_VERSION_MAX_ALLOWED=SYSPROF_VERSION_3_40
use_overlay | must_not_compile "what is newer than allowed is warned of" \
	-DSYSPROF_VERSION_MIN_REQUIRED=SYSPROF_VERSION_3_38 \
	-DSYSPROF_VERSION_MAX_ALLOWED=SYSPROF_VERSION_3_38
grep -q 'Not available before 3.40' said || fail "the warning does not name the newer release"
use_overlay | must_compile "that warning can be switched off" \
	-DSYSPROF_VERSION_MIN_REQUIRED=SYSPROF_VERSION_3_38 \
	-DSYSPROF_VERSION_MAX_ALLOWED=SYSPROF_VERSION_3_38 \
	-DSYSPROF_DISABLE_DEPRECATION_WARNINGS
use_overlay | must_not_compile "a maximum below the minimum is refused" \
	-DSYSPROF_VERSION_MIN_REQUIRED=SYSPROF_VERSION_3_40 \
	-DSYSPROF_VERSION_MAX_ALLOWED=SYSPROF_VERSION_3_38
use_overlay | must_not_compile "a minimum below 3.34 is refused" \
	-DSYSPROF_VERSION_MIN_REQUIRED=0x03200000
use_overlay | must_compile "declarations can be prefixed" \
	'-D_SYSPROF_EXTERN=extern __attribute__((visibility("hidden")))'

# --- WebKit reads the release out of the text

for part in MAJOR:51 MINOR:0 MICRO:0; do
	got=$(sed -nE "s/^#define[ 	]+SYSPROF_${part%:*}_VERSION[ 	]+\(([0-9]+)\).*/\1/p" \
		"$headers/sysprof-version.h")
	[ "$got" = "${part#*:}" ] ||
		fail "the text gives ${part%:*} as '$got', not ${part#*:}"
done

# --- names in C++

{
	printf '#include <sysprof-capture.h>\n'
	printf 'extern void (*const functions[])();\n'
	printf 'void (*const functions[])() = {\n'
	awk '$1 == "function" || $1 == "inline" {
		match($0, /[a-z_0-9]+ \(/)
		name = substr($0, RSTART, RLENGTH - 2)
		print "\treinterpret_cast<void (*)()>(&::" name "),"
	}' "$here/api.txt"
	printf '};\n'
	cat <<'CODE'
class Span {
public:
	explicit Span(const char *name);
	~Span();
private:
	::SysprofTimeStamp begin { SYSPROF_CAPTURE_CURRENT_TIME };
	const char *name;
};
Span::Span(const char *n) : name(n)
{
}
Span::~Span()
{
	if (!::sysprof_collector_is_active())
		return;
	::sysprof_collector_mark(begin, SYSPROF_CAPTURE_CURRENT_TIME - begin,
		"group", name, nullptr);
	::sysprof_collector_mark_printf(begin, 0, "group", name, "%d", 5);
	::sysprof_collector_log(0, "domain", "message");
	::sysprof_collector_log_printf(0, "domain", "%s", "message");
	::SysprofCaptureCounter counter = {};
	static_assert(sizeof(counter.category) == 32, "");
	counter.id = ::sysprof_collector_request_counters(1);
	counter.type = SYSPROF_CAPTURE_COUNTER_INT64;
	counter.value.v64 = 5;
	::sysprof_collector_define_counters(&counter, 1);
	unsigned id = counter.id;
	::sysprof_collector_set_counters(&id, &counter.value, 1);
	::sysprof_collector_sample(nullptr, nullptr);
	::sysprof_collector_allocate(1, 2, nullptr, nullptr);
}
CODE
} >names.cc
"$here/make_api_test.sh" >api.cc
for compiler in $cxx_compilers; do
	for standard in $(standards c++11 c++20); do
		for level in -O0 -O2; do
			"$compiler" -std=$standard -Wall -Wextra -Werror \
				$level -I "$headers" -c names.cc -o names.o ||
				fail "$compiler -std=$standard $level: names"
		done
		"$compiler" -std=$standard -Wall -Wextra -Werror \
			-I "$headers" -fsyntax-only api.cc ||
			fail "$compiler -std=$standard: the interface"
	done
done
[ -n "$cxx_compilers" ] || echo "there is no C++ compiler: only C was tried"
