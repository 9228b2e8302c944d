#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lines_missing.sh RECORD_SELF - without libdw, --lines reports the missing
# library at once, and changes nothing else.
set -eu
: "${SYSCAP:?names the binary to test}"
record_self=$1
command -v "${CC:-cc}" >/dev/null || { echo "skip: no compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }

cat >hide.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int) =
		(void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
	return name && strstr(name, "libdw.so") ? NULL : next(name, flags);
}
EOF
"${CC:-cc}" -shared -fPIC -o hide.so hide.c
export LD_PRELOAD="$work/hide.so"
"$record_self" plain.syscap >wanted
cp plain.syscap before.syscap
for command in "symbolize --lines plain.syscap" \
	"record --lines -o new.syscap -- touch ran"; do
	status=0
	# shellcheck disable=SC2086
	"$SYSCAP" $command >out 2>err || status=$?
	[ $status = 2 ] || fail "$command: status $status"
	grep -q -- '--lines: .*libdw' err || fail "no message: $(cat err)"
	cmp plain.syscap before.syscap
	[ ! -e new.syscap ] && [ ! -e ran ] || fail "it was recorded"
done
"$SYSCAP" symbolize -q plain.syscap
"$SYSCAP" dump plain.syscap | grep -q '"record_alpha"+' || fail "no names"
