/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay_main.c - runs of a fuzz target on files, without libFuzzer.
 *
 *	replay_reader FILE|DIRECTORY...
 *
 * A directory represents all its files.  Fails without a file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned n_files;

static void replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	/* Exactly this size, so that ASan sees a read beyond. */
	uint8_t *data = malloc(size ? size : 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	n_files++;
}

static void replay(const char *path)
{
	struct dirent *entry;
	char inner[4096];
	struct stat st;

	if (stat(path, &st) != 0) {
		perror(path);
		exit(1);
	}
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path, (size_t)st.st_size);
		return;
	}

	DIR *directory = opendir(path);
	while (directory && (entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		replay(inner);
	}
	if (directory)
		closedir(directory);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%u files\n", n_files);
	return n_files ? 0 : 1;
}
