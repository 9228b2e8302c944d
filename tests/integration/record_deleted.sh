#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_deleted.sh - names of libraries without a file, for an ordinary user.
# The libraries are deleted at once, in a memfd, or have text in anonymous
# memory.
set -eu
: "${SYSCAP:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >plug.c <<'END'
volatile unsigned long sink;
__attribute__((noinline)) void native_work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i * 3;
}
void run(unsigned n)
{
	native_work(n);
	sink++;
}
END
cat >host.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>
static int move(struct dl_phdr_info *info, size_t size, void *name)
{
	if (strstr(info->dlpi_name, name) == NULL)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
		char *const at =
			(char *)((info->dlpi_addr + p->p_vaddr) & -4096UL);
		const size_t n = (p->p_memsz + 4095) & -4096UL;
		char *copy;
		if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
			continue;
		copy = mmap(NULL, n, PROT_READ | PROT_WRITE,
		            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(copy, at, n);
		mprotect(copy, n, PROT_READ | PROT_EXEC);
		mremap(copy, n, n, MREMAP_FIXED | MREMAP_MAYMOVE, at);
	}
	return 1;
}
int main(int argc, char **argv)
{
	char path[64] = "./native-XXXXXX";
	const int in = open("libnative.so", O_RDONLY);
	int out;
	if (strcmp(argv[1], "memfd") == 0) {
		out = memfd_create("native", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", out);
	} else {
		out = mkstemp(path);
	}
	sendfile(out, in, 0, 1 << 24);
	void *const library = dlopen(path, RTLD_NOW);
	if (library == NULL)
		return 3;
	close(out);
	if (strcmp(argv[1], "deleted") == 0)
		unlink(path);
	if (strcmp(argv[1], "moved") == 0)
		dl_iterate_phdr(move, "/native-");
	void (*const run)(unsigned) = (void (*)(unsigned))dlsym(library, "run");
	while (clock() < CLOCKS_PER_SEC)
		run(1000000);
	return 0;
}
END
cc=${CC:-cc}
"$cc" -O1 -w -fPIC -shared -o libnative.so plug.c
"$cc" -O1 -w -o host host.c -ldl

# Root may open a mapping's deleted file
as=
if [ "$(id -u)" = 0 ]; then
	if ! command -v setpriv >/dev/null; then
		echo "skip: there is no setpriv"
		exit 77
	fi
	chmod 777 "$dir"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all"
	if ! $as "$SYSCAP" --version >/dev/null 2>&1; then
		echo "skip: another user can't run $SYSCAP"
		exit 77
	fi
fi
# Without that right there are no names
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -gt 1 ]; then
	echo "skip: processes may not read their children's memory"
	exit 77
fi
for how in deleted memfd moved; do
	$as "$SYSCAP" record -q --sample -o "$how.syscap" -- ./host "$how"
	"$SYSCAP" check "$how.syscap" >/dev/null
	"$SYSCAP" export -f folded -o - "$how.syscap" 2>/dev/null >seen
	grep -q 'main;run;native_work ' seen || {
		cat seen
		echo "FAIL: $how: the library has no names"
		exit 1
	}
done
