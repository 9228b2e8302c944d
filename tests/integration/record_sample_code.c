/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_code.c - a program that uses processor time in code that is
 * loaded and removed.
 *
 *	record_sample_code jit		in memory, named in /tmp/perf-PID.map
 *	record_sample_code LIBRARY	in the plugin, which is loaded only
 *					for this time
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "integration/record_sample_plugin.h"

#define CODE_SIZE 4096u
#define TURNS     1000000
/* milliseconds of processor time: a busy kernel ticks rarely */
#define LONG_MS 900

/* void turns(uint32_t n): counts down, with its own stack frame. */
#ifdef __x86_64__
static const unsigned char turns[] = {
	0x55,             /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0xff, 0xcf,       /* 1: dec %edi */
	0x75, 0xfc,       /* jne 1b */
	0x5d, 0xc3,       /* pop %rbp; ret */
};
#else
static const uint32_t turns[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0x71000400, /* 1: subs w0, w0, #1 */
	0x54ffffe1, /* b.ne 1b */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#endif

static int run_jit(void)
{
	char name[64];
	FILE *map;
	unsigned char *const code =
		mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(uint32_t n);

	if (code == MAP_FAILED)
		return 77;
	memcpy(code, turns, sizeof(turns));
	__builtin___clear_cache((char *)code, (char *)code + CODE_SIZE);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "we");
	if (map == NULL)
		return 77;
	fprintf(map, "%lx %zx made_by_a_jit\n", (unsigned long)(uintptr_t)code,
	        sizeof(turns));
	fclose(map);
	memcpy(&call, &code, sizeof(call));
	while (clock() < CLOCKS_PER_SEC / 1000 * LONG_MS)
		call(TURNS);
	/* The recorder reads the map file after this process's end. */
	return 0;
}

static volatile unsigned long result;

/* Takes the first sample, at which the recorder reads all mappings. */
static void be_sampled(void)
{
	while (clock() < CLOCKS_PER_SEC / 25)
		for (int i = 0; i < 100000; i++)
			result += (unsigned long)i;
}

int main(int argc, char **argv)
{
	void (*spin)(unsigned ms);
	void *library;

	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "jit") == 0)
		return run_jit();
	be_sampled();
	library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL)
		return 77;
	*(void **)&spin = dlsym(library, "record_sample_plugin");
	spin(LONG_MS);
	dlclose(library);
	return 0;
}
