#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh LIBRARY - check that libsyscap.a needs only symbols in symbols.txt,
# which may not contain functions that allocate, lock or format with a lock.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$1

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
{
	sed 's/^/list /' "$here/symbols.txt"
	nm -g "$library" | sed 's/^/nm /'
} | awk '
function complain(text) { print text; bad = 1 }
$1 == "list" {
	sub(/#.*/, "")
	for (i = 2; i <= NF; i++)
		may[$i] = 1
	next
}
NF == 2 { member = $2 }
NF == 3 && $2 ~ /^[Uwv]$/ { needs[$3] = needs[$3] " " member }
NF == 4 { defined[$4] = 1 }
END {
	n = split("malloc calloc realloc free reallocarray strdup " \
		  "pthread_mutex_lock pthread_rwlock_rdlock " \
		  "pthread_rwlock_wrlock pthread_once printf fprintf " \
		  "dprintf vprintf vfprintf vdprintf sprintf snprintf " \
		  "__tls_get_addr abort __assert_fail", never, " ")
	for (i = 1; i <= n; i++)
		if (never[i] in may)
			complain("symbols.txt may not list " never[i])
	for (symbol in needs)
		if (!(symbol in defined) && !(symbol in may))
			complain("not in symbols.txt: " symbol ", needed by" needs[symbol])
	exit bad
}'
