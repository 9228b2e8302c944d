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

# archive: libsyscap.a of all that is planted in src/, and its $objects
archive() {
	built=$tree/CMakeFiles/syscap.dir
	rm -rf "$tree/lib.a" "$built"
	(cd "$tree/src" && find . -name '*.c' | sed 's,^./,,') |
	while read -r file; do
		mkdir -p "$built/$(dirname "$file")"
		"$cc" -O2 -fPIC -I"$tree/include" -I"$tree/src" \
			-c "$tree/src/$file" -o "$built/$file.o"
	done
	find "$built" -name '*.o' | xargs ar rc "$tree/lib.a"
	objects=$(find "$built" -name '*.o' | tr '\n' ';')
	objects=${objects%;}
}

all() {
	archive
	for lint in layers spdx paths executable format; do
		must "$1" "$lint" "$tree"
	done
	must "$1" names "$tree/lib.a"
	must "$1" symbols "$tree/lib.a"
	must "$1" signal "$tree/lib.a" "$tree"
	must "$1" alone "$objects" "$tree"
	must "$1" circles "$objects" "$tree"
}

mkdir -p "$tree/tests/lint" "$tree/include/syscap"
cp "$here"/*.sh "$here"/*.awk "$here"/*.txt "$tree/tests/lint/"
cp "$here/../../.clang-format" "$tree/"
rm "$tree/tests/lint/planted.sh"
: >"$tree/tests/lint/tests.txt"
plant src/base/text.h <<'END'
void syc_text_copy(char *to, const char *from);
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
plant src/emit/mark.c <<'END'
#include <syscap.h>

#include "base/text.h"

void syscap_mark(void)
{
	syc_text_copy(0, 0);
}
END
plant src/base/text.c <<'END'
/* text.c - Signal-safe. */
#include "base/text.h"

#include <string.h>

void syc_text_copy(char *to, const char *from)
{
	memcpy(to, from, strlen(from));
}
END
all pass

plant src/base/up.c <<'END'
#include "emit/mark.h"
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

plant tests/emit/test_mark_name.c </dev/null
must pass tests "$tree"
plant tests/emit/test_text.c </dev/null
must fail tests "$tree"
echo 'emit/test_text.c # a reason' >>"$tree/tests/lint/tests.txt"
must pass tests "$tree"
plant src/emit/text.c </dev/null
must fail tests "$tree"
rm "$tree/src/emit/text.c" "$tree/tests/emit/test_text.c"
must fail tests "$tree"
rm -r "$tree/tests/emit"
: >"$tree/tests/lint/tests.txt"

mkdir -p "$tree/docs"
printf '`base/text`\n## The life of an event\n`emit/mark`, `syc_text_copy`\n' \
	>"$tree/docs/architecture.md"
must pass architecture "$tree"
echo '`syc_text_moved`' >>"$tree/docs/architecture.md"
must fail architecture "$tree"
echo '`emit/moved`' >"$tree/docs/architecture.md"
must fail architecture "$tree"

mkdir -p "$tree/tests/emit"
: >"$tree/tests/emit/test_fork.c"
cat >"$tree/docs/contexts.md" <<'END'
| context | what happens | test |
|---|---|---|
| **fork** | Both emit. | emit.fork (twice), fork_whole |
| **exec** | Nothing. | none: nothing is there, or was |

text
END
must pass tested "$tree"
sed 's/fork_whole/exec/' "$tree/docs/contexts.md" >"$tree/docs/other"
mv "$tree/docs/other" "$tree/docs/contexts.md"
must fail tested "$tree"
sed 's/ emit.fork.*/ |/' "$tree/docs/contexts.md" >"$tree/docs/other"
mv "$tree/docs/other" "$tree/docs/contexts.md"
must fail tested "$tree"
rm -r "$tree/docs" "$tree/tests/emit"

echo 'int x;' >"$tree/src/base/bare.c"
must fail spdx "$tree"
rm "$tree/src/base/bare.c"

# The first line of those that are only sourced names none
echo '# SPDX-License-Identifier: BSD-2-Clause' >"$tree/tests/to_source.sh"
must pass executable "$tree"
echo '#!/bin/sh' >"$tree/tests/to_run.sh"
must fail executable "$tree"
rm "$tree"/tests/to_*.sh

echo "see /""home/me/notes" >"$tree/README.md"
must fail paths "$tree"
rm "$tree/README.md"

printf 'int  syc_wide ;\n' | plant src/base/wide.c
must fail format "$tree"
plant src/base/wide.c <<'END'
#include "base/text.h"

#include <string.h>
END
must fail format "$tree"
rm "$tree/src/base/wide.c"

echo 'int helper;' | plant src/base/name.c
archive
must fail names "$tree/lib.a"
rm "$tree/src/base/name.c"

plant src/base/forgotten.c <<'END'
int syc_forgotten_get(void);
int syc_forgotten_get(void) { return 1; }
END
archive
must fail alone "$objects" "$tree"
echo 'syc_forgotten_get # a reason' >>"$tree/tests/lint/alone.txt"
must pass alone "$objects" "$tree"
rm "$tree/src/base/forgotten.c"

# A layer above, by its symbol alone
plant src/base/up.c <<'END'
void syscap_mark(void);
void syc_up_call(void);
void syc_up_call(void) { syscap_mark(); }
END
archive
must fail circles "$objects" "$tree"
rm "$tree/src/base/up.c"
archive
must pass circles "$objects" "$tree"

# One name, two static functions
mkdir -p "$tree/src/base"
: >"$tree/tests/lint/statics.txt"
for name in a b; do
	plant src/base/$name.c <<'END'
static int
settle(int n)
{
	return n;
}
END
done
must fail statics "$tree"
echo 'settle # the same idea' >"$tree/tests/lint/statics.txt"
must pass statics "$tree"
rm "$tree/src/base/b.c"
must fail statics "$tree"
: >"$tree/tests/lint/statics.txt"
must pass statics "$tree"
rm "$tree/src/base/a.c"

# Two files of one layer, by symbols
plant src/base/other.c <<'END'
#include "base/text.h"
void syc_other_call(void);
void syc_other_call(void) { syc_text_copy(0, 0); }
END
archive
must pass circles "$objects" "$tree"
cp "$tree/src/base/text.c" "$tree/text.c"
cat >>"$tree/src/base/text.c" <<'END'
void syc_other_call(void);
void syc_text_call(void);
void syc_text_call(void) { syc_other_call(); }
END
archive
must fail circles "$objects" "$tree"
mv "$tree/text.c" "$tree/src/base/text.c"
archive
must pass circles "$objects" "$tree"
# ... and by a header
plant src/base/other.h <<'END'
END
must pass circles "$objects" "$tree"
cp "$tree/src/base/text.h" "$tree/text.h"
echo '#include "base/other.h"' >>"$tree/src/base/text.h"
must fail circles "$objects" "$tree"
mv "$tree/text.h" "$tree/src/base/text.h"
rm "$tree/src/base/other.c" "$tree/src/base/other.h"
# In the tools as well
plant src/cli/one.c <<'END'
void syc_two_call(void);
void syc_one_call(void);
void syc_one_call(void) { syc_two_call(); }
END
plant src/cli/two.c <<'END'
void syc_one_call(void);
void syc_two_call(void);
void syc_two_call(void) { syc_one_call(); }
END
archive
must fail circles "$objects" "$tree"
rm -r "$tree/src/cli"
archive

plant src/emit/heap.c <<'END'
#include <stdlib.h>
void *syc_heap_get(void);
void *syc_heap_get(void) { return malloc(8); }
END
archive
must fail symbols "$tree/lib.a"
# Allowed where no handler comes ...
must pass signal "$tree/lib.a" "$tree"
echo malloc >>"$tree/tests/lint/symbols.txt"
must fail symbols "$tree/lib.a"
# ... nor a table that handlers may call through
plant src/emit/heap_table.c <<'END'
void *syc_heap_get(void);
struct syc_heap_table { void *(*get)(void); };
extern const struct syc_heap_table syc_heap_table;
const struct syc_heap_table syc_heap_table = { .get = syc_heap_get };
END
archive
must fail signal "$tree/lib.a" "$tree"
echo pointer syc_heap_get >>"$tree/tests/lint/signal.txt"
must pass signal "$tree/lib.a" "$tree"
rm "$tree/src/emit/heap_table.c"
# ... and the way there may lead through another file and a cold branch.
plant src/base/text.c <<'END'
void *syc_heap_get(void);
void syc_text_copy(char *to, const char *from);
static __attribute__((cold, noinline)) void slow(void) { syc_heap_get(); }
void syc_text_copy(char *to, const char *from)
{
	if (__builtin_expect(to != from, 0))
		slow();
}
END
archive
must fail signal "$tree/lib.a" "$tree"
exit $failed
