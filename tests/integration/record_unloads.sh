#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_unloads.sh - plug-ins loaded at the addresses of unloaded plug-ins.
# Each stack has the names of its own plug-in.
set -eu
: "${SYSCAP:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >plug.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) void WORK(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * 7;
}
__attribute__((noinline)) void *KEEP(void)
{
	void *const kept = malloc(100000);
	sink++;
	return kept;
}
void *run(unsigned long n)
{
	WORK(n);
	return KEEP();
}
END
# use_alpha() only calls alpha's functions, use_bravo() only bravo's.
cat >host.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned long work = 50000000;
static void *volatile kept[64];
static int n_kept;
static inline __attribute__((always_inline)) void *use(const char *path, int end)
{
	void *const library = dlopen(path, RTLD_NOW);
	if (library == NULL)
		exit(3);
	void *(*const run)(unsigned long) =
		(void *(*)(unsigned long))dlsym(library, "run");
	kept[n_kept++ % 64] = run(work);
	if (end)
		kill(getpid(), SIGKILL);
	dlclose(library);
	return (void *)run;
}
__attribute__((noinline)) void *use_alpha(void)
{
	void *const at = use("./libalpha.so", 0);
	__asm__ volatile("");
	return at;
}
__attribute__((noinline)) void *use_bravo(int end)
{
	void *const at = use("./libbravo.so", end);
	__asm__ volatile("");
	return at;
}
static int rounds;
__attribute__((noinline)) void use_charlie(void)
{
	use("./libcharlie.so", 0);
	__asm__ volatile("");
}
__attribute__((noinline)) void use_delta(void)
{
	use("./libdelta.so", 0);
	__asm__ volatile("");
}
static void *use_others(void *nothing)
{
	for (int i = 0; i < rounds; i++) {
		use_charlie();
		use_delta();
	}
	return nothing;
}
int main(int argc, char **argv)
{
	rounds = atoi(argv[1]);
	const int is_killed = argc > 2 && strcmp(argv[2], "killed") == 0;
	int status;
	if (argc > 2 && strcmp(argv[2], "forks") == 0) {
		use_alpha(); /* what the child inherits is gone before */
		if (fork() == 0) /* unloads nothing */
			exit(0);
		wait(&status);
		if (fork() != 0) {
			wait(&status);
			return WEXITSTATUS(status);
		}
	}
	if (argc > 2 && strcmp(argv[2], "threads") == 0) {
		pthread_t thread;
		work = 100;
		if (pthread_create(&thread, NULL, use_others, NULL) != 0)
			return 3;
		for (int i = 0; i < rounds; i++) {
			use_alpha();
			use_bravo(0);
		}
		return pthread_join(thread, NULL);
	}
	for (int i = 0; i < rounds; i++)
		if (use_alpha() != use_bravo(is_killed && i + 1 == rounds))
			return 77;
	return 0;
}
END
cc=${CC:-cc}
for name in alpha bravo charlie delta; do
	"$cc" -O1 -g -w -fPIC -shared -DWORK=${name}_work -DKEEP=${name}_keep \
		-o lib$name.so plug.c
done
"$cc" -O1 -g -w -pthread -o host host.c -ldl

# check NAME: no stack through a plugin has the name of the other plugin, or no
# name; some stacks have the right name.
check() {
	"$SYSCAP" export -f folded -o - "$1.syscap" 2>err >"$1.folded"
	awk -v unnamed="${2:-0}" '
	{ n = $NF }
	/use_(alpha|bravo);run/ {
		is_alpha = /use_alpha/
		if (is_alpha ? /run;alpha_/ : /run;bravo_/)
			good += n
		else if (/;(alpha|bravo)_/)
			bad += n
	}
	/use_(alpha|bravo);(\[|0x|lib|In File)/ { lost += n }
	END {
		printf "good %d, bad %d, without a name %d\n", good, bad, lost
		exit !(good > 0 && bad == 0 && (unnamed || lost == 0))
	}' "$1.folded" >seen || {
		cat "$1.folded" seen
		echo "FAIL: $1: names of another library"
		exit 1
	}
}

# record NAME OPTIONS... -- ARGUMENTS...
record() {
	name=$1
	shift
	status=0
	"$SYSCAP" record -q --sample -o "$name.syscap" "$@" || status=$?
	if [ "$status" = 77 ]; then
		echo "skip: the plug-ins did not get the same address"
		exit 77
	fi
	"$SYSCAP" check "$name.syscap" >/dev/null
}

record swapped -- ./host 5
[ "$status" = 0 ]
check swapped

# Names looked up later, by readers
record plain --no-symbols -- ./host 3
check plain
"$SYSCAP" symbolize -q -o later.syscap plain.syscap
check later

record forked -- ./host 3 forks
check forked
n=$("$SYSCAP" dump forked.syscap | grep -c '"syscap.unmapped" text "all"')
[ "$n" = 2 ] || {
	echo "FAIL: $n processes wrote all that they had mapped, not 2"
	exit 1
}

# A library unknown to the recorder has no name, and never the name of another
# library
record killed -- ./host 1 killed
check killed unnamed

# A library that loads another, found only by its own RUNPATH
mkdir inner
cat >outer.c <<'END'
#include <dlfcn.h>
int load(void) { return dlopen("libinner.so", RTLD_NOW) == 0; }
END
cat >finds.c <<'END'
int load(void);
int main(void) { return load(); }
END
echo 'int inner;' | "$cc" -shared -o inner/libinner.so -x c -
"$cc" -w -fPIC -shared -Wl,--enable-new-dtags,-rpath,"$dir/inner" \
	-o libouter.so outer.c -ldl
"$cc" -w -o finds finds.c ./libouter.so -ldl
"$SYSCAP" record -q --sample --memory=1 -o finds.syscap -- ./finds || {
	echo "FAIL: a plug-in was not found by its caller's RUNPATH"
	exit 1
}

# Leaks keep the name of the library that allocated them
"$SYSCAP" record -q --memory=1 -o leaks.syscap -- ./host 1
"$SYSCAP" stat --of leaked leaks.syscap >leaks
for name in alpha bravo; do
	grep -q "${name}_keep" leaks || {
		cat leaks
		echo "FAIL: leaks of lib$name.so have not its name"
		exit 1
	}
done

# The same property if threads take turns at an address
"$SYSCAP" record -q --memory=1 -o threads.syscap -- ./host 500 threads
"$SYSCAP" export -f folded --of leaked -o leaks threads.syscap
awk 'match($0, /use_[a-z]+;run;/) {
	name = substr($0, RSTART + 4, RLENGTH - 9)
	bytes[index($0, ";run;" name "_keep ") > 0] += $NF
	}
	END { exit !(bytes[0] == 0 && bytes[1] == 2000 * 100000) }' leaks || {
	cat leaks
	echo "FAIL: leaks have the name of another library"
	exit 1
}
