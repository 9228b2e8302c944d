#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# planted.sh - test that every lint of this directory notices its planted
# faults.
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

# plant FILE: write stdin to FILE, after a valid first line.
plant() {
	mkdir -p "$(dirname "$tree/$1")"
	{ echo '/* SPDX-License-Identifier: BSD-2-Clause */'; cat; } >"$tree/$1"
}

# archive: make libsyscap.a from all planted files in src/, and set $objects
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
	must "$1" layer_symbols "$objects"
	must "$1" unwind "$objects"
}

mkdir -p "$tree/tests/lint" "$tree/include/syscap"
cp "$here"/*.sh "$here"/*.awk "$here"/*.txt "$tree/tests/lint/"
cp "$here/../../.clang-format" "$tree/"
rm "$tree/tests/lint/planted.sh"
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
printf '#ifndef SYC_%s_H\n' OTHER | plant src/base/other.h
must fail layers "$tree"
printf '#ifndef SYC_%s_H\n' BASE_OTHER | plant src/base/other.h
must pass layers "$tree"
rm "$tree/src/base/other.h"

mkdir -p "$tree/docs"
printf '`base/text`\n## Four walks\n`emit/mark`, `syc_text_copy`\n' \
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

# A number that may only stay or fall
: >"$tree/tests/lint/words.txt"
(cd "$tree" && UPDATE=1 tests/lint/words.sh)
must pass words "$tree"
plant src/base/words.c <<'END'
/* words.c - one of many. */
/* What is lost?  What is lost is counted. */
END
must fail words "$tree"
plant src/base/words.c <<'END'
/* words.c - tells. */
END
must fail words "$tree"
rm "$tree/src/base/words.c"
must pass words "$tree"

echo 'int x;' >"$tree/src/base/bare.c"
must fail spdx "$tree"
rm "$tree/src/base/bare.c"

# Files that are only sourced have no interpreter
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

# A use of a higher layer, visible only by the symbol
plant src/base/up.c <<'END'
void syscap_mark(void);
void syc_up_call(void);
void syc_up_call(void) { syscap_mark(); }
END
archive
must fail layer_symbols "$objects"
rm "$tree/src/base/up.c"
archive
must pass layer_symbols "$objects"

plant src/emit/heap.c <<'END'
#include <stdlib.h>
void *syc_heap_get(void);
void *syc_heap_get(void) { return malloc(8); }
END
archive
must fail symbols "$tree/lib.a"
# lint.signal accepts allocation in code that no handler reaches.
must pass signal "$tree/lib.a" "$tree"
echo malloc >>"$tree/tests/lint/symbols.txt"
must fail symbols "$tree/lib.a"
# lint.signal refuses allocation by a table of functions for handlers.
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
# lint.signal refuses allocation through another file and a cold branch.
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
# A file without unwind tables is only called with blocked signals, in every
# branch
no_tables() {
	archive
	"$cc" -O2 -fPIC -I"$tree/include" -I"$tree/src" \
		-fno-asynchronous-unwind-tables -fno-unwind-tables \
		-c "$tree/src/base/text.c" -o "$built/base/text.c.o"
	must "$1" unwind "$objects"
}
# mark BODY
mark() {
	plant src/emit/mark.c <<END
#include <syscap.h>
#include "base/text.h"
void syc_undisturbed_begin(void);
void syc_undisturbed_end(void);
static volatile int turns;
void syscap_mark(void) { $1 turns = 1; }
END
}
plant src/base/text.c <<'END'
void syc_text_copy(char *to, const char *from);
void syc_text_copy(char *to, const char *from) { *to = *from; }
END
plant src/base/begin.c <<'END'
void syc_undisturbed_begin(void);
void syc_undisturbed_begin(void) { }
END
plant src/base/end.c <<'END'
void syc_undisturbed_end(void);
void syc_undisturbed_end(void) { }
END
begin='syc_undisturbed_begin();' call='syc_text_copy(0, 0);'
end='syc_undisturbed_end();'
mark "$begin $call $end"
no_tables pass
mark "$begin while (turns--) { if (turns == 9) continue; $call } $end"
no_tables pass
mark "$call"
no_tables fail
mark "$begin $end $call"
no_tables fail
mark "if (turns) $begin $call if (turns) $end"
no_tables fail
mark "$begin while (turns--) { $call $end }"
no_tables fail
mark "$begin $call if (turns) return; $end"
no_tables fail
mark "$begin $call $end turns = (int)(long)syc_text_copy;"
no_tables fail
mark "$begin $call $end"
no_tables pass
if [ "$(uname -m)" = x86_64 ]; then
	mark '__asm__ volatile("push $1; pop %%rax" : : : "rax");'
	no_tables fail
fi
plant src/base/text.c <<'END'
static int turn(void) { return 1; }
int (*syc_text_turn)(void);
void syc_text_copy(char *to, const char *from);
void syc_text_copy(char *to, const char *from)
{
	*to = *from;
	syc_text_turn = turn;
}
END
no_tables fail
exit $failed
