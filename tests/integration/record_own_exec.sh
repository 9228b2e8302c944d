#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_own_exec.sh - execl() does not call a program's own execv(), as without
# syscap.
set -eu
: "${SYSCAP:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >own.c <<'END'
#include <unistd.h>
int execv(const char *path, char *const argv[])
{
	static int n;
	if (n++ != 0)
		_exit(99);
	return execl(path, argv[0], argv[1], (char *)0);
}
int main(void)
{
	char *argv[] = { "echo", "fine", 0 };
	execv("/bin/echo", argv);
	return 1;
}
END
"${CC:-cc}" -w -o own own.c
for options in --sample --memory '--io --stalls'; do
	# shellcheck disable=SC2086 # they are words
	said=$("$SYSCAP" record -q $options -o x.syscap -- ./own)
	[ "$said" = fine ] || { echo "FAIL: $options: $said"; exit 1; }
done
