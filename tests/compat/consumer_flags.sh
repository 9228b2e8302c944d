#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# consumer_flags.sh - programs that include syscap's sysprof headers build with
# the warnings that GLib, GTK 4, GJS and Mutter turn into errors.
#
# The programs include the headers by -I, not as system headers, so a warning in
# a header is an error of the program.
#
# Reads SYSCAP_SOURCE (the tree), CC and CXX.
set -eu
cc=${CC:-cc}
include=$SYSCAP_SOURCE/include/sysprof-6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

common="-O2 -Wall -Wextra -Wpedantic -Wformat=2 -Wundef -Wshadow \
	-Wpointer-arith -Wredundant-decls -Wwrite-strings -Wcast-align \
	-Wlogical-op -Wduplicated-branches -Wduplicated-cond \
	-Wmissing-declarations -Wmissing-format-attribute -Wmissing-noreturn \
	-Wignored-qualifiers -Wimplicit-fallthrough -Wmisleading-indentation \
	-Wstrict-aliasing -Wnonnull -Wuninitialized -Wswitch-enum \
	-Wswitch-default -Werror -Wno-error=pedantic -Wno-unused-parameter \
	-Wno-variadic-macros -Wno-pedantic"
only_c="-Wmissing-prototypes -Wstrict-prototypes -Wnested-externs \
	-Wold-style-definition -Wdeclaration-after-statement \
	-Wimplicit-function-declaration -Wpointer-sign"

# Uses of the headers by each program
cat >"$work/uses.c" <<'END'
#include <sysprof-capture.h>

#include <stdarg.h>

extern void uses_mark(const char *message, ...)
	__attribute__((__format__(__printf__, 1, 2)));
extern void uses_all(void);

void uses_mark(const char *message, ...)
{
	va_list arguments;

	va_start(arguments, message);
	sysprof_collector_mark_vprintf(SYSPROF_CAPTURE_CURRENT_TIME, 0, "group",
	                               "name", message, arguments);
	va_end(arguments);
}

void uses_all(void)
{
	SysprofCaptureCounter counter = { .id = 0 };
	SysprofCaptureCounterValue value = { .v64 = 1 };
	unsigned int id = sysprof_collector_request_counters(1);

	if (!sysprof_collector_is_active())
		return;
	counter.id = id;
	sysprof_collector_define_counters(&counter, 1);
	sysprof_collector_set_counters(&id, &value, 1);
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, "g", "n", NULL);
	sysprof_collector_mark_printf(0, 0, "g", "n", "%d of %s", 1, "some");
	sysprof_collector_mark_printf(0, 0, "g", "n", "none");
	sysprof_collector_log(0, "domain", "message");
	sysprof_collector_log_printf(0, "domain", "%d", 1);
	uses_mark("%u", id);
}
END
sed 's/ = { \.id = 0 }/{}/; s/ = { \.v64 = 1 }/{}/' "$work/uses.c" \
	>"$work/uses.cc"

# compiles COMPILER FLAG...; unknown flags are ignored
compiles() {
	"$@" -I"$include" -Wno-unknown-warning-option -c -o "$work/object" \
		2>"$work/said" && return
	echo "failed: $*"
	cat "$work/said"
	exit 1
}
for header in "$include"/*.h; do
	printf '#include <%s>\n' "$(basename "$header")"
done >"$work/each.c"
sed 1i'extern int is_not_empty;' "$work/each.c" >"$work/each.cc"
for standard in gnu99 gnu11 gnu17; do
	for file in each uses; do
		# shellcheck disable=SC2086 # words they are
		compiles "$cc" -std=$standard $common $only_c "$work/$file.c"
	done
done
[ -n "${CXX:-}" ] || { echo "left out: C++, for there is no compiler"; exit 0; }
for standard in c++17 c++20 gnu++11; do
	for file in each uses; do
		# shellcheck disable=SC2086
		compiles "$CXX" -std=$standard $common -fno-rtti \
			"$work/$file.cc"
	done
done
