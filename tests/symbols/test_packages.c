/* SPDX-License-Identifier: BSD-2-Clause */
/* test_packages.c - packages of files, by lists like those of dpkg. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "symbols/resolver.h"

static char directory[] = "/tmp/packages-XXXXXX";

static void write_list(const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	CHECK(file != NULL);
	fputs(text, file);
	fclose(file);
}

static void remove_list(const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	unlink(path);
}

TEST(packages_are_found_with_and_without_usr)
{
	static const char *const paths[] = { "/usr/lib/libz.so.1",
		                             "/lib/libc.so.6", "/opt/app",
		                             "/usr/lib/libz.so", "" };
	static const char *const names[] = { "zlib1g", "libc6", "", "", "" };
	char found[5][SYC_PACKAGE_NAME];

	CHECK(mkdtemp(directory) != NULL);
	write_list("zlib1g:amd64.list", "/.\n/lib\n/lib/libz.so.1\n");
	write_list("libc6.list", "/.\n/usr/lib/libc.so.6\n/usr/lib/x");
	write_list("app.md5sums", "\n/opt/app\n");
	syc_packages_find(directory, paths, 5, found);
	for (int i = 0; i < 5; i++)
		CHECK_STR(found[i], names[i]);
	remove_list("zlib1g:amd64.list");
	remove_list("libc6.list");
	remove_list("app.md5sums");
	rmdir(directory);
	syc_packages_find(directory, paths, 5, found);
	CHECK_STR(found[0], "");
}
