/* SPDX-License-Identifier: BSD-2-Clause */
/* test_preload_refused.c - programs that refuse a preloaded library. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/recorder.h"
#include "symbols/make_elf.h"

static char work[] = "/tmp/refused-XXXXXX";

static const char *in_work(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	return path;
}

static void begin(void)
{
	CHECK(mkdtemp(work) != NULL);
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r '%s'", work);
	CHECK_EQ(system(command), 0);
}

/* Makes a program without a loader segment. */
static void make_program(const char *name, bool is_64)
{
	make_elf_file(&(struct elf_spec){ .is_64 = is_64 }, in_work(name));
	CHECK_EQ(chmod(in_work(name), 0755), 0);
}

static void make_text(const char *name, const char *text)
{
	FILE *const file = fopen(in_work(name), "w");

	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
	CHECK_EQ(chmod(in_work(name), 0755), 0);
}

/* @reason: the expected reason; NULL: the program is not refused. */
static void check(const char *command, const char *reason)
{
	char why[PATH_MAX] = "";

	CHECK_EQ(syc_preload_refused(command, why, sizeof(why)),
	         reason != NULL);
	CHECK_STR(why, reason != NULL ? reason : "");
}

/* Checks that the reason names @name in the directory. */
static void check_named(const char *command, const char *name,
                        const char *reason)
{
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "%s/%s %s", work, name, reason);
	check(command, text);
}

TEST(a_program_with_a_loader_is_not_refused)
{
	check("/proc/self/exe", NULL);
}

TEST(static_or_32_bit_program_is_refused)
{
	begin();
	make_program("alone", true);
	make_program("small", false);
	check_named(in_work("alone"), "alone", "is statically linked");
	check_named(in_work("small"), "small", "is a 32-bit program");
	end();
}

TEST(script_is_refused_for_its_interpreter)
{
	char text[PATH_MAX + 32];

	begin();
	make_program("alone", true);
	snprintf(text, sizeof(text), "#! \t%s -x\nmore\n", in_work("alone"));
	make_text("script", text);
	snprintf(text, sizeof(text), "#!%s\n", in_work("script"));
	make_text("of_script", text);
	check_named(in_work("script"), "alone", "is statically linked");
	check_named(in_work("of_script"), "alone", "is statically linked");
	/* The number of nested interpreters is limited */
	snprintf(text, sizeof(text), "#!%s\n", in_work("itself"));
	make_text("itself", text);
	check(in_work("itself"), NULL);
	end();
}

TEST(other_files_have_no_reason)
{
	begin();
	make_text("text", "of no program");
	check(in_work("text"), NULL);
	make_text("empty", "");
	check(in_work("empty"), NULL);
	check(in_work("nowhere"), NULL);
	end();
}

TEST(command_without_slash_is_looked_up_in_path)
{
	char path[2 * PATH_MAX];

	begin();
	CHECK_EQ(mkdir(in_work("a"), 0700), 0);
	CHECK_EQ(mkdir(in_work("b"), 0700), 0);
	make_program("b/command", true);
	make_program("command", false);
	snprintf(path, sizeof(path), "%s/nowhere:%s/a:%s/b", work, work, work);
	setenv("PATH", path, 1);
	check_named("command", "b/command", "is statically linked");
	check("other", NULL);
	/* An empty entry of PATH is the current directory */
	CHECK_EQ(chdir(work), 0);
	snprintf(path, sizeof(path), "%s/a::%s/b", work, work);
	setenv("PATH", path, 1);
	check("command", "command is a 32-bit program");
	unsetenv("PATH");
	check("command", NULL);
	setenv("PATH", "/usr/bin:/bin", 1);
	end();
}

TEST(set_user_id_program_is_refused)
{
	char command[64];

	if (getuid() != 0)
		SKIP("only root can change the owner of a program");
	begin();
	/* A program with a loader: a copy of this program */
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s/program",
	         getpid(), work);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(chown(in_work("program"), 65534, 65534), 0);
	check(in_work("program"), NULL);
	CHECK_EQ(chmod(in_work("program"), 04755), 0);
	check_named(in_work("program"), "program", "is set-user-ID");
	CHECK_EQ(chmod(in_work("program"), 02755), 0);
	check_named(in_work("program"), "program", "is set-group-ID");
	/* The own user's set-user-ID program changes nothing */
	CHECK_EQ(chown(in_work("program"), 0, 0), 0);
	CHECK_EQ(chmod(in_work("program"), 06755), 0);
	check(in_work("program"), NULL);
	end();
}
