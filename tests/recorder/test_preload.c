/* SPDX-License-Identifier: BSD-2-Clause */
/* test_preload.c - search for the preloaded library. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/recorder.h"

static char work[] = "/tmp/preload-XXXXXX";

static const char *in_work(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	return path;
}

static void make_folder(const char *name)
{
	CHECK_EQ(mkdir(in_work(name), 0700), 0);
}

static void make_file(const char *name)
{
	const int fd = open(in_work(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	CHECK(fd >= 0);
	close(fd);
}

/* Removes variables of the test's environment. */
static void begin(void)
{
	CHECK(mkdtemp(work) != NULL);
	unsetenv("LD_PRELOAD");
	unsetenv("SYSCAP_PRELOAD_DIR");
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r '%s'", work);
	CHECK_EQ(system(command), 0);
}

static void check_found(const char *wanted)
{
	char why[256] = "", *value = NULL;

	if (syc_preload_find(SYC_PRELOAD_SAMPLER, &value, why, sizeof(why)) !=
	    0)
		test_fail(__FILE__, __LINE__, "not found: %s", why);
	CHECK_STR(value, wanted);
	free(value);
}

static void check_refused(int error, const char *wanted)
{
	char why[PATH_MAX] = "", *value = NULL;

	CHECK_EQ(
		syc_preload_find(SYC_PRELOAD_SAMPLER, &value, why, sizeof(why)),
		error);
	CHECK(value == NULL);
	if (strstr(why, wanted) == NULL)
		test_fail(__FILE__, __LINE__, "unexpected reason: %s", why);
}

TEST(environment_names_the_directory_of_the_library)
{
	begin();
	make_folder("lib");
	make_file("lib/" SYC_PRELOAD_SAMPLER);
	setenv("SYSCAP_PRELOAD_DIR", in_work("lib"), 1);
	check_found(in_work("lib/" SYC_PRELOAD_SAMPLER));
	end();
}

TEST(present_preloads_come_last)
{
	char both[PATH_MAX + 32];

	begin();
	make_file(SYC_PRELOAD_SAMPLER);
	setenv("SYSCAP_PRELOAD_DIR", work, 1);
	setenv("LD_PRELOAD", "", 1);
	check_found(in_work(SYC_PRELOAD_SAMPLER));
	setenv("LD_PRELOAD", "/opt/a.so /opt/b.so", 1);
	snprintf(both, sizeof(both), "%s:/opt/a.so /opt/b.so",
	         in_work(SYC_PRELOAD_SAMPLER));
	check_found(both);
	/* otherwise the programs of end() would load the preloaded libraries */
	unsetenv("LD_PRELOAD");
	end();
}

TEST(named_directory_excludes_others)
{
	begin();
	setenv("SYSCAP_PRELOAD_DIR", work, 1);
	check_refused(-ENOENT, work);
	end();
}

TEST(path_with_separators_of_the_loader_is_refused)
{
	static const char *const folders[] = { "a b", "a:b" };

	begin();
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char library[64];

		make_folder(folders[i]);
		snprintf(library, sizeof(library), "%s/" SYC_PRELOAD_SAMPLER,
		         folders[i]);
		make_file(library);
		setenv("SYSCAP_PRELOAD_DIR", in_work(folders[i]), 1);
		check_refused(-EINVAL, in_work(library));
	}
	end();
}

/* Runs a copy of this program elsewhere, which searches for its library. */
static void check_copy(const char *program, const char *wanted)
{
	int status;
	const pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		setenv("WANTED", wanted, 1);
		execl(program, program, "--no-fork",
		      "library_is_found_relative_to_the_program", NULL);
		_exit(3);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void copy_self(const char *to)
{
	char command[PATH_MAX + 64];

	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", getpid(),
	         to);
	CHECK_EQ(system(command), 0);
}

TEST(library_is_found_relative_to_the_program)
{
	/* One name has pattern characters; the other has a directory for the
	 * machine's architecture */
	static const char *const folders[] = {
		"moved[1]*?",
		"moved[1]*?/bin",
		"moved[1]*?/lib",
		"moved[1]*?/lib/syscap",
		"other",
		"other/bin",
		"other/lib",
		"other/lib/a-linux-b",
		"other/lib/a-linux-b/syscap",
	};
	static const struct {
		const char *program, *library;
	} pairs[] = {
		{ "moved[1]*?/bin/program",
		  "moved[1]*?/lib/syscap/" SYC_PRELOAD_SAMPLER },
		{ "other/bin/program",
		  "other/lib/a-linux-b/syscap/" SYC_PRELOAD_SAMPLER },
	};
	const char *const wanted = getenv("WANTED");

	if (wanted != NULL) {
		check_found(wanted);
		return;
	}
	begin();
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folders[i]);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *const program = strdup(in_work(pairs[i].program));

		make_file(pairs[i].library);
		copy_self(program);
		check_copy(program, in_work(pairs[i].library));
		free(program);
	}
	end();
}
