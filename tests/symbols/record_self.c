/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_self.c - writer of a capture with stacks of this process.
 *
 *	record_self CAPTURE [PID]
 *
 * The stacks go through record_alpha(), record_beta() and libc's qsort().
 * stdout gets the expected names of the innermost frame's callers, one per
 * line.  With PID, the capture gives this process that pid.  SECOND builds
 * another program, whose functions have other names.  The capture is like that
 * of a recorder without symbols.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/make_capture.h"
#include "symbols/elf_file.h"
#include "symbols/module_finder.h"

#define DEPTH     64
#define N_SAMPLES 200

#ifdef SECOND
#define record_alpha second_alpha
#define record_beta  second_beta
#endif
#define TEXT(name) #name
#define NAME(name) TEXT(name)

int record_alpha(int depth);
int record_beta(const void *left, const void *right);

static struct make_capture capture;
static void *stack[DEPTH];
static int n_stack;
static int32_t pid;

__attribute__((noinline)) int record_beta(const void *left, const void *right)
{
	n_stack = backtrace(stack, DEPTH);
	return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) int record_alpha(int depth)
{
	int numbers[3] = { 3, 1, 2 };

	if (depth > 0)
		return record_alpha(depth - 1) + 1;
	qsort(numbers, 3, sizeof(numbers[0]), record_beta);
	return numbers[0];
}

static void write_map(uint64_t begin, uint64_t end, uint64_t offset,
                      uint64_t inode, const char *path)
{
	const int fd = syc_debug_files_open(path);
	struct syc_elf elf = { .fd = -1 };

	if (fd >= 0)
		syc_elf_open(&elf, fd);
	make_frame(&capture, 3, -1, pid, 1000, 0);
	make_u64(&capture, begin);
	make_u64(&capture, end);
	make_u64(&capture, offset);
	make_u64(&capture, elf.build_id[0] ? 0 : inode);
	make_text(&capture, path);
	if (elf.build_id[0] != 0) {
		make_u8(&capture, '@');
		make_text(&capture, elf.build_id);
	}
	make_end(&capture);
	syc_elf_close(&elf);
}

static void write_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t begin, end, offset, inode;
	char line[4352], mode[8], path[4096];

	if (maps == NULL)
		exit(1);
	while (fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line,
		           "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
		           " %*s %" SCNu64 " %4095[^\n]",
		           &begin, &end, mode, &offset, &inode, path) == 6 &&
		    mode[2] == 'x' && path[0] == '/')
			write_map(begin, end, offset, inode, path);
	fclose(maps);
}

int main(int argc, char **argv)
{
	uint64_t addrs[DEPTH];
	FILE *file;

	if (argc != 2 && argc != 3)
		return 2;
	pid = argc == 3 ? atoi(argv[2]) : getpid();
	record_alpha(3);
	make_begin(&capture, false, 1000, INT64_C(3000000000));
	make_process(&capture, pid, 1000, argv[0]);
	write_maps();
	for (int i = 0; i < n_stack; i++)
		addrs[i] = (uint64_t)(uintptr_t)stack[i];
	/* backtrace() returns the innermost address as a return address,
	 * too. */
	for (int i = 0; i < N_SAMPLES; i++)
		make_stack(&capture, 2, pid, pid, 2000 + INT64_C(10000000) * i,
		           false, addrs, (unsigned)n_stack);
	file = fopen(argv[1], "wb");
	if (file == NULL ||
	    fwrite(capture.data, 1, capture.size, file) != capture.size ||
	    fclose(file) != 0)
		return 1;
	make_free(&capture);
	puts(NAME(record_beta) "\n" NAME(record_alpha) "\nmain");
	return 0;
}
