# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# needed.sh - for scripts that build the library by another compiler: lists the
# files that a program of part.c takes from the archive, less than half of all.

# needed LIBRARY WORK: prints those files of src/ as "layer/file"
needed() {
	cat >"$2/uses.c" <<'END'
#include "copies/part.c"
int main(void) { return part_get() == NULL; }
END
	"${CC:-cc}" -std=gnu11 -w -DPART_NAME='""' -I"$SYSCAP_SOURCE/include" \
		-I"$SYSCAP_SOURCE/src" -I"$SYSCAP_SOURCE/tests" "$2/uses.c" \
		"$1" -o "$2/uses" -pthread -ldl -Wl,-M >"$2/map"
	# Files of these layers have different names
	sed -n 's/^.*libsyscap\.a(\(.*\)\.c\.o)$/\1/p' "$2/map" | sort -u \
		>"$2/members"
	for layer in base os copies ring emit collect session stack sample; do
		for file in "$SYSCAP_SOURCE/src/$layer"/*.c; do
			file=$(basename "$file" .c)
			! grep -qx "$file" "$2/members" || echo "$layer/$file"
		done
	done
}
