/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_code_watch.c - the code table of a child that behaves like a runtime.
 *
 * The child does one step of its deed for each step() of the test, so the
 * result does not depend on speed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/code_names.h"
#include "code/samples.h"
#include "harness/test.h"

struct entry {
	struct entry *next, *previous;
	const void *image;
	uint64_t size;
};

struct descriptor {
	uint32_t version, action;
	struct entry *relevant, *first;
};

extern struct descriptor __jit_debug_descriptor;
struct descriptor __jit_debug_descriptor = { .version = 1 };

static struct syc_code_table *table;
static struct syc_code_watch *watch;
static char told[512], map_path[64];
static unsigned n_told;
static pid_t child;
static int to_child, from_child;

static void tell(void *data, const char *text)
{
	(void)data;
	n_told++;
	snprintf(told, sizeof(told), "%s", text);
}

/* In the child: wait for the test. */
static bool next_step(void)
{
	static bool any;
	char byte = 0;

	if (any)
		CHECK_EQ(write(1, &byte, 1), 1);
	any = true;
	return read(0, &byte, 1) == 1;
}

static void start(void (*deed)(void))
{
	const struct syc_code_watch_options options = { .tell = tell };
	int in[2], out[2];

	CHECK_EQ(pipe2(in, O_CLOEXEC), 0);
	CHECK_EQ(pipe2(out, O_CLOEXEC), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		deed();
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	to_child = in[1];
	from_child = out[0];
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)child);
	unlink(map_path);
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_code_watch_new(child, table, &options, &watch), 0);
}

static void step(void)
{
	char byte = 0;

	CHECK_EQ(write(to_child, &byte, 1), 1);
	CHECK_EQ(read(from_child, &byte, 1), 1);
}

static void look(int64_t now)
{
	CHECK_EQ(syc_code_watch_look(watch, now), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
}

/* Lets the child continue to its end. */
static void finish(int64_t now)
{
	int status;

	close(to_child);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	close(from_child);
	CHECK_EQ(syc_code_watch_finish(watch, now), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
}

static void end(void)
{
	syc_code_watch_free(watch);
	syc_code_table_free(table);
	unlink(map_path);
}

static void write_file(const char *path, const char *mode, const char *text)
{
	FILE *file = fopen(path, mode);

	CHECK(file != NULL && fputs(text, file) >= 0);
	fclose(file);
}

static void write_map(const char *mode, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_file(path, mode, text);
}

static void map_writer(void)
{
	next_step();
	write_map("w", "1000 10 alpha\n");
	next_step();
	write_map("a", "1000 10 beta\n2000 10 gam");
	while (next_step())
		;
	write_map("a", "ma");
}

TEST(a_perf_map_that_grows_is_followed_to_its_last_byte)
{
	start(map_writer);
	look(100);
	step();
	look(200);
	step();
	look(300);
	finish(400);
	CHECK_STR(sample_find(table, 0x1000, 100), "alpha");
	CHECK_STR(sample_find(table, 0x1000, 199), "alpha");
	CHECK_STR(sample_find(table, 0x1000, 200), "beta");
	CHECK_STR(sample_find(table, 0x2000, 300), "gamma");
	/* Written late, but no other name was at these addresses. */
	CHECK_STR(sample_find(table, 0x1000, 99), "alpha");
	CHECK_STR(sample_find(table, 0x2000, 99), "gamma");
	CHECK_EQ(n_told, 0);
	end();
}

TEST(code_of_the_first_look_has_no_begin)
{
	start(map_writer);
	step();
	look(100);
	finish(400);
	CHECK_STR(sample_find(table, 0x1000, INT64_MIN), "alpha");
	end();
}

static void exit_writer(void)
{
	while (next_step())
		;
	write_map("w", "0x1000 0x10 int T.a(int, long)\n");
}

TEST(perf_map_written_at_exit_covers_all_times)
{
	start(exit_writer);
	finish(400);
	CHECK_STR(sample_find(table, 0x1000, 3), "int T.a(int, long)");
	end();
}

static void append_writer(void)
{
	next_step();
	write_map("a", "2000 10 fresh\n");
	while (next_step())
		;
}

TEST(perf_map_of_an_earlier_process_is_ignored)
{
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };

	start(append_writer);
	write_file(map_path, "w", "1000 10 stale\n");
	CHECK_EQ(utimensat(AT_FDCWD, map_path, old, 0), 0);
	look(100);
	CHECK_STR(sample_find(table, 0x1000, 100), "-");
	step();
	look(200);
	CHECK_STR(sample_find(table, 0x1000, 200), "-");
	CHECK_STR(sample_find(table, 0x2000, 200), "fresh");
	finish(300);
	end();
}

TEST(link_as_perf_map_is_reported_once_and_not_followed)
{
	start(exit_writer);
	CHECK_EQ(symlink("/nonexistent/file", map_path), 0);
	look(100);
	look(200);
	CHECK_EQ(n_told, 1);
	CHECK(strstr(told, "the file is a symbolic link") != NULL);
	CHECK_EQ(unlink(map_path), 0);
	finish(300);
	CHECK_STR(sample_find(table, 0x1000, 250), "int T.a(int, long)");
	end();
}

static char folder[] = "/tmp/syscap-watch-XXXXXX";
static char dump_path[128];

static void name_dump(pid_t pid)
{
	snprintf(dump_path, sizeof(dump_path), "%s/jit-%d.dump", folder,
	         (int)pid);
}

/* Writes the sample with this process's pid in its header and records. */
static int write_dump(size_t left_out)
{
	const uint32_t pid = (uint32_t)getpid();
	size_t size;
	unsigned char *bytes = sample_read("python.dump", &size);
	uint32_t len;
	int fd;

	memcpy(bytes + 20, &pid, 4);
	for (size_t at = 40; at < size; at += len) {
		memcpy(&len, bytes + at + 4, 4);
		if (memcmp(bytes + at, "\0\0\0\0", 4) == 0)
			memcpy(bytes + at + 16, &pid, 4);
	}
	name_dump(getpid());
	fd = open(dump_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(write(fd, bytes, size - left_out), size - left_out);
	free(bytes);
	return fd;
}

static void dump_writer(void)
{
	int fd;

	next_step();
	fd = write_dump(30);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) !=
	      MAP_FAILED);
	close(fd);
	while (next_step())
		;
	close(write_dump(0));
}

#define FIRST_ADDR UINT64_C(140022943768576)
#define FIRST_NAME "py::_find_and_load:<frozen importlib._bootstrap>"
#define LAST_ADDR  UINT64_C(140022943825696)
#define LAST_TIME  INT64_C(37047484607165)

TEST(a_jitdump_is_found_by_its_mapping_and_read_to_its_end)
{
	CHECK(mkdtemp(folder) != NULL);
	start(dump_writer);
	step();
	look(100);
	CHECK_STR(sample_find(table, FIRST_ADDR, LAST_TIME), FIRST_NAME);
	CHECK_STR(sample_find(table, LAST_ADDR, LAST_TIME), "-");
	finish(200);
	CHECK_STR(sample_find(table, LAST_ADDR, LAST_TIME),
	          "py::gr\xC3\xB6\xC3\x9F"
	          "e:/app/t.py");
	CHECK_STR(sample_find(table, LAST_ADDR, LAST_TIME - 1), "-");
	CHECK_EQ(n_told, 0);
	name_dump(child);
	unlink(dump_path);
	rmdir(folder);
	end();
}

static void hasty_dump_writer(void)
{
	CHECK_EQ(chdir(folder), 0);
	next_step();
	while (next_step())
		;
	close(write_dump(0));
}

TEST(unseen_jitdump_is_found_at_its_default_path)
{
	const struct syc_code_watch_options options = { .tell = tell };

	CHECK(mkdtemp(folder) != NULL);
	start(hasty_dump_writer);
	step();
	/* A new watch, made when the child is in its directory. */
	syc_code_watch_free(watch);
	CHECK_EQ(syc_code_watch_new(child, table, &options, &watch), 0);
	look(100);
	CHECK_STR(sample_find(table, FIRST_ADDR, LAST_TIME), "-");
	finish(200);
	CHECK_STR(sample_find(table, FIRST_ADDR, LAST_TIME), FIRST_NAME);
	name_dump(child);
	unlink(dump_path);
	rmdir(folder);
	end();
}

TEST(exec_removes_all_code)
{
	start(map_writer);
	step();
	look(100);
	step();
	CHECK_EQ(syc_code_watch_exec(watch, 150), 0);
	look(200);
	finish(300);
	CHECK_STR(sample_find(table, 0x1000, 149), "beta");
	CHECK_STR(sample_find(table, 0x1000, 150), "-");
	/* Later code belongs to the new program. */
	CHECK_STR(sample_find(table, 0x2000, 250), "gamma");
	CHECK_STR(sample_find(table, 0x2000, 150), "gamma");
	CHECK_STR(sample_find(table, 0x2000, 149), "-");
	end();
}

static void list_writer(void)
{
	static struct entry entry;
	size_t size;

	next_step();
	entry.image = sample_read("lli.elf", &size);
	entry.size = size;
	__jit_debug_descriptor.first = &entry;
	__jit_debug_descriptor.relevant = &entry;
	__jit_debug_descriptor.action = 1;
	while (next_step())
		;
}

TEST(a_list_for_debuggers_is_found_and_read)
{
	start(list_writer);
	look(100);
	CHECK_STR(sample_find(table, 0x7f77208ad000, 100), "-");
	step();
	look(200);
	finish(300);
	CHECK_STR(sample_find(table, 0x7f77208ad000, 100), "leaf_hash");
	CHECK_STR(sample_find(table, 0x7f77208ad000, 99), "-");
	CHECK_EQ(n_told, 0);
	end();
}

TEST(ended_process_is_not_watched)
{
	const struct syc_code_watch_options options = { 0 };
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(syc_code_watch_new(pid, NULL, &options, &watch), -ENOENT);
}
