/* SPDX-License-Identifier: BSD-2-Clause */
/* test_output.c - the file name of a capture of a process that records
 * itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "session/sink.h"

#define PID 4711

static char folder[] = "/tmp/syscap-output-XXXXXX";

/* Makes a directory for each test, which is its own process. */
static void go_to_folder(void)
{
	CHECK(mkdtemp(folder) != NULL);
	CHECK_EQ(chdir(folder), 0);
}

static void leave_folder(void)
{
	char command[64];

	CHECK_EQ(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_EQ(system(command), 0);
}

/* The file name of a capture made with @pattern. */
static const char *make_output(const char *pattern)
{
	static struct syc_output_target target;
	static struct syc_output output;
	struct stat st;

	CHECK_EQ(syc_output_choose(&target, pattern, NULL, "a.out"), 0);
	output.ring_fd = -1;
	CHECK_EQ(syc_output_create(&output, &target, PID), 0);
	CHECK_EQ(stat(output.path, &st), 0);
	CHECK_EQ(st.st_ino, output.ino);
	close(output.fd);
	CHECK(strncmp(output.path, folder, strlen(folder)) == 0);
	return output.path + strlen(folder) + 1;
}

static int choose(const char *pattern)
{
	static struct syc_output_target target;

	return syc_output_choose(&target, pattern, NULL, "a.out");
}

TEST(a_name_holds_the_pid_the_program_and_percent_signs)
{
	go_to_folder();
	CHECK_STR(make_output("%n-%p-100%%.syscap"), "a.out-4711-100%.syscap");
	leave_folder();
}

TEST(a_name_that_is_taken_gets_the_pid_and_then_numbers)
{
	go_to_folder();
	CHECK_STR(make_output("a"), "a");
	CHECK_STR(make_output("a"), "a.4711");
	CHECK_STR(make_output("a"), "a.4711.2");
	CHECK_STR(make_output("a"), "a.4711.3");
	leave_folder();
}

TEST(a_name_with_the_pid_that_is_taken_gets_numbers)
{
	go_to_folder();
	CHECK_STR(make_output("a-%p"), "a-4711");
	CHECK_STR(make_output("a-%p"), "a-4711.2");
	CHECK_STR(make_output("a-%p"), "a-4711.3");
	leave_folder();
}

TEST(names_that_say_nothing_are_refused)
{
	CHECK_EQ(choose(NULL), -EINVAL);
	CHECK_EQ(choose(""), -EINVAL);
	CHECK_EQ(choose("a%"), -EINVAL);
	CHECK_EQ(choose("a%d"), -EINVAL);
}

TEST(a_name_that_is_too_long_is_refused)
{
	static char name[SYC_OUTPUT_PATH_MAX + 1];

	memset(name, 'a', SYC_OUTPUT_PATH_MAX);
	CHECK_EQ(choose(name), -ENAMETOOLONG);
	name[0] = '/';
	CHECK_EQ(choose(name), -ENAMETOOLONG);
}

TEST(a_pattern_that_expands_to_too_much_makes_no_file)
{
	static char name[SYC_OUTPUT_PATH_MAX];
	static struct syc_output_target target;
	static struct syc_output output;

	/* The pattern fits, but not with the program's name for each %n */
	name[0] = '/';
	for (size_t i = 1; i + 3 < sizeof(name); i += 2)
		memcpy(name + i, "%n", 2);
	CHECK_EQ(syc_output_choose(&target, name, NULL, "a.out"), 0);
	output.ring_fd = -1;
	CHECK_EQ(syc_output_create(&output, &target, PID), -ENAMETOOLONG);
	CHECK_EQ(output.fd, -1);
}

TEST(a_relative_name_in_a_directory_with_a_percent_sign_is_refused)
{
	go_to_folder();
	CHECK_EQ(mkdir("50%p", 0777), 0);
	CHECK_EQ(chdir("50%p"), 0);
	CHECK_EQ(choose("a"), -EINVAL);
	leave_folder();
}

/* Closes the fd of @output, and opens @victim at the fd's number. */
static void reuse_fd(const struct syc_output *output, const char *victim)
{
	const int fd = open(victim, O_RDWR | O_CREAT, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(dup2(fd, output->fd), output->fd);
	close(fd);
}

TEST(the_header_of_an_output_with_a_reused_fd_goes_to_the_output)
{
	static unsigned char scratch[65536];
	struct syc_output_target target;
	struct syc_output output = { .ring_fd = -1 };
	struct syc_arena arena = { .page = (uint32_t)getpagesize() };
	const size_t size = syc_ring_file_front(arena.page);
	void *const front = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stat st;

	go_to_folder();
	CHECK(front != MAP_FAILED);
	CHECK_EQ(syc_output_choose(&target, "a", NULL, "a.out"), 0);
	CHECK_EQ(syc_output_create(&output, &target, PID), 0);
	const int reused = output.fd;
	reuse_fd(&output, "victim");
	CHECK_EQ(syc_output_begin(&output, front, &arena, PID, 1, scratch,
	                          false),
	         0);
	CHECK_EQ(stat("victim", &st), 0);
	CHECK_EQ(st.st_size, 0);
	CHECK_EQ(stat("a", &st), 0);
	CHECK(st.st_size > 256);
	syc_output_close(&output, false);
	close(reused);
	munmap(front, size);
	leave_folder();
}

TEST(a_missing_directory_is_reported)
{
	static struct syc_output_target target;
	static struct syc_output output;

	go_to_folder();
	CHECK_EQ(syc_output_choose(&target, "no/a", NULL, "a.out"), 0);
	output.ring_fd = -1;
	CHECK_EQ(syc_output_create(&output, &target, PID), -ENOENT);
	CHECK_EQ(rmdir(folder), 0);
	CHECK_EQ(choose("a"), -ENOENT);
	CHECK_EQ(mkdir(folder, 0777), 0);
	leave_folder();
}
