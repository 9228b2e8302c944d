/* SPDX-License-Identifier: BSD-2-Clause */
/* test_text_file.c - the text of a small file. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/strings.h"
#include "harness/test.h"

TEST(a_file_is_read_whole_and_ended)
{
	char text[64] = "old", path[64];
	FILE *const file = tmpfile();

	CHECK(file != NULL);
	fputs("one\ntwo\n", file);
	fflush(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	CHECK(syc_text_file_read(path, text, sizeof(text)) == 8);
	CHECK(strcmp(text, "one\ntwo\n") == 0);
	fclose(file);
}

TEST(partial_reads_are_joined_and_cut_to_size)
{
	char text[6], path[64];
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], "abc", 3) == 3);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	if (fork() == 0) { /* writes after the first read */
		usleep(20000);
		_exit(write(ends[1], "defg", 4) == 4 ? 0 : 1);
	}
	close(ends[1]);
	CHECK(syc_text_file_read(path, text, sizeof(text)) == 5);
	CHECK(strcmp(text, "abcde") == 0);
	close(ends[0]);
}

TEST(a_file_that_is_not_there_has_no_text)
{
	char text[4] = "old";

	CHECK(syc_text_file_read("/proc/self/none", text, sizeof(text)) ==
	      -ENOENT);
	CHECK(text[0] == '\0');
	strcpy(text, "old");
	CHECK(syc_text_file_read("/proc/self", text, sizeof(text)) == -EISDIR);
	CHECK(text[0] == '\0');
}

TEST(name_of_a_process_is_read)
{
	char text[64], own[64];

	CHECK(syc_text_file_read_proc(getpid(), "comm", text, sizeof(text)) >
	      0);
	CHECK(syc_text_file_read("/proc/self/comm", own, sizeof(own)) > 0);
	CHECK(strcmp(text, own) == 0);
}
