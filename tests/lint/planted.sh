#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# planted.sh - every lint of this folder notices what it is there for.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset SYSCAP_SANITIZE
failed=0

# must pass|fail LINT ARGUMENTS...; a lint that cannot run here may skip.
must() {
	want=$1 lint=$2 got=pass
	shift 2
	"$tree/tests/lint/$lint.sh" "$@" >"$tree/out" 2>&1 ||
		{ [ $? = 77 ] && got=$want || got=fail; }
	[ $got = "$want" ] && return
	echo "$lint: $got, not $want"
	cat "$tree/out"
	failed=1
}

# plant FILE: takes the file from stdin, behind a proper first line.
plant() {
	mkdir -p "$(dirname "$tree/$1")"
	{ echo '/* SPDX-License-Identifier: BSD-2-Clause */'; cat; } >"$tree/$1"
}

# archive: libsyscap.a of all that is planted in src/
archive() {
	rm -rf "$tree/lib.a" "$tree/objects"
	mkdir "$tree/objects"
	find "$tree/src" -name '*.c' | while read -r file; do
		"$cc" -O2 -fPIC -I"$tree/include" -I"$tree/src" -c "$file" \
			-o "$tree/objects/$(basename "$file").o"
	done
	ar rc "$tree/lib.a" "$tree"/objects/*.o
}

all() {
	archive
	for lint in layers spdx paths format; do
		must "$1" "$lint" "$tree"
	done
	must "$1" symbols "$tree/lib.a"
	must "$1" signal "$tree/lib.a" "$tree"
	must "$1" alone "$tree/lib.a;$tree/objects/mark.c.o" "$tree"
}

mkdir -p "$tree/tests/lint" "$tree/include/syscap"
cp "$here"/*.sh "$here"/*.awk "$here"/*.txt "$tree/tests/lint/"
cp "$here/../../.clang-format" "$tree/"
rm "$tree/tests/lint/planted.sh"
: >"$tree/tests/lint/tests.txt"
plant src/base/text.h <<'END'
void sc_text_copy(char *to, const char *from);
END
plant include/syscap.h <<'END'
/**
 * Say that something happened.
 *
 * Context: any-thread,
 * signal-safe.
 */
void syscap_mark(void);
END
plant src/client/mark.c <<'END'
#include "base/text.h"

#include <syscap.h>

void syscap_mark(void)
{
	sc_text_copy(0, 0);
}
END
plant src/base/text.c <<'END'
/* text.c - Signal-safe. */
#include "base/text.h"

#include <string.h>

void sc_text_copy(char *to, const char *from)
{
	memcpy(to, from, strlen(from));
}
END
all pass

plant src/base/up.c <<'END'
#include "client/mark.h"
END
must fail layers "$tree"
plant src/base/up.c <<'END'
#include "text.h"
END
must fail layers "$tree"
rm "$tree/src/base/up.c"
plant include/syscap/inside.h <<'END'
#include "base/text.h"
END
must fail layers "$tree"
rm "$tree/include/syscap/inside.h"
plant src/nowhere/new.c </dev/null
must fail layers "$tree"
rm -r "$tree/src/nowhere"

plant tests/client/test_mark_name.c </dev/null
must pass tests "$tree"
plant tests/client/test_text.c </dev/null
must fail tests "$tree"
echo 'client/test_text.c # a reason' >>"$tree/tests/lint/tests.txt"
must pass tests "$tree"
plant src/client/text.c </dev/null
must fail tests "$tree"
rm "$tree/src/client/text.c" "$tree/tests/client/test_text.c"
must fail tests "$tree"
rm -r "$tree/tests/client"
: >"$tree/tests/lint/tests.txt"

echo 'int x;' >"$tree/src/base/bare.c"
must fail spdx "$tree"
rm "$tree/src/base/bare.c"

echo "see /""home/me/notes" >"$tree/README.md"
must fail paths "$tree"
rm "$tree/README.md"

printf 'int  sc_wide ;\n' | plant src/base/wide.c
must fail format "$tree"
rm "$tree/src/base/wide.c"

echo 'int helper;' | plant src/base/name.c
archive
must fail symbols "$tree/lib.a"
rm "$tree/src/base/name.c"

plant src/base/forgotten.c <<'END'
int sc_forgotten_get(void);
int sc_forgotten_get(void) { return 1; }
END
archive
must fail alone "$tree/lib.a" "$tree"
echo 'sc_forgotten_get # a reason' >>"$tree/tests/lint/alone.txt"
must pass alone "$tree/lib.a" "$tree"
rm "$tree/src/base/forgotten.c"

mkdir -p "$tree/o/base" "$tree/o/client"
"$cc" -I"$tree/include" -I"$tree/src" -c "$tree/src/client/mark.c" \
	-o "$tree/o/client/mark.c.o"
echo 'void syscap_mark(void); void sc_up(void); void sc_up(void) { syscap_mark(); }' |
	"$cc" -xc -c - -o "$tree/o/base/up.c.o"
must pass upward "$tree/o/client/mark.c.o" "$tree"
must fail upward "$tree/o/base/up.c.o;$tree/o/client/mark.c.o" "$tree"
echo 'syscap_mark base # a reason' >>"$tree/tests/lint/upward.txt"
must pass upward "$tree/o/base/up.c.o;$tree/o/client/mark.c.o" "$tree"

plant src/client/heap.c <<'END'
#include <stdlib.h>
void *sc_heap_get(void);
void *sc_heap_get(void) { return malloc(8); }
END
archive
must fail symbols "$tree/lib.a"
# Allowed where no handler comes ...
must pass signal "$tree/lib.a" "$tree"
echo malloc >>"$tree/tests/lint/symbols.txt"
must fail symbols "$tree/lib.a"
# ... and the way there may lead through another file and a cold branch.
plant src/base/text.c <<'END'
void *sc_heap_get(void);
void sc_text_copy(char *to, const char *from);
static __attribute__((cold, noinline)) void slow(void) { sc_heap_get(); }
void sc_text_copy(char *to, const char *from)
{
	if (__builtin_expect(to != from, 0))
		slow();
}
END
archive
must fail signal "$tree/lib.a" "$tree"
exit $failed
